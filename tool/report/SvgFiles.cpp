// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which graphics are drawn, and their names in the folder.
#include "report/SvgReport.h"

#include "support/OutputFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

/// More overviews than this are not written unasked.
static constexpr size_t MostDrawn = 8;

static Error cannotWrite(StringRef Path, Error E) {
  return createStringError(Path +
                           ": error: cannot write: " + toString(std::move(E)));
}

/// Writes one graphic into the folder and says so.
static Error writeSvg(StringRef Folder, const Twine &Name, StringRef Contents,
                      raw_ostream &Log) {
  SmallString<128> Path(Folder);
  sys::path::append(Path, Name);
  if (Error E = writeFile(Path, Contents))
    return cannotWrite(Path, std::move(E));
  Log << "wrote " << Path << '\n';
  return Error::success();
}

Error writeSvgs(const Trace &T, const Selection &S, StringRef Folder,
                raw_ostream &Log) {
  if (Error E = createFolder(Folder))
    return cannotWrite(Folder, std::move(E));
  ArrayRef<uint32_t> Launches = S.launches();
  auto BlockNumber = static_cast<uint32_t>(S.filter().Blocks.First);
  Log << '\n';
  for (uint32_t I : Launches.take_front(MostDrawn)) {
    std::string Prefix =
        Launches.size() > 1 ? ("launch" + Twine(I) + "-").str() : "";
    if (Error E =
            writeSvg(Folder, Prefix + "blocks.svg", drawBlocks(T, I), Log))
      return E;
    // Of several launches some may have the block and others not.
    if (std::optional<std::string> Warps = drawWarps(T, I, BlockNumber))
      if (Error E = writeSvg(
              Folder, Prefix + "block-" + Twine(BlockNumber) + "-warps.svg",
              *Warps, Log))
        return E;
  }
  if (Launches.size() > MostDrawn)
    Log << "not drawn: " << Launches.size() - MostDrawn
        << " more launches; --launch N draws one\n";
  return Error::success();
}

} // namespace kinstr::report
