// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each export into a file that is there whole or not at all.
#include "report/Export.h"
#include "report/Names.h"
#include "support/OutputFile.h"
#include "trace/Workers.h"

using namespace llvm;
using namespace kinstr::trace;

namespace kinstr::report {

static Error cannotWrite(StringRef Path, Error E) {
  if (E.isA<Interrupted>())
    return E;
  return createStringError(plainText(Path) +
                           ": error: cannot write: " + toString(std::move(E)));
}

/// \p Fill writes it and says what it left out.
static Error writeExport(StringRef Path, raw_ostream &Log,
                         function_ref<Expected<LeftOut>(OutputFile &)> Fill) {
  if (Path.empty())
    return Error::success();
  Expected<OutputFile> File = OutputFile::create(Path);
  if (!File)
    return cannotWrite(Path, File.takeError());
  Expected<LeftOut> Left = Fill(*File);
  if (!Left)
    return cannotWrite(Path, Left.takeError());
  if (Error E = File->commit())
    return cannotWrite(Path, std::move(E));
  if (Path != "-")
    Log << "wrote " << Path << '\n';
  if (Left->Moved)
    Log << "not in it: " << counted(Left->Moved, "block")
        << " that moved between SMs\n";
  if (Left->WithoutClock)
    Log << "not in it: " << counted(Left->WithoutClock, "block")
        << " of launches whose clock rate is unknown\n";
  return Error::success();
}

Error writeExports(const Trace &T, const Selection &S, const ExportFiles &Files,
                   raw_ostream &Log) {
  auto Into = [](OutputFile &File) {
    return [&File](StringRef Bytes) { return File.put(Bytes); };
  };
  Error E = writeExport(Files.Perfetto, Log, [&](OutputFile &File) {
    return writePerfetto(T, S, Into(File));
  });
  E = andThen(std::move(E), [&] {
    return writeExport(Files.Chrome, Log, [&](OutputFile &File) {
      return writeChrome(T, S, Into(File));
    });
  });
  E = andThen(std::move(E), [&] {
    return writeExport(Files.Csv, Log,
                       [&](OutputFile &File) -> Expected<LeftOut> {
                         if (Error E = writeCsv(T, S, Into(File)))
                           return E;
                         return LeftOut();
                       });
  });
  return andThen(std::move(E), [&] {
    return writeExport(
        Files.Sqlite, Log, [&](OutputFile &File) -> Expected<LeftOut> {
          if (File.beside().empty())
            return createStringError("a database can only be a file");
          if (Error E = writeSqlite(T, S, File.beside()))
            return E;
          return LeftOut();
        });
  });
}

} // namespace kinstr::report
