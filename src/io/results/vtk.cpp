// SPDX-License-Identifier: Apache-2.0
#include "trammel/io/vtk.h"
#include "trammel/io/text_file.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trammel/base/error.h"
#include "trammel/io/results_reader.h"
#include "trammel/simulation/channels.h"
#include "vtk_shapes.h"

namespace trammel {

namespace {

std::string base64(std::span<const unsigned char> bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    const unsigned triple = bytes[i] << 16 | (n > 1 ? bytes[i + 1] : 0U) << 8 | (n > 2 ? bytes[i + 2] : 0U);
    text += digits[triple >> 18];
    text += digits[triple >> 12 & 63];
    text += n > 1 ? digits[triple >> 6 & 63] : '=';
    text += n > 2 ? digits[triple & 63] : '=';
  }
  return text;
}

// Binary in base64, preceded by its length (header_type UInt64): exact, compact, and NaN does not stop the reader.
template <class Number>
void append_array(std::string& xml, const std::string& type, const std::string& name, int components,
                  std::span<const Number> values) {
  std::vector<unsigned char> bytes(sizeof(std::uint64_t) + values.size_bytes());
  const std::uint64_t size = values.size_bytes();
  std::memcpy(bytes.data(), &size, sizeof size);
  if (size > 0) std::memcpy(bytes.data() + sizeof size, values.data(), size);
  xml += fmt::format("<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"binary\">{}</DataArray>\n",
                     type, escape_xml(name), components, base64(bytes));
}

// Rows of R_WB from what was recorded for one body.
class OrientationLayout {
 public:
  static std::optional<OrientationLayout> of(const RecordGroup& group) {
    OrientationLayout layout;
    if (group.n_components() == 9) return layout;
    if (group.n_components() != 4) return std::nullopt;
    layout.quaternion_ = true;
    const std::array<std::string, 4> order{"w", "x", "y", "z"};
    for (std::size_t i = 0; i < 4; ++i) {
      std::size_t at = 0;
      while (at < 4 && group.components[at] != order[i]) ++at;
      if (at == 4) return std::nullopt;
      layout.at_[i] = at;
    }
    return layout;
  }

  Eigen::Matrix3d rotation(const double* numbers) const {
    if (!quaternion_) return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(numbers);
    const double w = numbers[at_[0]], x = numbers[at_[1]], y = numbers[at_[2]], z = numbers[at_[3]];
    Eigen::Matrix3d R;  // R = I + 2 w ê + 2 ê ê with e = (x, y, z), for a unit quaternion
    R << 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),  //
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),   //
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y);
    return R;
  }

 private:
  bool quaternion_ = false;
  std::array<std::size_t, 4> at_{};
};

class VtkExport {
 public:
  explicit VtkExport(const ResultsReader& reader) : reader_(reader), groups_(reader.schema().frames) {
    position_ = reader.schema().find_table("/frames/position").group;
    if (position_ < 0 || group(position_).n_components() != 3)
      throw InputError("'" + reader.path().string() +
                       "' holds no positions of bodies ('/frames/position' with three components), so there is nothing "
                       "to show in ParaView");
    n_ = static_cast<std::size_t>(group(position_).n_items());
    const auto scene = reader.schema().attributes.find("scene");
    if (scene != reader.schema().attributes.end() && is_whole(reader.schema(), "position"))
      surfaces_ = read_surfaces(scene->second, static_cast<int>(n_));
    orientation_ = reader.schema().find_table("/frames/orientation").group;
    for (const Surface& surface : surfaces_) {
      const auto first = static_cast<std::int64_t>(n_corners_);
      n_corners_ += surface.points.size();
      for (const std::vector<int>& polygon : surface.polygons) {
        for (const int corner : polygon) polygon_corners_.push_back(first + corner);
        polygon_ends_.push_back(static_cast<std::int64_t>(polygon_corners_.size()));
        polygon_bodies_.push_back(surface.body);
      }
    }
    ids_.resize(n_);
    ends_.resize(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      ids_[i] = static_cast<std::int32_t>(i);
      connectivity_.push_back(static_cast<std::int64_t>(i));
      ends_[i] = static_cast<std::int64_t>(i) + 1;
    }
  }

  std::string frame(std::int64_t row) {
    std::string xml = fmt::format(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
        "header_type=\"UInt64\">\n<PolyData>\n<Piece NumberOfPoints=\"{0}\" NumberOfVerts=\"{0}\" NumberOfLines=\"0\" "
        "NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n<PointData>\n",
        n_);
    append_array<std::int32_t>(xml, "Int32", "body", 1, ids_);
    for (int g = 0; g < std::ssize(groups_); ++g)
      if (g != position_ && group(g).names == group(position_).names) append_group(xml, g, row);
    xml += "</PointData>\n<Points>\n";
    append_array<double>(xml, "Float64", "Points", 3, read(position_, row));
    xml += "</Points>\n<Verts>\n";
    append_array<std::int64_t>(xml, "Int64", "connectivity", 1, connectivity_);
    append_array<std::int64_t>(xml, "Int64", "offsets", 1, ends_);
    xml += "</Verts>\n</Piece>\n</PolyData>\n</VTKFile>\n";
    return xml;
  }

  bool has_shapes() const { return !surfaces_.empty(); }

