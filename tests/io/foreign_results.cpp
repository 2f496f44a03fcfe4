// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <random>

#include "sample_run.h"
#include "trammel/io/results_file.h"
#include "trammel/io/results_reader.h"

// Results of others: crafted, damaged, or with things in them that we did not write.

namespace trammel::test_foreign_results {
namespace {

using sample::Folder;
using sample::message_of;

std::filesystem::path write_sample(const Folder& folder, int n_bodies = 3, int n_rows = 200) {
  const RecordSchema schema = sample::schema(n_bodies);
  ResultsFile file(folder / "run.h5");
  file.begin(schema);
  sample::write_rows(file, schema, n_rows, n_rows);
  file.end({{"stop", "end time reached"}});
  return folder / "run.h5";
}

void change(const Folder& folder, const std::filesystem::path& path, const std::string& script) {
  EXPECT_EQ(sample::python(folder, "import h5py, numpy\nf = h5py.File(r'" + path.string() + "', 'r+')\nfolder = r'" +
                                       (folder / "").string() + "'\n" + script + "\nf.close()\n"),
            "");
}

bool names(const std::vector<DamagedPart>& damaged, const std::string& part) {
  return std::any_of(damaged.begin(), damaged.end(), [&](const DamagedPart& d) { return d.part == part; });
}

TEST(ForeignResults, with_things_of_others_in_them_are_read_all_the_same) {
  const Folder folder;
  const std::filesystem::path path = write_sample(folder);
  const Eigen::MatrixXd before = ResultsReader(path).read("body2.position").values;
  change(folder, path, R"(
f['my_note'] = 1
f['my_text'] = 'a text of any length'
f.attrs['number'] = 5
f.attrs['numbers'] = [1.0, 2.0]
f.create_group('mine/deeper')
f['frames/mine'] = numpy.zeros(7)
f['frames/group/within'] = 3
f['solver/mine'] = numpy.zeros((2, 2))
f['names/mine'] = 4
f['mine/link'] = h5py.SoftLink('/nowhere')
f['elsewhere'] = h5py.ExternalLink('missing.h5', '/x')
f['frames/elsewhere'] = h5py.ExternalLink('missing.h5', '/x')
)");
  const ResultsReader reader(path);
  EXPECT_EQ(reader.n_frames(), 200);
  EXPECT_EQ(reader.read("body2.position").values, before);
  EXPECT_EQ(reader.schema().attributes.at("title"), "A sample");
}

// A file must not make us show other files.
TEST(ForeignResults, lead_to_no_other_file) {
  const Folder folder;
  std::ofstream(folder / "secret.txt") << std::string(2000, 'x') << "the secret" << std::string(2000, 'x');
  for (const std::string craft : {
           // texts stored in another file
           "del f['model']\np = h5py.h5p.create(h5py.h5p.DATASET_CREATE)\n"
           "p.set_external((folder + 'secret.txt').encode(), 0, 4000)\nt = h5py.h5t.C_S1.copy()\nt.set_size(4000)\n"
           "h5py.h5d.create(f.id, b'model', t, h5py.h5s.create(h5py.h5s.SCALAR), p)",
           "del f['names/position']\np = h5py.h5p.create(h5py.h5p.DATASET_CREATE)\n"
           "p.set_external((folder + 'secret.txt').encode(), 0, 3 * 1000)\nt = h5py.h5t.C_S1.copy()\nt.set_size(1000)\n"
           "h5py.h5d.create(f.id, b'names/position', t, h5py.h5s.create_simple((3,)), p)",
           // a link into another file
           "o = h5py.File(folder + 'other.h5', 'w')\no['x'] = numpy.bytes_(b'the secret')\no.close()\ndel f['model']\n"
           "f['model'] = h5py.ExternalLink(folder + 'other.h5', '/x')",
           // numbers of another file
           "o = h5py.File(folder + 'other.h5', 'w')\no['x'] = numpy.full((200, 3, 3), 4242.0)\no.close()\n"
           "a = dict(f['frames/position'].attrs)\ndel f['frames/position']\n"
           "l = h5py.VirtualLayout((200, 3, 3), 'f8')\nl[:] = h5py.VirtualSource(folder + 'other.h5', 'x', (200, 3, "
           "3))\n"
           "d = f.create_virtual_dataset('frames/position', l)\nfor k in a: d.attrs[k] = a[k]",
       }) {
    const std::filesystem::path path = write_sample(folder);
    change(folder, path, craft);
    const ResultsReader reader(path);
    for (const auto& [key, text] : reader.schema().attributes)
      EXPECT_EQ(text.find("the secret"), std::string::npos) << craft;
    for (const std::string& channel : reader.channels()) {
      EXPECT_EQ(channel.find("the secret"), std::string::npos) << craft;
      EXPECT_FALSE((reader.read(channel).values.array() == 4242.0).any()) << craft;
    }
  }
}

TEST(ForeignResults, announce_sizes_that_are_not_believed) {
  const Folder folder;
  for (const auto& [craft, part] : std::vector<std::pair<std::string, std::string>>{
           {"f['frames/position'].resize((10**12, 3, 3))", "/frames/position"},
           {"f['solver/h'].resize((10**15,)) if 'h' in f['solver'] else f['frames/position'].resize((10**15, 3, 3))",
            ""},
           {"del f['names/position']\nf.create_dataset('names/position', shape=(2**44,), dtype='S1048576', "
            "chunks=(1,))",
            "/frames/position"},
           {"f['summary'].resize((2**50, 2))", "/summary"}}) {
    const std::filesystem::path path = write_sample(folder);
    change(folder, path, craft);
    const ResultsReader reader(path);
    EXPECT_EQ(reader.n_frames(), 200) << craft;
    EXPECT_TRUE(part.empty() || names(reader.damaged(), part)) << craft;
    EXPECT_EQ(reader.read("energy.total").values.rows(), 200) << craft;
  }
  const std::filesystem::path path = write_sample(folder);
  change(folder, path, "f['time'].resize((10**12,))");
  EXPECT_NE(message_of([&] { ResultsReader{path}; }).find("announces more than the file holds"), std::string::npos);
}

TEST(ForeignResults, packed_by_hdf5_itself_are_read) {
  const Folder folder;
  const std::filesystem::path path = write_sample(folder);
  const Eigen::MatrixXd before = ResultsReader(path).read("body2.position").values;
  change(folder, path, R"(
a = dict(f['frames/position'].attrs)
x = f['frames/position'][:]
del f['frames/position']
d = f.create_dataset('frames/position', data=x, maxshape=(None, 3, 3), compression='gzip', shuffle=True)
for k in a: d.attrs[k] = a[k]
)");
  EXPECT_EQ(ResultsReader(path).read("body2.position").values, before);
}

// One bit, anywhere in the numbers or texts: verify names the part, the others stay readable.
TEST(Verify, names_the_part_in_which_a_bit_flipped) {
  const Folder folder;
  const std::filesystem::path path = write_sample(folder);
  EXPECT_TRUE(verify_results(path).empty());
  const std::string places = sample::python(folder, "import h5py\nf = h5py.File(r'" + path.string() + R"(', 'r')
for name in ['/frames/position', '/frames/energy', '/solver/time', '/time', '/summary']:
    print(name, f[name].id.get_chunk_info(0).byte_offset + 40)
for name in ['/names/position', '/model']:
    print(name, f[name].id.get_offset() + 1)
)");
  std::istringstream lines(places);
  std::string part;
  std::size_t offset = 0;
  int tried = 0;
  while (lines >> part >> offset) {
    write_sample(folder);
    {
      std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
      file.seekg(static_cast<std::streamoff>(offset));
      const char byte = static_cast<char>(file.get() ^ 0x10);
      file.seekp(static_cast<std::streamoff>(offset));
      file.put(byte);
    }
    const std::vector<DamagedPart> damaged = verify_results(path);
    EXPECT_TRUE(names(damaged, part)) << part;
    EXPECT_EQ(ResultsReader(path).read("body2.velocity").values.rows(), 200) << part;
    ++tried;
  }
  EXPECT_EQ(tried, 7) << places;
}

TEST(Verify, finds_nothing_wrong_with_interrupted_and_repaired_results) {
  const Folder folder;
  const RecordSchema schema = sample::schema();
  {
    ResultsFile file(folder / "killed.h5");
    file.begin(schema);
    sample::write_rows(file, schema, 50, 50);
  }
  EXPECT_TRUE(verify_results(folder / "killed.h5").empty());
  repair_results(folder / "killed.h5", folder / "clean.h5");
  EXPECT_TRUE(verify_results(folder / "clean.h5").empty());
}

TEST(Repair, says_in_its_copy_what_was_damaged) {
  const Folder folder;
  const std::filesystem::path path = write_sample(folder);
  change(folder, path, "f['frames/position'].resize((10**12, 3, 3))");
  repair_results(path, folder / "copy.h5");
  const ResultsReader copy(folder / "copy.h5");
  EXPECT_NE(text_of(copy.summary().at("damaged")).find("/frames/position"), std::string::npos);
  EXPECT_EQ(copy.read("body2.velocity").values.rows(), 200);
}

// Bytes at random places, blocks of zeros, cut ends: whatever comes of it, the process lives and does not hang.
TEST(DamagedResults, never_end_the_process) {
  const Folder folder;
  const std::filesystem::path path = write_sample(folder, 12);
  const std::string whole = sample::read_text(path);
  std::mt19937 random(20261117);
  int died = 0;
  for (int i = 0; i < 150; ++i) {
    std::string bytes = whole;
    // Half of the changes hit the first part, where the descriptions are.
    const auto place = [&] {
      return random() % (i % 2 == 0 ? std::min<std::size_t>(bytes.size(), 120000) : bytes.size());
    };
    if (i % 10 == 9) bytes.resize(place());
    for (unsigned k = 0; k < 1 + random() % 8 && !bytes.empty(); ++k) {
      const std::size_t at = place() % bytes.size();
      if (random() % 4 == 0)
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                    std::min<std::size_t>(random() % 600, bytes.size() - at), '\0');
      else
        bytes[at] = static_cast<char>(random());
    }
    std::ofstream(folder / "damaged.h5", std::ios::binary) << bytes;
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      try {
        static_cast<void>(verify_results(folder / "damaged.h5"));
        const ResultsReader reader(folder / "damaged.h5");
        for (const std::string& channel : reader.channels()) static_cast<void>(reader.read(channel));
      } catch (const Error&) {
      } catch (const std::exception& error) {
        std::fputs(error.what(), stderr);
        _exit(7);
      }
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    ++died;
    ADD_FAILURE() << "file " << i << " ended the process, status " << status;
  }
  EXPECT_EQ(died, 0);
}

}  // namespace
}  // namespace trammel::test_foreign_results
