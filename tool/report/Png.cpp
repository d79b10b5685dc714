// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hands the picture to librsvg, and what it draws to cairo.
#include "report/Png.h"

#include "llvm/ADT/Twine.h"
#include <algorithm>
#include <librsvg/rsvg.h>
#include <memory>

using namespace llvm;

namespace kinstr::report {

namespace {

struct Release {
  void operator()(RsvgHandle *H) const { g_object_unref(H); }
  void operator()(cairo_surface_t *S) const { cairo_surface_destroy(S); }
  void operator()(cairo_t *C) const { cairo_destroy(C); }
  void operator()(GError *E) const { g_error_free(E); }
};
template <typename T> using Handle = std::unique_ptr<T, Release>;

} // namespace

/// Cairo's largest picture has sides of 32767 pixels.
static constexpr double MostPixels = 32767;

static Error fail(const Twine &Message) {
  return createStringError(inconvertibleErrorCode(), Message);
}

static Error fail(GError *E) {
  Handle<GError> Owner(E);
  return fail(E ? StringRef(E->message).trim() : "librsvg gives no reason");
}

static cairo_status_t append(void *Out, const unsigned char *Data,
                             unsigned Length) {
  static_cast<std::string *>(Out)->append(reinterpret_cast<const char *>(Data),
                                          Length);
  return CAIRO_STATUS_SUCCESS;
}

Expected<std::string> renderPng(StringRef Svg, double Scale) {
  GError *Why = nullptr;
  Handle<RsvgHandle> Picture(rsvg_handle_new_from_data(
      reinterpret_cast<const guint8 *>(Svg.data()), Svg.size(), &Why));
  double Width = 0, Height = 0;
  if (!Picture)
    return fail(Why);
  if (!rsvg_handle_get_intrinsic_size_in_pixels(Picture.get(), &Width, &Height))
    return fail("the picture has no size");
  Width *= Scale;
  Height *= Scale;
  if (!(Width <= MostPixels && Height <= MostPixels))
    return fail("a picture of " + Twine(static_cast<uint64_t>(Width)) + " x " +
                Twine(static_cast<uint64_t>(Height)) +
                " pixels is too large for PNG; a smaller '--png-scale' helps");
  Handle<cairo_surface_t> Surface(cairo_image_surface_create(
      CAIRO_FORMAT_ARGB32, static_cast<int>(Width), static_cast<int>(Height)));
  Handle<cairo_t> Cairo(cairo_create(Surface.get()));
  RsvgRectangle Page{0, 0, Width, Height};
  if (!rsvg_handle_render_document(Picture.get(), Cairo.get(), &Page, &Why))
    return fail(Why);
  std::string Out;
  cairo_status_t Status =
      cairo_surface_write_to_png_stream(Surface.get(), append, &Out);
  if (Status != CAIRO_STATUS_SUCCESS)
    return fail(cairo_status_to_string(Status));
  return Out;
}

} // namespace kinstr::report
