// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small writer of SVG: shapes, text, axes and legends.
#ifndef KINSTR_REPORT_SVG_H
#define KINSTR_REPORT_SVG_H

#include "report/Palette.h"
#include "report/Phases.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace kinstr::report {

/// Text for an element or attribute: markup escaped, characters that XML does
/// not allow replaced.
std::string xmlText(llvm::StringRef Text);

/// A coordinate: two decimals at most.
std::string coord(double V);

/// Round values from \p From to \p To, about \p Wanted of them.
std::vector<double> ticks(double From, double To, unsigned Wanted);
/// A tick as text, with the decimals its distance from the next one needs.
std::string tickText(double Value, llvm::ArrayRef<double> Ticks);

/// Estimated width of text: fonts differ, so on the large side [px].
double textWidth(llvm::StringRef Text, double FontSize);
/// \p Text cut to fit, with an ellipsis.
std::string fitText(llvm::StringRef Text, double FontSize, double Width);

enum class Anchoring { Start, Middle, End };

/// How a graphic looks.
struct PictureOptions {
  double Width = 1000; ///< [px]
  bool Dark = false;
  std::string Title; ///< stands where the kernel's name would; "" that name
  /// With more blocks than this, those of an overview that are narrower than
  /// half a pixel are drawn together.
  uint64_t MostBars = 1 << 18;

  static constexpr double MinWidth = 400, MaxWidth = 20000;
};

/// A horizontal axis: where it begins and ends, on the page and in its units.
struct Axis {
  double X = 0, Width = 0; ///< [px]
  double From = 0, To = 1;

  double unitsPerPixel() const { return (To - From) / Width; }
  double at(double Value) const { return X + (Value - From) / unitsPerPixel(); }
  std::vector<double> ticks() const;
};

/// A document. Coordinates are pixels from the top left.
class Svg {
public:
  explicit Svg(const PictureOptions &Options)
      : Options(Options), Colours(theme(Options.Dark)) {}

  const PictureOptions &options() const { return Options; }
  const Theme &colours() const { return Colours; }
  double plotRight() const { return Options.Width - 20; }

  void rect(double X, double Y, double W, double H, llvm::StringRef Fill,
            llvm::StringRef Tooltip = "");
  void line(double X1, double Y1, double X2, double Y2, llvm::StringRef Colour,
            double Width = 1, llvm::StringRef Dashes = "");
  void text(double X, double Y, llvm::StringRef Text, double Size,
            Anchoring A = Anchoring::Start, llvm::StringRef Colour = "",
            bool Bold = false);
  /// Text in as many lines as it takes, the first at \p Y; the y below it.
  double paragraph(double X, double Y, double Width, llvm::StringRef Text,
                   double Size, llvm::StringRef Colour);
  /// Text that reads upwards, centred on the point.
  void verticalText(double X, double Y, llvm::StringRef Text, double Size);
  void raw(llvm::StringRef Markup) { Body += Markup; }

  /// The value for fill= or stroke=; defines the pattern where needed.
  std::string paint(Fill F);

  /// Swatches and names in as many lines as the width takes; the height used.
  double legend(double X, double Y, double Width,
                llvm::ArrayRef<std::pair<std::string, std::string>> Entries);

  /// Line, ticks, labels and title of \p A at \p Y. Labels stand below, or
  /// above where \p Above.
  void axis(const Axis &A, double Y, llvm::StringRef Title, bool Above);
  /// Lines at its ticks from \p Top to \p Bottom.
  void grid(const Axis &A, double Top, double Bottom);

  /// The whole file. \p Title becomes its accessible name.
  std::string finish(double Height, llvm::StringRef Title) const;

private:
  PictureOptions Options;
  const Theme &Colours;
  std::string Defs, Body;
  std::vector<bool> Patterns;
};

} // namespace kinstr::report

#endif // KINSTR_REPORT_SVG_H
