#include "png.h"

#include "trammel/base/error.h"

#if !TRAMMEL_HAS_PNG

namespace trammel {

bool can_write_png() { return false; }

void write_png(const std::string&, const std::filesystem::path&, double) {
  throw IoError("this build of trammel writes no PNG");
}

}  // namespace trammel

#else

#include <fmt/format.h>
#include <librsvg/rsvg.h>

#include <cmath>
#include <memory>

namespace trammel {

namespace {

template <auto release>
struct Release {
  template <class T>
  void operator()(T* object) const {
    release(object);
  }
};
using Drawing = std::unique_ptr<RsvgHandle, Release<g_object_unref>>;
using Surface = std::unique_ptr<cairo_surface_t, Release<cairo_surface_destroy>>;
using Context = std::unique_ptr<cairo_t, Release<cairo_destroy>>;
using Reason = std::unique_ptr<GError, Release<g_error_free>>;

}  // namespace

bool can_write_png() { return true; }

void write_png(const std::string& svg, const std::filesystem::path& path, double scale) {
  const auto refuse = [&](const char* reason) {
    throw IoError(fmt::format("cannot write '{}': {}", path.string(), reason));
  };
  GError* error = nullptr;
  const Drawing drawing(
      rsvg_handle_new_from_data(reinterpret_cast<const guint8*>(svg.data()), static_cast<gsize>(svg.size()), &error));
  if (!drawing) refuse(Reason(error)->message);
  double width = 0.0, height = 0.0;
  if (rsvg_handle_get_intrinsic_size_in_pixels(drawing.get(), &width, &height) == FALSE) refuse("it has no size");
  width = std::ceil(scale * width), height = std::ceil(scale * height);
  const Surface surface(
      cairo_image_surface_create(CAIRO_FORMAT_ARGB32, static_cast<int>(width), static_cast<int>(height)));
  const Context context(cairo_create(surface.get()));
  const RsvgRectangle viewport{0.0, 0.0, width, height};
  if (rsvg_handle_render_document(drawing.get(), context.get(), &viewport, &error) == FALSE)
    refuse(Reason(error)->message);
  const cairo_status_t status = cairo_surface_write_to_png(surface.get(), path.c_str());
  if (status != CAIRO_STATUS_SUCCESS) refuse(cairo_status_to_string(status));
}

}  // namespace trammel

#endif
