// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which graphics are drawn, and their names in the folder.
#include "report/Names.h"
#include "report/Png.h"
#include "report/SvgReport.h"
#include "support/OutputFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"
#include <mutex>
#include <set>

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

/// More overviews, and warps of more blocks of a launch, are not written
/// unasked.
static constexpr size_t MostDrawn = 8;

static Error cannotWrite(StringRef Path, Error E) {
  return createStringError(Path +
                           ": error: cannot write: " + toString(std::move(E)));
}

/// Writes one graphic into the folder and says so.
static Error writePicture(StringRef Folder, const Twine &Name,
                          StringRef Contents, raw_ostream &Log) {
  SmallString<128> Path(Folder);
  sys::path::append(Path, Name);
  if (Error E = writeFile(Path, Contents))
    return cannotWrite(Path, std::move(E));
  Log << "wrote " << Path << '\n';
  return Error::success();
}

/// As SVG, PNG or both.
static Error writePicture(const PictureFiles &Files, const Twine &Name,
                          StringRef Svg, raw_ostream &Log) {
  if (!Files.SvgFolder.empty())
    if (Error E = writePicture(Files.SvgFolder, Name + ".svg", Svg, Log))
      return E;
  if (Files.PngFolder.empty())
    return Error::success();
  Expected<std::string> Png = renderPng(Svg, Files.PngScale);
  if (!Png)
    return cannotWrite(Files.PngFolder, Png.takeError());
  return writePicture(Files.PngFolder, Name + ".png", *Png, Log);
}

/// The numbers of the selected blocks of a launch: the first ones.
static Expected<std::set<uint32_t>>
firstBlocks(const Trace &T, const Selection &S, uint32_t Launch) {
  std::set<uint32_t> Out;
  std::mutex Lock;
  class Nothing final : public BlockSink {
  public:
    void block(const BlockView &) override {}
    void join(Nothing &&) {}
  };
  VisitOptions O;
  O.Wanted = [&](uint32_t I, const Block &B) {
    if (I != Launch)
      return false;
    std::lock_guard<std::mutex> Guard(Lock);
    Out.insert(B.Number);
    if (Out.size() > MostDrawn + 1)
      Out.erase(std::prev(Out.end()));
    return false;
  };
  Expected<Nothing> Done = collectSelected(T, S, O, Nothing());
  if (!Done)
    return Done.takeError();
  return Out;
}

/// Of all blocks of a launch one is drawn, of a range some.
static Error writeWarps(const Trace &T, const Selection &S, uint32_t Launch,
                        const PictureFiles &Files, const Twine &Prefix,
                        raw_ostream &Log) {
  Expected<std::set<uint32_t>> Blocks = firstBlocks(T, S, Launch);
  if (!Blocks)
    return Blocks.takeError();
  bool Asked = !S.filter().Blocks.all();
  size_t Drawn = 0;
  for (uint32_t Number : *Blocks) {
    if (Drawn == (Asked ? MostDrawn : 1))
      break;
    Expected<std::optional<std::string>> Svg =
        drawWarps(T, S, Launch, Number, Files.Look);
    if (!Svg)
      return Svg.takeError();
    const std::optional<std::string> &Picture = *Svg;
    if (!Picture) // none of its warps is selected
      continue;
    ++Drawn;
    if (Error E = writePicture(
            Files, Prefix + "block-" + Twine(Number) + "-warps", *Picture, Log))
      return E;
  }
  if (Asked && Blocks->size() > MostDrawn)
    Log << "not drawn: the warps of more blocks; --block N draws one\n";
  return Error::success();
}

Error writePictures(const Trace &T, const Selection &S,
                    const PictureFiles &Files, raw_ostream &Log) {
  if (Files.SvgFolder.empty() && Files.PngFolder.empty())
    return Error::success();
  for (StringRef Folder : {Files.SvgFolder, Files.PngFolder})
    if (!Folder.empty())
      if (Error E = createFolder(Folder))
        return cannotWrite(Folder, std::move(E));
  // A block that is asked for is one to look into. In the overview it would be
  // alone.
  Filter AllBlocks = S.filter();
  AllBlocks.Blocks = {};
  Expected<Selection> Overview = Selection::make(T, AllBlocks);
  if (!Overview)
    return Overview.takeError();
  ArrayRef<uint32_t> Launches = S.launches();
  Log << '\n';
  for (uint32_t I : Launches.take_front(MostDrawn)) {
    std::string Prefix =
        Launches.size() > 1 ? ("launch" + Twine(I) + "-").str() : "";
    Expected<std::string> Svg = drawBlocks(T, *Overview, I, Files.Look);
    if (!Svg)
      return Svg.takeError();
    if (Error E = writePicture(Files, Prefix + "blocks", *Svg, Log))
      return E;
    if (Error E = writeWarps(T, S, I, Files, Prefix, Log))
      return E;
  }
  if (Launches.size() > MostDrawn)
    Log << "not drawn: " << Launches.size() - MostDrawn
        << " more launches; --launch N draws one\n";
  return Error::success();
}

} // namespace kinstr::report
