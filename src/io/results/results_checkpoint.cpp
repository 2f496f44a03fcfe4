// SPDX-License-Identifier: Apache-2.0
#include "results_checkpoint.h"

#include <zlib.h>

#include <array>
#include <cstring>

#include "results_layout.h"

namespace trammel {

namespace {

// One page each (results_create.cpp): small memories take little room.
constexpr hsize_t place_chunk = 4096;

struct Head {
  std::array<char, 8> mark{'t', 'r', 'a', 'm', 'm', 'e', 'l', '1'};
  std::uint64_t number = 0;
  double t = 0.0;
  std::int64_t n_frames = 0, n_steps = 0;
  std::uint64_t length = 0;
  std::uint64_t crc = 0;  // of the head with 0 in this place, and of the memory
};

std::uint64_t calc_crc(Head head, const std::byte* memory, std::size_t n) {
  head.crc = 0;
  uLong value = crc32_z(0, reinterpret_cast<const unsigned char*>(&head), sizeof(head));
  return crc32_z(value, reinterpret_cast<const unsigned char*>(memory), n);
}

std::optional<ResultsCheckpoint> read_place(const hdf5::OwnDataset& place, double most, std::uint64_t& number,
                                            std::string& trouble) {
  if (!place.dataset.valid()) {
    trouble = place.trouble;
    return {};
  }
  if (place.extent.size() != 1 || static_cast<double>(place.extent[0]) > most) {
    trouble = "its checkpoint is not one of ours";
    return {};
  }
  std::vector<std::byte> bytes(place.extent[0]);
  if (bytes.empty()) return {};
  trouble = "its checkpoint is damaged";
  Head head;
  if (bytes.size() < sizeof(head) ||
      H5Dread(place.dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) < 0)
    return {};
  std::memcpy(&head, bytes.data(), sizeof(head));
  if (head.mark != Head{}.mark || head.length > bytes.size() - sizeof(head) ||
      head.crc != calc_crc(head, bytes.data() + sizeof(head), head.length))
    return {};
  trouble.clear();
  number = head.number;
  const auto begin = bytes.begin() + sizeof(head);
  return ResultsCheckpoint{
      head.t, head.n_frames, head.n_steps, {begin, begin + static_cast<std::ptrdiff_t>(head.length)}};
}

}  // namespace

void CheckpointPlaces::create(hid_t file, const std::filesystem::path& path) {
  const hdf5::Handle links = hdf5::properties(H5Pcreate(H5P_LINK_CREATE));
  H5Pset_create_intermediate_group(links, 1);
  const hsize_t extent = 0, limit = H5S_UNLIMITED;
  const hdf5::Handle how = hdf5::properties(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_chunk(how, 1, &place_chunk);
  for (const std::string& at : layout::checkpoints) {
    const hdf5::Handle space = hdf5::dataspace(H5Screate_simple(1, &extent, &limit));
    hdf5::dataset(hdf5::check(H5Dcreate2(file, at.c_str(), H5T_NATIVE_UINT8, space, links, how, H5P_DEFAULT), path,
                              "create '" + at + "' in"));
  }
}

void CheckpointPlaces::open(hid_t file, const std::filesystem::path& path) {
  for (std::size_t i = 0; i < 2; ++i)
    places_[i] = hdf5::dataset(
        hdf5::check(H5Dopen2(file, layout::checkpoints[i].c_str(), H5P_DEFAULT), path, "open the checkpoints of"));
}

void CheckpointPlaces::write(std::int64_t n_frames, std::int64_t n_steps, const std::filesystem::path& path) {
  if (!places_[0].valid() || !waiting_ || waiting_->n_frames > n_frames || waiting_->n_steps > n_steps) return;
  Head head;
  head.number = ++n_written_;
  head.t = waiting_->t, head.n_frames = waiting_->n_frames, head.n_steps = waiting_->n_steps;
  head.length = waiting_->memory.size();
  head.crc = calc_crc(head, waiting_->memory.data(), waiting_->memory.size());
  bytes_.resize(sizeof(head) + head.length);
  std::memcpy(bytes_.data(), &head, sizeof(head));
  std::memcpy(bytes_.data() + sizeof(head), waiting_->memory.data(), head.length);
  waiting_.reset();
  const hid_t place = places_[n_written_ % 2];
  const hdf5::Handle space = hdf5::dataspace(H5Dget_space(place));
  hsize_t extent = 0;
  H5Sget_simple_extent_dims(space, &extent, nullptr);
  // It never shrinks: the head says how much of it counts.
  if (bytes_.size() > extent) {
    extent = bytes_.size();
    hdf5::check(H5Dset_extent(place, &extent), path, "extend a checkpoint of");
  } else {
    bytes_.resize(extent);
  }
  hdf5::check(H5Dwrite(place, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes_.data()), path,
              "write a checkpoint to");
  hdf5::check(H5Dflush(place), path, "write a checkpoint to");
}

void CheckpointPlaces::cut(const std::filesystem::path& path) {
  const hsize_t none = 0;
  for (const hdf5::Handle& place : places_) hdf5::check(H5Dset_extent(place, &none), path, "cut the checkpoints of");
}

void CheckpointPlaces::close() {
  for (hdf5::Handle& place : places_) place.reset();
}

std::optional<ResultsCheckpoint> read_checkpoint(hid_t file, std::int64_t n_frames, std::int64_t n_steps, double most,
                                                 std::string& trouble) {
  std::optional<ResultsCheckpoint> newest;
  std::uint64_t newest_number = 0;
  trouble.clear();
  for (const std::string& at : layout::checkpoints) {
    if (!hdf5::is_in_file(file, at)) {
      trouble = "no checkpoints were asked for, or an earlier version of the program wrote it";
      return {};
    }
    std::uint64_t number = 0;
    std::string here;
    std::optional<ResultsCheckpoint> found = read_place(hdf5::open_own_dataset(file, at), most, number, here);
    if (!here.empty()) trouble = here;
    if (!found || (newest && number < newest_number)) continue;
    if (found->n_frames > n_frames || found->n_steps > n_steps) {
      trouble = "rows before its checkpoint are lost";
      continue;
    }
    newest = std::move(found), newest_number = number;
  }
  if (newest) trouble.clear();
  return newest;
}

std::vector<std::string> find_damaged_checkpoints(hid_t file, double most) {
  std::vector<std::string> damaged;
  for (const std::string& at : layout::checkpoints) {
    if (H5Lexists(file, "/checkpoint", H5P_DEFAULT) <= 0) continue;  // none were asked for
    std::uint64_t number = 0;
    std::string trouble;
    static_cast<void>(read_place(hdf5::open_own_dataset(file, at), most, number, trouble));
    if (!trouble.empty()) damaged.push_back(at);
  }
  return damaged;
}

}  // namespace trammel
