// SPDX-License-Identifier: Apache-2.0
#include "scratch.h"

#include <unistd.h>

#include <fstream>
#include <sstream>

#include "places.h"

namespace trammel::fuzz {

namespace fs = std::filesystem;

namespace {

class Scratch {
 public:
  Scratch() {
    const fs::path memory = "/dev/shm";
    const bool writable = access(memory.c_str(), W_OK) == 0;
    path = (writable ? memory : fs::temp_directory_path()) / ("trammel_fuzz_" + std::to_string(getpid()));
    fs::create_directories(path);
    const fs::path examples = places::source_dir() / "examples";
    fs::copy(examples / "12_carriage/parts", path / "parts");
    fs::copy(examples / "15_passenger_car/parts", path / "car");
    std::ofstream(path / "table.csv") << "x,y\n0,0\n1,2\n2,1\n3,4\n";
    std::ofstream(path / "mesh.obj") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    std::ofstream(path / "part.toml") << "[parameters]\nL = 1\n[[body]]\nname = \"rod\"\nmass = \"2*L\"\n"
                                         "inertia = [0.01, 0.1, 0.1]\nposition = [\"L/2\", 0, 0]\n";
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  fs::path path;
};

}  // namespace

const fs::path& scratch() {
  static const Scratch folder;
  return folder.path;
}

fs::path write_scratch(const std::string& name, std::string_view bytes) {
  const fs::path path = scratch() / name;
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return path;
}

std::string read_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace trammel::fuzz
