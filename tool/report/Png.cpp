// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hands the picture to librsvg, and what it draws to cairo. They are loaded
// when a picture is asked for: they bring some forty libraries, and the other
// outputs are to start fast and to work where there is no desktop.
#include "report/Png.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/DynamicLibrary.h"
#include <librsvg/rsvg.h>
#include <memory>

using namespace llvm;

namespace kinstr::report {

namespace {

/// A function of one of the libraries, null where it was not found.
template <typename Fn> class Function {
public:
  explicit Function(const char *Name)
      : Address(reinterpret_cast<Fn *>(
            sys::DynamicLibrary::SearchForAddressOfSymbol(Name))) {}

  explicit operator bool() const { return Address; }
  template <typename... Args> auto operator()(Args... Values) const {
    return Address(Values...);
  }

private:
  Fn *Address;
};

// A name, not an expression.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define KINSTR_FUNCTION_OF(NAME)                                               \
  Function<decltype(::NAME)> NAME { #NAME }
// NOLINTEND(bugprone-macro-parentheses)

/// What is used of librsvg and the libraries it brings.
struct Libraries {
  static Expected<const Libraries *> load();

  KINSTR_FUNCTION_OF(rsvg_handle_new_from_data);
  KINSTR_FUNCTION_OF(rsvg_handle_get_intrinsic_size_in_pixels);
  KINSTR_FUNCTION_OF(rsvg_handle_render_document);
  KINSTR_FUNCTION_OF(g_object_unref);
  KINSTR_FUNCTION_OF(g_error_free);
  KINSTR_FUNCTION_OF(cairo_image_surface_create);
  KINSTR_FUNCTION_OF(cairo_surface_destroy);
  KINSTR_FUNCTION_OF(cairo_surface_write_to_png_stream);
  KINSTR_FUNCTION_OF(cairo_create);
  KINSTR_FUNCTION_OF(cairo_destroy);
  KINSTR_FUNCTION_OF(cairo_status_to_string);

private:
  bool complete() const {
    return rsvg_handle_new_from_data &&
           rsvg_handle_get_intrinsic_size_in_pixels &&
           rsvg_handle_render_document && g_object_unref && g_error_free &&
           cairo_image_surface_create && cairo_surface_destroy &&
           cairo_surface_write_to_png_stream && cairo_create && cairo_destroy &&
           cairo_status_to_string;
  }
};

#undef KINSTR_FUNCTION_OF

/// Owns what one of the libraries made.
struct Release {
  const Libraries *L;

  void operator()(RsvgHandle *H) const { L->g_object_unref(H); }
  void operator()(cairo_surface_t *S) const { L->cairo_surface_destroy(S); }
  void operator()(cairo_t *C) const { L->cairo_destroy(C); }
  void operator()(GError *E) const { L->g_error_free(E); }
};
template <typename T> using Handle = std::unique_ptr<T, Release>;

} // namespace

/// Cairo's largest picture has sides of 32767 pixels.
static constexpr double MostPixels = 32767;

static Error fail(const Twine &Message) {
  return createStringError(inconvertibleErrorCode(), Message);
}

Expected<const Libraries *> Libraries::load() {
  // cairo and GObject come with it.
  std::string Why;
  if (sys::DynamicLibrary::LoadLibraryPermanently("librsvg-2.so.2", &Why))
    return fail("PNG needs librsvg: " + Why);
  static const Libraries Found;
  if (!Found.complete())
    return fail("PNG needs a later librsvg (2.52)");
  return &Found;
}

static Error fail(const Libraries &L, GError *E) {
  Handle<GError> Owner(E, Release{&L});
  return fail(E ? StringRef(E->message).trim() : "librsvg gives no reason");
}

static cairo_status_t append(void *Out, const unsigned char *Data,
                             unsigned Length) {
  static_cast<std::string *>(Out)->append(reinterpret_cast<const char *>(Data),
                                          Length);
  return CAIRO_STATUS_SUCCESS;
}

Expected<std::string> renderPng(StringRef Svg, double Scale) {
  Expected<const Libraries *> Loaded = Libraries::load();
  if (!Loaded)
    return Loaded.takeError();
  const Libraries &L = **Loaded;
  const Release Releasing{&L};
  GError *Why = nullptr;
  Handle<RsvgHandle> Picture(
      L.rsvg_handle_new_from_data(reinterpret_cast<const guint8 *>(Svg.data()),
                                  Svg.size(), &Why),
      Releasing);
  double Width = 0, Height = 0;
  if (!Picture)
    return fail(L, Why);
  if (!L.rsvg_handle_get_intrinsic_size_in_pixels(Picture.get(), &Width,
                                                  &Height))
    return fail("the picture has no size");
  Width *= Scale;
  Height *= Scale;
  if (!(Width <= MostPixels && Height <= MostPixels))
    return fail("a picture of " + Twine(static_cast<uint64_t>(Width)) + " x " +
                Twine(static_cast<uint64_t>(Height)) +
                " pixels is too large for PNG; a smaller '--png-scale' helps");
  Handle<cairo_surface_t> Surface(
      L.cairo_image_surface_create(CAIRO_FORMAT_ARGB32, static_cast<int>(Width),
                                   static_cast<int>(Height)),
      Releasing);
  Handle<cairo_t> Cairo(L.cairo_create(Surface.get()), Releasing);
  RsvgRectangle Page{0, 0, Width, Height};
  if (!L.rsvg_handle_render_document(Picture.get(), Cairo.get(), &Page, &Why))
    return fail(L, Why);
  std::string Out;
  cairo_status_t Status =
      L.cairo_surface_write_to_png_stream(Surface.get(), append, &Out);
  if (Status != CAIRO_STATUS_SUCCESS)
    return fail(L.cairo_status_to_string(Status));
  return Out;
}

} // namespace kinstr::report
