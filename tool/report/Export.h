// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is selected of a trace, for other programs: docs/export.md. The writers
// read the trace as a stream, and hand on what they make of one part of it
// before they take the next.
#ifndef KINSTR_REPORT_EXPORT_H
#define KINSTR_REPORT_EXPORT_H

#include "report/Selection.h"
#include "report/Tracks.h"

namespace kinstr::report {

/// Takes what is written, a part at a time; an error ends the writing.
using Put = llvm::function_ref<llvm::Error(llvm::StringRef)>;

/// Native protobuf of Perfetto.
llvm::Expected<LeftOut> writePerfetto(const trace::Trace &T, const Selection &S,
                                      Put Out);

/// The JSON array that chrome://tracing introduced.
llvm::Expected<LeftOut> writeChrome(const trace::Trace &T, const Selection &S,
                                    Put Out);

/// One row a stay in a phase, or a mark.
llvm::Error writeCsv(const trace::Trace &T, const Selection &S, Put Out);

/// Into the file \p Path, which is empty or does not exist, or ":memory:".
llvm::Error writeSqlite(const trace::Trace &T, const Selection &S,
                        llvm::StringRef Path);

/// Where they go; empty where one is not wanted. "-" is standard output, but
/// not for SQLite.
struct ExportFiles {
  std::string Perfetto, Chrome, Sqlite, Csv;
};

/// Says what was written, and what is not in it, in \p Log. The text of an
/// error begins with a path. One that cannot be written does not keep the
/// others from it.
llvm::Error writeExports(const trace::Trace &T, const Selection &S,
                         const ExportFiles &Files, llvm::raw_ostream &Log);

} // namespace kinstr::report

#endif // KINSTR_REPORT_EXPORT_H
