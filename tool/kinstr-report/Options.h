// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of kinstr-report, checked.
#ifndef KINSTR_REPORT_TOOL_OPTIONS_H
#define KINSTR_REPORT_TOOL_OPTIONS_H

#include "report/Export.h"
#include "report/Html.h"
#include "report/SvgReport.h"
#include "report/Terminal.h"
#include "llvm/Support/CommandLine.h"

namespace kinstr {

struct Options {
  std::string Input;
  report::Filter Filter;
  report::TerminalOptions Terminal;
  /// A path for each output asked for, empty where it was not.
  report::PictureFiles Pictures;
  report::HtmlOptions Html;
  report::ExportFiles Exports;
  std::string Json;

  /// Standard output is another output's: no table on it.
  bool TableShown = true;
  /// Where it is said what was written.
  llvm::raw_ostream &log() const {
    return TableShown ? llvm::outs() : llvm::errs();
  }
};

/// Exit statuses.
enum { Done = 0, InputError = 1, UsageError = 2, ConditionHolds = 3 };

/// Nothing where it is wrong: what, has been printed. Does not return from
/// --help and --version.
std::optional<Options> parseOptions(int argc, char **argv);

// ---- what the commands share ----

/// In functions, so that they are there before any option is declared.
llvm::cl::SubCommand &diffCommand();
llvm::cl::SubCommand &mergeCommand();

/// Takes texts; an empty one is wrong usage, which parseCommandLine() says.
class TextParser : public llvm::cl::parser<std::string> {
public:
  using parser::parser;
  bool parse(llvm::cl::Option &Of, llvm::StringRef Name, llvm::StringRef Text,
             std::string &Value);
};
using TextOption = llvm::cl::opt<std::string, false, TextParser>;

/// How a command is called: its name, and what stands behind it.
struct Command {
  llvm::StringRef Name;      ///< `kinstr-report diff`
  llvm::StringRef Arguments; ///< `[options] A.kitrace B.kitrace`
};

/// Parses the options of \p Sub, those of \p Category and of the report's that
/// it has. False where something is wrong: it has been printed.
bool parseCommandLine(int argc, char **argv, llvm::cl::SubCommand &Sub,
                      llvm::cl::OptionCategory &Category, const Command &C,
                      const char *Overview);

/// Prints an error of usage and how \p C is called.
void printUsage(const Command &C, const llvm::Twine &Message);

/// What the options that filter say. \p Wrong: with what is wrong, if anything.
report::Filter filterOptions(std::string &Wrong);

/// Whether standard output takes colours, and the user.
bool colourWanted();

/// Columns of a line of standard output.
unsigned lineWidth();

/// Whether text is broken there: on a terminal, or where COLUMNS asks for it.
bool wrapWanted();

} // namespace kinstr

#endif // KINSTR_REPORT_TOOL_OPTIONS_H
