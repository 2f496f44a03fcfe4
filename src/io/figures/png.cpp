// SPDX-License-Identifier: Apache-2.0
#include "png.h"

#include "trammel/base/error.h"

#include <string_view>

namespace trammel {

std::string png_mark() { return std::string(std::string_view("Software\0Trammel", 16)); }

}  // namespace trammel

#if !TRAMMEL_HAS_PNG

namespace trammel {

std::string find_png_obstacle() {
  return "this build of trammel writes no PNG, only SVG; configure it with -DTRAMMEL_PNG=ON (needs librsvg) for both";
}

void write_png(const std::string&, const std::filesystem::path&, double) { throw IoError(find_png_obstacle()); }

}  // namespace trammel

#else

#include <dlfcn.h>
#include <fmt/format.h>
#include <librsvg/rsvg.h>
#include <zlib.h>

#include <cmath>
#include <cstdint>
#include <memory>

#include "trammel/io/output_kinds.h"
#include "trammel/io/text_file.h"

namespace trammel {

namespace {

// librsvg brings some sixty libraries with it. Bound when the program starts, they would take three quarters of the
// time and half of the memory of every command, so that they are loaded by the first figure that needs them.
constexpr const char* rsvg_library = "librsvg-2.so.2";

struct Rsvg {
  decltype(&rsvg_handle_new_from_data) new_from_data = nullptr;
  decltype(&rsvg_handle_get_intrinsic_size_in_pixels) get_size = nullptr;
  decltype(&rsvg_handle_render_document) render = nullptr;
  decltype(&cairo_image_surface_create) create_surface = nullptr;
  decltype(&cairo_surface_destroy) destroy_surface = nullptr;
  decltype(&cairo_create) create_context = nullptr;
  decltype(&cairo_destroy) destroy_context = nullptr;
  decltype(&cairo_surface_write_to_png_stream) write = nullptr;
  decltype(&cairo_status_to_string) describe = nullptr;
  decltype(&g_object_unref) release = nullptr;
  decltype(&g_error_free) release_error = nullptr;
  std::string missing;  // why it cannot be used; empty: it can

  Rsvg() {
    void* library = dlopen(rsvg_library, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      missing = fmt::format("PNG needs librsvg, which cannot be loaded ({}); SVG does not", dlerror());
      return;
    }
    const auto find = [&]<class F>(F& function, const char* name) {  // in the library or those it brings
      function = reinterpret_cast<F>(dlsym(library, name));
      if (function == nullptr && missing.empty()) missing = dlerror();
    };
    find(new_from_data, "rsvg_handle_new_from_data");
    find(get_size, "rsvg_handle_get_intrinsic_size_in_pixels");
    find(render, "rsvg_handle_render_document");
    find(create_surface, "cairo_image_surface_create");
    find(destroy_surface, "cairo_surface_destroy");
    find(create_context, "cairo_create");
    find(destroy_context, "cairo_destroy");
    find(write, "cairo_surface_write_to_png_stream");
    find(describe, "cairo_status_to_string");
    find(release, "g_object_unref");
    find(release_error, "g_error_free");
  }
};

// Our pictures say whose they are, so that no other one is replaced: a chunk tEXt behind the header, which comes first
// (8 bytes of signature; length, name, 13 bytes and a checksum of IHDR).
constexpr std::size_t end_of_header = 8 + 4 + 4 + 13 + 4;

std::string big_endian(std::uint32_t number) {
  std::string bytes;
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(number >> shift & 0xff);
  return bytes;
}

std::string software_chunk() {
  const std::string typed = "tEXt" + png_mark();
  const auto checksum = crc32(0, reinterpret_cast<const unsigned char*>(typed.data()), static_cast<uInt>(typed.size()));
  return big_endian(static_cast<std::uint32_t>(png_mark().size())) + typed +
         big_endian(static_cast<std::uint32_t>(checksum));
}

const Rsvg& rsvg() {
  static const Rsvg library;
  return library;
}

}  // namespace

std::string find_png_obstacle() { return rsvg().missing; }

void write_png(const std::string& svg, const std::filesystem::path& path, double scale) {
  const Rsvg& lib = rsvg();
  const auto refuse = [&](const std::string& reason) {
    throw IoError(fmt::format("cannot write '{}': {}", path.string(), reason));
  };
  if (!lib.missing.empty()) refuse(lib.missing);
  const auto refuse_for = [&](GError* error) {
    const std::string reason = error->message;
    lib.release_error(error);
    refuse(reason);
  };
  GError* error = nullptr;
  const std::unique_ptr<RsvgHandle, decltype(lib.release)> drawing(
      lib.new_from_data(reinterpret_cast<const guint8*>(svg.data()), static_cast<gsize>(svg.size()), &error),
      lib.release);
  if (!drawing) refuse_for(error);
  double width = 0.0, height = 0.0;
  if (lib.get_size(drawing.get(), &width, &height) == FALSE) refuse("it has no size");
  width = std::ceil(scale * width), height = std::ceil(scale * height);
  const std::unique_ptr<cairo_surface_t, decltype(lib.destroy_surface)> surface(
      lib.create_surface(CAIRO_FORMAT_ARGB32, static_cast<int>(width), static_cast<int>(height)), lib.destroy_surface);
  const std::unique_ptr<cairo_t, decltype(lib.destroy_context)> context(lib.create_context(surface.get()),
                                                                        lib.destroy_context);
  const RsvgRectangle viewport{0.0, 0.0, width, height};
  if (lib.render(drawing.get(), context.get(), &viewport, &error) == FALSE) refuse_for(error);
  std::string bytes;
  const auto append = [](void* to, const unsigned char* data, unsigned int n) {
    static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), n);
    return CAIRO_STATUS_SUCCESS;
  };
  const cairo_status_t status = lib.write(surface.get(), append, &bytes);
  if (status != CAIRO_STATUS_SUCCESS) refuse(lib.describe(status));
  TextFile file(path, picture_kind(path));
  file.write(bytes.substr(0, end_of_header));
  file.write(software_chunk());
  file.write(bytes.substr(end_of_header));
  file.close();
}

}  // namespace trammel

#endif
