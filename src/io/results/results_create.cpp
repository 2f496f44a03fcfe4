// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <limits>
#include <optional>
#include <utility>

#include "results_checkpoint.h"
#include "results_layout.h"
#include "results_tables.h"
#include "trammel/base/version.h"
#include "trammel/simulation/channels.h"

namespace trammel {

namespace {

using hdf5::Handle;

// The operating system may stop a write of a killed process between two of its pages: a block of metadata that crosses
// such a boundary is left torn (one kill in some 500), and HDF5 then refuses what the block describes. Aligned to 4096,
// a page, no block of up to a page crosses one: dataset headers (284 bytes), and index blocks of up to 8176 chunks,
// that is 4 million rows of a scalar and 1 GB of a wide dataset. (HDF5's paged
// allocation does the same, but crashes when the disk is full.)
constexpr hsize_t page_bytes = 4096;

constexpr unsigned most_compact_attributes = 1000, most_compact_links = 1000;

class Creator {
 public:
  Creator(const std::filesystem::path& working, const std::filesystem::path& path, const RecordSchema& schema,
          int max_views, hdf5::IoStatus& status, Checksums& sums, Handle& file)
      : working_(working),
        path_(path),
        schema_(schema),
        max_views_(max_views),
        status_(status),
        checksums_(sums),
        file_(file),
        links_(hdf5::properties(H5Pcreate(H5P_LINK_CREATE))) {
    H5Pset_create_intermediate_group(links_, 1);
    H5Pset_char_encoding(links_, H5T_CSET_UTF8);
  }

  void create() {
    const Handle access = hdf5::checked_access(status_);
    // The root's attributes stay in its header, which is the first thing of a file: also a damaged one says whose it
    // is.
    const Handle how = hdf5::properties(H5Pcreate(H5P_FILE_CREATE));
    H5Pset_attr_phase_change(how, most_compact_attributes, most_compact_attributes - 1);
    // What is left between aligned parts fits nothing, and HDF5 would look through all of it for every new block of
    // rows.
    H5Pset_file_space_strategy(how, H5F_FSPACE_STRATEGY_NONE, false, 1);
    errno = 0;
    file_ = hdf5::file(opened(H5Fcreate(working_.c_str(), H5F_ACC_TRUNC, how, access)));
    fixed_part();
    check(file_.reset(), "create");
    hdf5::check(status_, path_, "create");
    align_pages(access);
    errno = 0;
    file_ = hdf5::file(opened(H5Fopen(working_.c_str(), H5F_ACC_RDWR, access)));
    growing_part();
    hdf5::check(status_, path_, "create");
  }

  void replace_texts(const std::vector<std::string>& keys) {
    const Handle root = hdf5::group(check(H5Gopen2(file_, "/", H5P_DEFAULT), "open the root of"));
    for (const std::string& key : keys) {
      if (H5Aexists(root, key.c_str()) > 0) check(H5Adelete(root, key.c_str()), "change texts of");
      if (H5Lexists(root, key.c_str(), H5P_DEFAULT) > 0) check(H5Ldelete(root, key.c_str(), H5P_DEFAULT), "change");
      checksums_.erase("/" + key);
      text(root, key, schema_.attributes.at(key));
    }
  }

 private:
  hid_t check(hid_t id, std::string_view doing) const { return hdf5::check(id, path_, doing); }

  // HDF5 looks at names itself before it calls the driver, and does not say what the system said.
  hid_t opened(hid_t id) const {
    if (id < 0 && status_.error == 0) status_.error = errno;
    if (id < 0) hdf5::check(status_, path_, "create");
    return check(id, "create");
  }

  // What never changes once it is made, packed: thousands of views would fill thousands of pages.
  void fixed_part() {
    texts();
    ordered_folder("/frames");
    ordered_folder("/solver");
    for (const RecordGroup& group : schema_.frames) names(group);
    for (const RecordGroup& group : schema_.solver) names(group);
    files();
    views();
  }

  void files() {
    for (std::size_t i = 0; i < schema_.files.size(); ++i) {
      const RecordedFile& file = schema_.files[i];
      const std::string at = layout::files + "/" + std::to_string(i);
      text_dataset(at, file.bytes);
      const Handle made = hdf5::dataset(check(H5Dopen2(file_, at.c_str(), H5P_DEFAULT), "open '" + at + "' in"));
      hdf5::write_attribute(made, "name", file.name);
      hdf5::write_attribute(made, "size", std::to_string(file.bytes.size()));
    }
  }

