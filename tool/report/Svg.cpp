// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats SVG elements.
#include "report/Svg.h"

#include "report/Names.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cmath>

using namespace llvm;

namespace kinstr::report {

std::string xmlText(StringRef Text) {
  std::string Out;
  std::string Plain = plainText(Text);
  for (size_t I = 0; I < Plain.size(); ++I)
    switch (char C = Plain[I]) {
    case '\xEF': // U+FFFE and U+FFFF are no characters to XML
      if (StringRef Three = StringRef(Plain).substr(I, 3);
          Three == "\xEF\xBF\xBE" || Three == "\xEF\xBF\xBF") {
        Out += "\xEF\xBF\xBD";
        I += 2;
      } else {
        Out += C;
      }
      break;
    case '&':
      Out += "&amp;";
      break;
    case '<':
      Out += "&lt;";
      break;
    case '>':
      Out += "&gt;";
      break;
    case '"':
      Out += "&quot;";
      break;
    default:
      Out += C;
    }
  return Out;
}

std::string coord(double V) {
  std::string Out = fixed(V, 2);
  Out.erase(Out.find_last_not_of('0') + 1);
  if (Out.back() == '.')
    Out.pop_back();
  return Out == "-0" ? "0" : Out;
}

std::vector<double> ticks(double From, double To, unsigned Wanted) {
  double Range = To - From;
  if (!(Range > 0) || !std::isfinite(Range) ||
      std::abs(From) > 1e12 * Range) // neighbouring ticks would be one number
    return {From};
  double Raw = Range / Wanted;
  double Power = std::pow(10, std::floor(std::log10(Raw)));
  double Step = 10 * Power;
  for (double Factor : {1, 2, 5})
    if (Factor * Power >= Raw) {
      Step = Factor * Power;
      break;
    }
  // Counted, not summed: sums drift.
  std::vector<double> Out;
  double First = std::ceil(From / Step - 1e-9);
  for (unsigned I = 0; (First + I) * Step <= To + Range * 1e-9; ++I)
    Out.push_back((First + I) * Step);
  return Out;
}

std::string tickText(double Value, ArrayRef<double> Ticks) {
  double Step = Ticks.size() > 1 ? Ticks[1] - Ticks[0] : 1;
  int Decimals =
      std::max(0, -static_cast<int>(std::floor(std::log10(Step) + 1e-9)));
  return fixed(Value, Decimals);
}

double textWidth(StringRef Text, double FontSize) {
  size_t Characters = 0;
  for (unsigned char C : Text)
    Characters += (C & 0xC0) != 0x80; // not of UTF-8's following bytes
  return 0.62 * FontSize * static_cast<double>(Characters);
}

std::string fitText(StringRef Text, double FontSize, double Width) {
  if (textWidth(Text, FontSize) <= Width)
    return Text.str();
  // The first character, in UTF-8, for which there is no room.
  size_t Characters = 0, Cut = 0;
  for (; Cut < Text.size(); ++Cut) {
    Characters += (Text[Cut] & 0xC0) != 0x80;
    if (0.62 * FontSize * static_cast<double>(Characters) + FontSize > Width &&
        (Text[Cut] & 0xC0) != 0x80)
      break;
  }
  Text = Text.take_front(Cut);
  return (Text + "…").str();
}

static std::string attribute(StringRef Name, StringRef Value) {
  return (" " + Name + "=\"" + Value + "\"").str();
}

void Svg::rect(double X, double Y, double W, double H, StringRef Fill,
               StringRef Tooltip) {
  Body += "<rect" + attribute("x", coord(X)) + attribute("y", coord(Y)) +
          attribute("width", coord(W)) + attribute("height", coord(H)) +
          attribute("fill", Fill);
  if (Tooltip.empty())
    Body += "/>\n";
  else
    Body += "><title>" + xmlText(Tooltip) + "</title></rect>\n";
}

void Svg::line(double X1, double Y1, double X2, double Y2, StringRef Colour,
               double Width, StringRef Dashes) {
  Body += "<line" + attribute("x1", coord(X1)) + attribute("y1", coord(Y1)) +
          attribute("x2", coord(X2)) + attribute("y2", coord(Y2)) +
          attribute("stroke", Colour) + attribute("stroke-width", coord(Width));
  if (!Dashes.empty())
    Body += attribute("stroke-dasharray", Dashes);
  Body += "/>\n";
}

void Svg::text(double X, double Y, StringRef Text, double Size, Anchoring A,
               StringRef Colour, bool Bold) {
  Body += "<text" + attribute("x", coord(X)) + attribute("y", coord(Y)) +
          attribute("font-size", coord(Size)) +
          attribute("fill", Colour.empty() ? StringRef(Colours.Text) : Colour);
  if (A == Anchoring::Middle)
    Body += attribute("text-anchor", "middle");
  if (A == Anchoring::End)
    Body += attribute("text-anchor", "end");
  if (Bold)
    Body += attribute("font-weight", "bold");
  Body += ">" + xmlText(Text) + "</text>\n";
}

double Svg::paragraph(double X, double Y, double Width, StringRef Text,
                      double Size, StringRef Colour) {
  SmallVector<StringRef> Words;
  Text.split(Words, ' ', -1, /*KeepEmpty=*/false);
  std::string Line;
  auto Flush = [&] {
    text(X, Y, fitText(Line, Size, Width), Size, Anchoring::Start, Colour);
    Y += Size * 1.5;
  };
  for (StringRef Word : Words) {
    std::string Longer = Line.empty() ? Word.str() : (Line + " " + Word).str();
    if (!Line.empty() && textWidth(Longer, Size) > Width) {
      Flush();
      Longer = Word.str();
    }
    Line = std::move(Longer);
  }
  Flush();
  return Y;
}

void Svg::verticalText(double X, double Y, StringRef Text, double Size) {
  Body += "<text" + attribute("font-size", coord(Size)) +
          attribute("fill", Colours.Text) + attribute("text-anchor", "middle") +
          attribute("transform", "translate(" + coord(X) + " " + coord(Y) +
                                     ") rotate(-90)") +
          ">" + xmlText(Text) + "</text>\n";
}

std::string Svg::paint(Fill F) {
  if (F.Hatch == 0)
    return F.Colour.str();
  std::string Id = "h" + utostr(F.Hatch) + F.Colour.drop_front().str();
  if (!StringRef(Defs).contains("\"" + Id + "\"")) {
    // Stripes of a direction and spacing per round of the palette.
    static const int Angles[] = {45, -45, 90, 0, 60, -60};
    Defs += "<pattern id=\"" + Id +
            "\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
            "patternTransform=\"rotate(" +
            itostr(Angles[(F.Hatch - 1) % std::size(Angles)]) +
            ")\"><rect width=\"5\" height=\"5\" fill=\"" + F.Colour.str() +
            "\"/><rect width=\"2\" height=\"5\" fill=\"#ffffff\"/></pattern>\n";
  }
  return "url(#" + Id + ")";
}

double Svg::legend(double X, double Y, double Width,
                   ArrayRef<std::pair<std::string, std::string>> Entries) {
  constexpr double Size = 12, Swatch = 12, LineHeight = 18, Gap = 16;
  double AtX = X, AtY = Y;
  for (const auto &[Paint, Name] : Entries) {
    std::string Label = fitText(Name, Size, Width - Swatch - 5);
    double W = Swatch + 5 + textWidth(Label, Size) + Gap;
    if (AtX > X && AtX + W - Gap > X + Width) {
      AtX = X;
      AtY += LineHeight;
    }
    rect(AtX, AtY, Swatch, Swatch, Paint);
    text(AtX + Swatch + 5, AtY + Swatch - 2, Label, Size);
    AtX += W;
  }
  return AtY + LineHeight - Y;
}

std::vector<double> Axis::ticks() const {
  // Labels of a narrow graphic would run into one another.
  auto Wanted = static_cast<unsigned>(std::clamp(Width / 90, 3.0, 20.0));
  return report::ticks(From, To, Wanted);
}

void Svg::axis(const Axis &A, double Y, StringRef Title, bool Above) {
  constexpr double Size = 11;
  double Sign = Above ? -1 : 1;
  line(A.X, Y, A.X + A.Width, Y, Colours.Axis);
  std::vector<double> Ticks = A.ticks();
  for (double T : Ticks) {
    double At = A.at(T);
    line(At, Y, At, Y + 5 * Sign, Colours.Axis);
    text(At, Above ? Y - 9 : Y + 17, tickText(T, Ticks), Size,
         Anchoring::Middle, Colours.Axis);
  }
  text(A.X + A.Width / 2, Above ? Y - 25 : Y + 35, Title, 12,
       Anchoring::Middle);
}

void Svg::grid(const Axis &A, double Top, double Bottom) {
  for (double T : A.ticks())
    line(A.at(T), Top, A.at(T), Bottom, Colours.Grid);
}

std::string Svg::finish(double Height, StringRef Title) const {
  std::string W = coord(Options.Width), H = coord(Height);
  std::string Out =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + W +
      "\" height=\"" + H + "\" viewBox=\"0 0 " + W + " " + H +
      "\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" "
      "role=\"img\">\n<title>" +
      xmlText(Title) + "</title>\n";
  if (!Defs.empty())
    Out += "<defs>\n" + Defs + "</defs>\n";
  Out += "<rect width=\"" + W + "\" height=\"" + H + "\" fill=\"" +
         Colours.Page.str() + "\"/>\n" + Body + "</svg>\n";
  return Out;
}

} // namespace kinstr::report