  /// The surfaces of the shapes where their bodies are: p + R s of every corner.
  std::string shapes(std::int64_t row) {
    read(position_, row);
    const std::vector<double> positions = numbers_;
    std::vector<double> orientations;
    std::optional<OrientationLayout> layout;
    if (orientation_ >= 0 && group(orientation_).names == group(position_).names)
      layout = OrientationLayout::of(group(orientation_));
    if (layout) {
      read(orientation_, row);
      orientations = numbers_;
    }
    std::vector<double> corners;
    corners.reserve(3 * n_corners_);
    for (const Surface& surface : surfaces_) {
      Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
      Eigen::Vector3d p = Eigen::Vector3d::Zero();
      if (surface.body >= 0) {
        const auto body = static_cast<std::size_t>(surface.body);
        p = Eigen::Map<const Eigen::Vector3d>(&positions[3 * body]);
        if (layout) R = layout->rotation(&orientations[body * orientations.size() / n_]);
      }
      for (const Eigen::Vector3d& s : surface.points) {
        const Eigen::Vector3d corner = p + R * s;
        corners.insert(corners.end(), corner.data(), corner.data() + 3);
      }
    }
    std::string xml = fmt::format(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
        "header_type=\"UInt64\">\n<PolyData>\n<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"0\" NumberOfLines=\"0\" "
        "NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n<CellData>\n",
        n_corners_, polygon_ends_.size());
    append_array<std::int32_t>(xml, "Int32", "body", 1, polygon_bodies_);
    xml += "</CellData>\n<Points>\n";
    append_array<double>(xml, "Float64", "Points", 3, corners);
    xml += "</Points>\n<Polys>\n";
    append_array<std::int64_t>(xml, "Int64", "connectivity", 1, polygon_corners_);
    append_array<std::int64_t>(xml, "Int64", "offsets", 1, polygon_ends_);
    return xml + "</Polys>\n</Piece>\n</PolyData>\n</VTKFile>\n";
  }

  std::string names() const {
    std::string text = "body,name\n";
    for (std::size_t i = 0; i < n_; ++i) text += fmt::format("{},{}\n", i, csv_field(group(position_).names[i]));
    return text;
  }

 private:
  const RecordGroup& group(int g) const { return groups_[static_cast<std::size_t>(g)]; }

  std::span<const double> read(int g, std::int64_t row) {
    numbers_.resize(static_cast<std::size_t>(group(g).width()));
    reader_.read_rows(false, g, row, 1, numbers_);
    return numbers_;
  }

  void append_group(std::string& xml, int g, std::int64_t row) {
    const std::span<const double> values = read(g, row);
    if (group(g).path == "/frames/orientation")
      if (const auto orientation = OrientationLayout::of(group(g))) return append_axes(xml, *orientation, values);
    append_array<double>(xml, "Float64", group(g).quantity(), group(g).n_components(), values);
  }

  void append_axes(std::string& xml, const OrientationLayout& orientation, std::span<const double> values) {
    const std::size_t width = values.size() / n_;
    std::array<std::vector<double>, 3> axes;
    for (std::size_t body = 0; body < n_; ++body) {
      const Eigen::Matrix3d R = orientation.rotation(values.data() + body * width);
      for (int axis = 0; axis < 3; ++axis)
        for (int i = 0; i < 3; ++i) axes[static_cast<std::size_t>(axis)].push_back(R(i, axis));
    }
    const std::array<std::string, 3> names{"axis_x", "axis_y", "axis_z"};
    for (std::size_t axis = 0; axis < 3; ++axis) append_array<double>(xml, "Float64", names[axis], 3, axes[axis]);
  }

  const ResultsReader& reader_;
  const std::vector<RecordGroup>& groups_;
  int position_ = -1;
  std::size_t n_ = 0;
  std::vector<std::int32_t> ids_;
  std::vector<std::int64_t> connectivity_, ends_;
  std::vector<double> numbers_;
  std::vector<Surface> surfaces_;
  int orientation_ = -1;
  std::size_t n_corners_ = 0;
  std::vector<std::int64_t> polygon_corners_, polygon_ends_;
  std::vector<std::int32_t> polygon_bodies_;
};

void write_file(const std::filesystem::path& path, const std::string& text) {
  TextFile file(path,
                text_kind("a part of a scene of Trammel", {"body,name\n", "<?xml version=\"1.0\"?>\n<VTKFile type="}));
  file.write(text);
  file.close();
}

}  // namespace

std::filesystem::path export_vtk(const ResultsReader& reader, const std::filesystem::path& folder) {
  VtkExport vtk(reader);
  make_folder(folder / "frames");
  std::string collection =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
      "<Collection>\n";
  for (std::int64_t row = 0; row < reader.n_frames(); ++row) {
    const std::string name = fmt::format("frames/frame_{:06}.vtp", row);
    write_file(folder / name, vtk.frame(row));
    const auto add = [&](int part, const std::string& file) {
      collection += fmt::format("<DataSet timestep=\"{}\" group=\"\" part=\"{}\" file=\"{}\"/>\n",
                                reader.times()[static_cast<std::size_t>(row)], part, file);
    };
    add(0, name);
    if (!vtk.has_shapes()) continue;
    const std::string shapes = fmt::format("frames/shapes_{:06}.vtp", row);
    write_file(folder / shapes, vtk.shapes(row));
    add(1, shapes);
  }
  write_file(folder / "bodies.csv", vtk.names());
  const std::filesystem::path path = folder / "results.pvd";
  write_file(path, collection + "</Collection>\n</VTKFile>\n");
  return path;
}

}  // namespace trammel