  // What is written to while the machine moves, each block in its own page.
  void growing_part() {
    const std::size_t frames = rows_per_block(schema_.frames), steps = rows_per_block(schema_.solver);
    time(layout::times[0], "recorded times", frames);
    for (const RecordGroup& group : schema_.frames) quantity(group, frames);
    time(layout::times[1], "end of each integrator step", steps);
    for (const RecordGroup& group : schema_.solver) quantity(group, steps);
    pairs("/summary", "key and value; an empty key continues the value above");
    if (schema_.checkpoints) CheckpointPlaces::create(file_, path_);
    pairs(layout::checksums, "of texts, and of the summary when the run has ended; `trammel verify` compares them");
    ChunkSums::create(file_, schema_, path_);
  }

  // Readers recover the schema order from the order of creation.
  void ordered_folder(const char* at) {
    const Handle order = hdf5::properties(H5Pcreate(H5P_GROUP_CREATE));
    H5Pset_link_creation_order(order, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Pset_link_phase_change(order, most_compact_links, most_compact_links - 1);  // in the header, under its checksum
    hdf5::group(check(H5Gcreate2(file_, at, links_, order, H5P_DEFAULT), "create a folder in"));
  }

  void texts() {
    const Handle root = hdf5::group(check(H5Gopen2(file_, "/", H5P_DEFAULT), "open the root of"));
    hdf5::write_attribute(root, "format", layout::format);
    hdf5::write_attribute(root, "format_version", layout::format_version);
    if (!schema_.attributes.count("trammel_version")) hdf5::write_attribute(root, "trammel_version", version());
    for (const auto& [key, words] : schema_.attributes)
      if (key != "format" && key != "format_version") text(root, key, words);
  }

  void text(hid_t root, const std::string& key, const std::string& words) {
    if (key == "model" || words.size() > layout::longest_attribute)
      text_dataset("/" + key, words);
    else
      hdf5::write_attribute(root, key, words);
  }

  void text_dataset(const std::string& at, const std::string& text) {
    const Handle type = hdf5::text_type(text.size());
    const Handle space = hdf5::dataspace(H5Screate(H5S_SCALAR));
    write_cells(at, type, space, hdf5::pack_texts({text}, std::max<std::size_t>(1, text.size())));
  }

  void text_list(const std::string& at, const std::vector<std::string>& texts) {
    const std::size_t length = hdf5::longest(texts);
    const Handle type = hdf5::text_type(length);
    const hsize_t size = texts.size();
    const Handle space = hdf5::dataspace(H5Screate_simple(1, &size, nullptr));
    write_cells(at, type, space, hdf5::pack_texts(texts, length));
  }

  void write_cells(const std::string& at, hid_t type, hid_t space, const std::vector<char>& cells) {
    const Handle made = hdf5::dataset(
        check(H5Dcreate2(file_, at.c_str(), type, space, links_, H5P_DEFAULT, H5P_DEFAULT), "create '" + at + "' in"));
    check(H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, cells.data()), "write '" + at + "' to");
    Checksum checksum;
    checksum.add(cells.data(), cells.size());
    checksums_[at] = checksum.to_text();
  }

