// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>

#include "answer.h"
#include "mutate.h"
#include "scratch.h"
#include "trammel/io/csv.h"
#include "trammel/io/model_reader.h"

// Meshes and tables, as a model reads them.

namespace trammel::fuzz {

namespace {

std::string read_model_of(std::string_view bytes, const std::string& text) {
  return answer(bytes, [&] {
    static_cast<void>(read_study_text(text, scratch() / "model.toml"));
    return std::string();
  });
}

// The first byte says which kind of file: 'o' is OBJ, everything else STL.
std::string run_mesh(std::string_view bytes) {
  const bool obj = !bytes.empty() && bytes[0] == 'o';
  if (!bytes.empty()) bytes.remove_prefix(1);
  const std::string name = obj ? "fuzzed.obj" : "fuzzed.stl";
  write_scratch(name, bytes);
  return read_model_of(bytes,
                       "[[body]]\nname = \"b\"\nmass = 1\ninertia = [1, 1, 1]\n[[geometry]]\nbody = \"b\"\n"
                       "kind = \"mesh\"\nscale = 0.001\nfile = \"" +
                           name + "\"\n");
}

std::string binary_stl(std::uint32_t triangles) {
  std::string bytes = "s" + std::string(80, ' ') + std::string(4 + 50 * triangles, '\0');
  std::memcpy(bytes.data() + 81, &triangles, sizeof triangles);
  for (std::uint32_t i = 0; i < 9 * triangles; ++i) {
    const float x = static_cast<float>(i % 7) * 0.25f;
    std::memcpy(bytes.data() + 85 + 50 * (i / 9) + 12 + 4 * (i % 9), &x, sizeof x);
  }
  return bytes;
}

std::vector<std::string> mesh_seeds() {
  return {
      "oo name\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvn 0 0 1\nf 1 3 2\nf 1/1 2/1 4/1\nf -1//1 -2//1 -3//1\n"
      "f 1 2 3 4\n",
      "ssolid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1e-3 0\nendloop\nendfacet\n"
      "facet normal 0 0 1\nouter loop\nvertex 0 0 1\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid x\n",
      binary_stl(1), binary_stl(4)};
}

std::string mutate_mesh(const std::string& bytes, Random& random) {
  static const std::vector<std::string> words{
      "v ",   "f ", "vertex ", "facet normal 0 0 1\n", "endfacet\n",  "solid ", "\n", "1//", "-1 ", "nan", "inf",
      "1e39", "-",  "\r\n",    " 2147483648",          " -2147483648"};
  return random.one_in(3) ? mutate_bytes(bytes, random) : mutate_text(bytes, random, words, mesh_seeds());
}

std::string run_table(std::string_view bytes) {
  const std::filesystem::path path = write_scratch("fuzzed.csv", bytes);
  const std::string answered = answer(bytes, [&] {
    const Table table = read_table_csv(path);
    for (const std::string& name : table.names) static_cast<void>(table.column(name));
    return std::string();
  });
  if (!answered.empty()) return answered;
  return read_model_of(bytes,
                       "[[table]]\nname = \"curve\"\nfile = \"fuzzed.csv\"\n[[body]]\nname = \"b\"\nmass = 1\n"
                       "inertia = [1, 1, 1]\n[[measure]]\nname = \"m\"\nexpression = \"table(curve, t)\"\n");
}

std::vector<std::string> table_seeds() {
  return {"x,y\n0,0\n1,2\n2,1\n3,4\n", "\"time [s]\";\"angle [rad]\"\n0,0;1,5\n0,1;1,75\n0,2;2\n",
          "0\t1\t2\n1\t2\t3\n2\t3\t4\n",
          "# a comment\n\n\xEF\xBB\xBFt,\"a \"\"quoted\"\" name\"\r\n0,+1e-3\r\n1,-2E5\r\n"};
}

std::string mutate_table(const std::string& bytes, Random& random) {
  static const std::vector<std::string> words{",",    ";", "\t",           "\n",  "\r\n",    "\"",
                                              "\"\"", "#", "\xEF\xBB\xBF", "nan", "inf",     "1e999",
                                              "-",    "+", "0x1p3",        " ",   "time [s]"};
  return mutate_text(bytes, random, words, table_seeds());
}

}  // namespace

Target mesh_target() { return {"mesh", "a mesh, STL or OBJ", 4096, 5000, run_mesh, mesh_seeds, mutate_mesh}; }

Target table_target() { return {"table", "a table, CSV", 4096, 5000, run_table, table_seeds, mutate_table}; }

}  // namespace trammel::fuzz
