// SPDX-License-Identifier: Apache-2.0
#include "trammel/io/vtk.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sample_run.h"
#include "trammel/io/results_file.h"
#include "trammel/io/results_reader.h"

namespace trammel::test_vtk {
namespace {

using sample::Folder;

// Two bodies; the second is turned by 90° about z: its x axis points along the world's y, its y axis along −x.
void write_two_bodies(const Folder& folder, const std::string& scene = "", double z = std::nan("")) {
  RecordSchema schema;
  if (!scene.empty()) schema.attributes["scene"] = scene;
  schema.frames = {
      {"/frames/position", {"rod", "disc"}, {"x", "y", "z"}, "m", "", ""},
      {"/frames/orientation", {"rod", "disc"}, {"x", "y", "z", "w"}, "", "", ""},
      {"/frames/velocity", {"rod", "disc"}, {"x", "y", "z"}, "m/s", "", ""},
      {"/frames/energy", {"total"}, {}, "J", "", ""},
  };
  ResultsFile file(folder / "run.h5");
  file.begin(schema);
  const double c = std::sqrt(0.5);
  for (int row = 0; row < 3; ++row) {
    const double r = row;
    const std::vector<double> values{r, 1, 2, r, 4, z, 0, 0, 0, 1, 0, 0, c, c, 0.5, 0, -1, r, 1.5, 0, 7};
    file.frame(0.1 * row, values);
  }
  file.end({});
}

// Parses with the standard library's XML parser and decodes the arrays as VTK does: base64 of a 64-bit length and data.
TEST(ExportVtk, writes_frames_that_decode_to_the_recorded_motion) {
  const Folder folder;
  write_two_bodies(folder);
  const ResultsReader reader(folder / "run.h5");
  EXPECT_EQ(export_vtk(reader, folder / "vtk"), folder / "vtk/results.pvd");
  const std::string output = sample::python(folder, R"(
import base64, struct, os, xml.etree.ElementTree as xml
folder = ')" + (folder / "vtk").string() + R"('
collection = xml.parse(folder + '/results.pvd').getroot()
assert collection.get('type') == 'Collection'
sets = collection.findall('Collection/DataSet')
assert [float(s.get('timestep')) for s in sets] == [0.0, 0.1, 0.2]
def array(element):
    raw = base64.b64decode(element.text, validate=True)
    size, = struct.unpack('<Q', raw[:8])
    assert size == len(raw) - 8
    code, width = {'Float64': ('d', 8), 'Int32': ('i', 4), 'Int64': ('q', 8)}[element.get('type')]
    return struct.unpack('<%d%s' % (size // width, code), raw[8:])
root = xml.parse(os.path.join(folder, sets[2].get('file'))).getroot()
assert root.get('type') == 'PolyData' and root.get('header_type') == 'UInt64'
piece = root.find('PolyData/Piece')
assert piece.get('NumberOfPoints') == '2' and piece.get('NumberOfVerts') == '2'
points = array(piece.find('Points/DataArray'))
assert points[:5] == (2, 1, 2, 2, 4) and points[5] != points[5]
data = {a.get('Name'): (int(a.get('NumberOfComponents')), array(a)) for a in piece.findall('PointData/DataArray')}
assert set(data) == {'body', 'axis_x', 'axis_y', 'axis_z', 'velocity'}, set(data)
assert data['body'] == (1, (0, 1))
assert data['velocity'] == (3, (0.5, 0, -1, 2, 1.5, 0))
near = lambda a, b: all(abs(x - y) < 1e-15 * 4 for x, y in zip(a, b))
assert near(data['axis_x'][1], (1, 0, 0, 0, 1, 0))
assert near(data['axis_y'][1], (0, 1, 0, -1, 0, 0))
assert near(data['axis_z'][1], (0, 0, 1, 0, 0, 1))
verts = {a.get('Name'): array(a) for a in piece.findall('Verts/DataArray')}
assert verts == {'connectivity': (0, 1), 'offsets': (1, 2)}
print('fine')
)");
  EXPECT_EQ(output, "fine\n");
  EXPECT_EQ(sample::read_text(folder / "vtk/bodies.csv"), "body,name\n0,rod\n1,disc\n");
}

// A closed surface of a body: V = Σ over its polygons of p·(a × b)/6, the divergence theorem; a body that is moved and
// turned keeps it. The scene is what a run records.
TEST(ExportVtk, shows_the_shapes_of_bodies_where_they_are) {
  const Folder folder;
  const std::string scene = R"({"shapes": [
    {"body": 0, "kind": "box", "position": [1, 0, 0], "quaternion": [1, 0, 0, 0], "size": [1, 2, 3]},
    {"body": 1, "kind": "cylinder", "position": [0, 0, 0], "quaternion": [1, 0, 0, 0], "radius": 1, "length": 2},
    {"body": 1, "kind": "sphere", "position": [0, 0, 0], "quaternion": [1, 0, 0, 0], "radius": 1},
    {"body": 1, "kind": "no such", "position": [0, 0, 0], "quaternion": [1, 0, 0, 0]},
    {"body": -1, "kind": "mesh", "position": [0, 0, 0], "quaternion": [1, 0, 0, 0],
     "vertices": [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1], "triangles": [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3, 1, 2, 99]}]})";
  write_two_bodies(folder, scene, 5.0);
  const ResultsReader reader(folder / "run.h5");
  export_vtk(reader, folder / "vtk");
  const std::string output = sample::python(folder, R"(
import base64, math, struct, xml.etree.ElementTree as xml
folder = ')" + (folder / "vtk").string() + R"('
sets = xml.parse(folder + '/results.pvd').getroot().findall('Collection/DataSet')
assert [s.get('part') for s in sets] == ['0', '1'] * 3
def array(element):
    raw = base64.b64decode(element.text)[8:]
    code, width = {'Float64': ('d', 8), 'Int32': ('i', 4), 'Int64': ('q', 8)}[element.get('type')]
    return struct.unpack('<%d%s' % (len(raw) // width, code), raw)
piece = xml.parse(folder + '/frames/shapes_000000.vtp').getroot().find('PolyData/Piece')
numbers = array(piece.find('Points/DataArray'))
points = [numbers[i:i + 3] for i in range(0, len(numbers), 3)]
cells = {a.get('Name'): array(a) for a in piece.findall('Polys/DataArray')}
bodies = array(piece.find('CellData/DataArray'))
volume, first = {}, 0
for body, end in zip(bodies, cells['offsets']):
    corners = [points[i] for i in cells['connectivity'][first:end]]
    first = end
    for a, b in zip(corners[1:], corners[2:]):
        p = corners[0]
        volume[body] = volume.get(body, 0) + sum(
            p[i] * (a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3]) for i in range(3)) / 6
n = 32
prism = n / 2 * math.sin(2 * math.pi / n)  # area of the regular polygon in the unit circle
assert abs(volume[0] - 6) < 1e-12, volume
assert abs(volume[-1] - 1 / 6) < 1e-12, volume
sphere = volume[1] - 2 * prism
assert 0.97 * 4 / 3 * math.pi < sphere < 4 / 3 * math.pi, sphere
assert min(p[0] for p in points[:8]) == 0.5, points[:8]  # the box, one metre off its body at x = 0
print('fine')
)");
  EXPECT_EQ(output, "fine\n");
}

TEST(ExportVtk, refuses_results_without_positions) {
  const Folder folder;
  RecordSchema schema;
  schema.frames = {{"/frames/energy", {"total"}, {}, "J", "", ""}};
  ResultsFile file(folder / "run.h5");
  file.begin(schema);
  file.end({});
  const ResultsReader reader(folder / "run.h5");
  EXPECT_NE(sample::message_of([&] { export_vtk(reader, folder / "vtk"); }).find("no positions of bodies"),
            std::string::npos);
}

}  // namespace
}  // namespace trammel::test_vtk