  // Chunks are packed by whoever writes them (RowTable): the filters say how to unpack. Times, which have a fill value,
  // are not packed.
  Handle growing(const std::string& at, std::vector<hsize_t> extent, const std::vector<hsize_t>& chunk,
                 std::optional<double> fill = {}) {
    const int rank = static_cast<int>(extent.size());
    std::vector<hsize_t> limit = extent;
    limit[0] = H5S_UNLIMITED;
    const Handle how = hdf5::properties(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_chunk(how, rank, chunk.data());
    if (!fill) check(H5Pset_shuffle(how), "pack"), check(H5Pset_deflate(how, 1), "pack");
    if (fill) H5Pset_fill_value(how, H5T_NATIVE_DOUBLE, &*fill);
    const Handle space = hdf5::dataspace(H5Screate_simple(rank, extent.data(), limit.data()));
    return hdf5::dataset(check(H5Dcreate2(file_, at.c_str(), H5T_NATIVE_DOUBLE, space, links_, how, H5P_DEFAULT),
                               "create '" + at + "' in"));
  }

  // NaN as fill value: a time that was never written cannot be taken for t = 0.
  void time(const std::string& at, const std::string& description, std::size_t rows) {
    const Handle made = growing(at, {0}, {rows}, std::numeric_limits<double>::quiet_NaN());
    hdf5::write_attribute(made, "unit", "s");
    hdf5::write_attribute(made, "description", description);
  }

  void quantity(const RecordGroup& group, std::size_t rows) {
    if (group.width() == 0) return;
    const auto items = static_cast<hsize_t>(group.n_items());
    const auto components = static_cast<hsize_t>(group.n_components());
    const bool flat = layout::is_flat(group);
    const Handle made =
        flat ? growing(group.path, {0}, {rows})
             : growing(group.path, {0, items, components}, {rows, items_per_chunk(group, rows), components});
    hdf5::write_attribute(made, "unit", group.unit);
    hdf5::write_attribute(made, "description", group.description);
    if (!group.components.empty()) hdf5::write_attribute(made, "components", group.components);
    if (!group.view.empty()) hdf5::write_attribute(made, "view", group.view);
  }

  void names(const RecordGroup& group) {
    if (group.width() == 0 || layout::is_flat(group)) return;
    shared_list(layout::side_path("/names", group), group.names);
    if (!group.item_units.empty()) shared_list(layout::side_path("/units", group), group.item_units);
  }

  // Many quantities have the same items: equal lists are stored once and linked.
  void shared_list(const std::string& at, const std::vector<std::string>& texts) {
    for (const auto& [known, where] : lists_)
      if (*known == texts) {
        checksums_[at] = checksums_[where];
        check(H5Lcreate_hard(file_, where.c_str(), file_, at.c_str(), links_, H5P_DEFAULT), "link names in");
        return;
      }
    text_list(at, texts);
    lists_.emplace_back(&texts, at);
  }

  void views() {
    int total = 0;
    for (const std::vector<RecordGroup>* groups : {&schema_.frames, &schema_.solver})
      for (const RecordGroup& group : *groups) {
        if (group.view.empty() || group.n_items() > max_views_ - total) continue;
        total += group.n_items();
        for (int item = 0; item < group.n_items(); ++item) view(group, item);
      }
  }

  // Row r of the view is row r of the wide dataset, for as many rows as that one has when the view is opened.
  void view(const RecordGroup& group, int item) {
    const std::string at = view_path(group, item);
    const auto items = static_cast<hsize_t>(group.n_items());
    const auto components = static_cast<hsize_t>(group.n_components());
    const hsize_t source_extent[3] = {0, items, components}, source_limit[3] = {H5S_UNLIMITED, items, components};
    const hsize_t source_start[3] = {0, static_cast<hsize_t>(item), 0}, source_count[3] = {H5S_UNLIMITED, 1, 1};
    const hsize_t source_block[3] = {1, 1, components};
    const Handle source = hdf5::dataspace(H5Screate_simple(3, source_extent, source_limit));
    H5Sselect_hyperslab(source, H5S_SELECT_SET, source_start, nullptr, source_count, source_block);

    const int rank = components == 1 ? 1 : 2;
    const hsize_t extent[2] = {0, components}, limit[2] = {H5S_UNLIMITED, components};
    const hsize_t start[2] = {0, 0}, count[2] = {H5S_UNLIMITED, 1}, block[2] = {1, components};
    const Handle space = hdf5::dataspace(H5Screate_simple(rank, extent, limit));
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, block);

    const Handle how = hdf5::properties(H5Pcreate(H5P_DATASET_CREATE));
    check(H5Pset_virtual(how, space, ".", group.path.c_str(), source), "map '" + at + "' in");
    Handle made = hdf5::dataset(H5Dcreate2(file_, at.c_str(), H5T_NATIVE_DOUBLE, space, links_, how, H5P_DEFAULT));
    // Two names that become equal in a path (a/b and a_b): the first keeps the view, both stay in the wide dataset.
    if (!made.valid() && H5Lexists(file_, at.c_str(), H5P_DEFAULT) > 0) return;
    check(made, "create '" + at + "' in");
    hdf5::write_attribute(made, "unit", group.unit_of(item));
  }

  void pairs(const std::string& at, const std::string& description) {
    const hsize_t extent[2] = {0, 2}, limit[2] = {H5S_UNLIMITED, 2}, chunk[2] = {32, 2};
    const Handle how = hdf5::properties(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_chunk(how, 2, chunk);
    const Handle space = hdf5::dataspace(H5Screate_simple(2, extent, limit));
    const Handle type = hdf5::text_type(layout::summary_cell);
    const Handle made = hdf5::dataset(
        check(H5Dcreate2(file_, at.c_str(), type, space, links_, how, H5P_DEFAULT), "create '" + at + "' in"));
    hdf5::write_attribute(made, "description", description);
  }

  const std::filesystem::path& working_;
  const std::filesystem::path& path_;
  const RecordSchema& schema_;
  int max_views_;
  hdf5::IoStatus& status_;
  Checksums& checksums_;
  Handle& file_;
  Handle links_;
  std::vector<std::pair<const std::vector<std::string>*, std::string>> lists_;
};

}  // namespace

void align_pages(hid_t access) { H5Pset_alignment(access, 1, page_bytes); }

void create_results(const std::filesystem::path& working, const std::filesystem::path& path, const RecordSchema& schema,
                    int max_views, hdf5::IoStatus& status, Checksums& texts, Handle& file) {
  Creator(working, path, schema, max_views, status, texts, file).create();
}

void replace_texts(const std::filesystem::path& path, const RecordSchema& schema, const std::vector<std::string>& keys,
                   hdf5::IoStatus& status, Checksums& texts, Handle& file) {
  Creator(path, path, schema, 0, status, texts, file).replace_texts(keys);
}

}  // namespace trammel
