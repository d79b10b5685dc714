// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kinstr-report diff: two traces compared.
#include "Commands.h"
#include "Input.h"
#include "Options.h"
#include "Outputs.h"
#include "report/DiffCondition.h"
#include "report/Names.h"
#include "support/OutputFile.h"

using namespace llvm;

namespace kinstr {

static cl::OptionCategory Category("kinstr-report diff options");
static const cl::sub InDiff(diffCommand());

static cl::list<std::string> Inputs(cl::Positional,
                                    cl::desc("A.kitrace B.kitrace"),
                                    cl::value_desc("FILE"), cl::cat(Category),
                                    InDiff);

enum class Unit : uint8_t { Auto, Ns, Cycles };

static cl::opt<Unit> AskedUnit(
    "unit", cl::desc("What durations are compared in"),
    cl::values(clEnumValN(Unit::Auto, "auto",
                          "ns, or cycles where the clocks differ or were not "
                          "measured (default)"),
               clEnumValN(Unit::Ns, "ns", "nanoseconds"),
               clEnumValN(Unit::Cycles, "cycles", "clock cycles")),
    cl::init(Unit::Auto), cl::cat(Category), InDiff);
static cl::list<std::string> FailIf(
    "fail-if", cl::value_desc("CONDITION"),
    cl::desc("Exit with 3 if this holds and the change is significant, "
             "such as 'phase load > +5%', 'scope tile < -2%', 'share wait "
             "> +2pp', 'kernel > +300ns'. May be given several times"),
    cl::cat(Category), InDiff);
static cl::opt<bool>
    EvenIfNoise("even-if-noise",
                cl::desc("With --fail-if: whatever the change is, significant "
                         "or not"),
                cl::cat(Category), InDiff);
static TextOption
    Json("json", cl::value_desc("FILE"),
         cl::desc("Write the comparison as JSON; - is standard output"),
         cl::cat(Category), InDiff);
static TextOption
    Html("html", cl::value_desc("FILE"),
         cl::desc("Write the comparison as a page; - is standard output"),
         cl::cat(Category), InDiff);

static constexpr Command This = {"kinstr-report diff",
                                 "[options] A.kitrace B.kitrace"};

static const char *const Overview =
    "compares two traces: what changed from A to B, and what is noise\n\n"
    "  Kernels, phases and scopes are matched by name. Changes are of the "
    "median and the mean of a stay,\n"
    "  and of the share of the warps' time; intervals are of the bootstrap, "
    "over launches or, where\n"
    "  there is one launch, over blocks.\n"
    "  Exit code: 0 done, 1 a trace cannot be read or a result not written, 2 "
    "wrong usage, 3 a\n"
    "  condition of --fail-if holds.\n";

namespace {

struct DiffOptions {
  report::Filter Filter;
  std::vector<report::Condition> Conditions;
  std::optional<report::TimeUnit> Unit;
};

} // namespace

static int usage(const Twine &Message) {
  printUsage(This, Message);
  return UsageError;
}

/// Not 0 where something is wrong.
static int readOptions(DiffOptions &O) {
  if (Inputs.size() != 2)
    return usage(Inputs.size() < 2 ? "two traces are needed"
                                   : "more than two traces");
  std::string Wrong;
  O.Filter = filterOptions(Wrong);
  if (!Wrong.empty())
    return usage(Wrong);
  for (const std::string &Text : FailIf) {
    Expected<report::Condition> C = report::parseCondition(Text);
    if (!C)
      return usage("'--fail-if': " + toString(C.takeError()));
    O.Conditions.push_back(std::move(*C));
  }
  if (EvenIfNoise && O.Conditions.empty())
    return usage("'--even-if-noise' needs '--fail-if'");
  if (Json == "-" && Html == "-")
    return usage("'--json' and '--html' cannot both be standard output");
  Wrong =
      checkOutputs({Inputs[0], Inputs[1]}, {{"json", Json}, {"html", Html}});
  if (!Wrong.empty())
    return usage(Wrong);
  if (AskedUnit != Unit::Auto)
    O.Unit =
        AskedUnit == Unit::Ns ? report::TimeUnit::Ns : report::TimeUnit::Cycles;
  return Done;
}

/// Standard output is another output's: nothing else on it.
static bool tableShown() { return Json != "-" && Html != "-"; }

static Error write(StringRef Path, StringRef Contents) {
  if (Path == "-") {
    outs() << Contents;
    return Error::success();
  }
  if (Error E = writeFile(Path, Contents))
    return createStringError(
        Path + ": error: cannot write: " + toString(std::move(E)));
  (tableShown() ? outs() : errs()) << "wrote " << Path << '\n';
  return Error::success();
}

static Error writeAll(const report::Diff &D,
                      ArrayRef<report::ConditionOutcome> Outcomes) {
  if (tableShown())
    report::printDiff(D, {colourWanted(), wrapWanted(), lineWidth()}, outs());
  Error E = Json.empty() ? Error::success()
                         : write(Json, report::diffJson(D, Outcomes));
  if (Html.empty())
    return E;
  return joinErrors(std::move(E), write(Html, report::diffHtml(D, Outcomes)));
}

/// Each condition that holds in a line, and those that might.
static bool anyHolds(ArrayRef<report::ConditionOutcome> Outcomes) {
  bool Any = false;
  for (const report::ConditionOutcome &O : Outcomes) {
    Any |= O.Holds;
    if (!O.Why.empty())
      errs() << This.Name << ": "
             << (O.Holds ? "fails: " : "note: not counted: ") << "'"
             << report::printable(O.Condition)
             << "': " << report::printable(O.Why) << '\n';
  }
  return Any;
}

/// Nothing where a filter leaves nothing: that was printed.
static std::optional<report::Selection> select(const std::string &File,
                                               const trace::Trace &T,
                                               const report::Filter &F) {
  Expected<report::Selection> S = report::Selection::make(T, F);
  if (!S) {
    inputError(File, S.takeError());
    return std::nullopt;
  }
  if (Error E = report::checkNotEmpty(T, *S)) {
    inputError(File, std::move(E));
    return std::nullopt;
  }
  return std::move(*S);
}

static int compare(const DiffOptions &O) {
  int Status = Done;
  std::optional<trace::Trace> A = openTrace(Inputs[0], Status);
  if (Status > InputError) // interrupted
    return Status;
  std::optional<trace::Trace> B = openTrace(Inputs[1], Status);
  if (!A || !B)
    return Status;
  std::optional<report::Selection> InA = select(Inputs[0], *A, O.Filter);
  std::optional<report::Selection> InB = select(Inputs[1], *B, O.Filter);
  if (!InA || !InB)
    return InputError;

  Expected<report::Diff> D = report::compareTraces(
      {Inputs[0], *A, *InA}, {Inputs[1], *B, *InB}, O.Unit);
  if (!D)
    return inputError(Inputs[0], D.takeError());
  std::vector<report::ConditionOutcome> Outcomes;
  for (const report::Condition &C : O.Conditions) {
    Expected<report::ConditionOutcome> Outcome =
        report::decide(C, *D, EvenIfNoise);
    if (!Outcome)
      return inputError(This.Name, Outcome.takeError());
    Outcomes.push_back(std::move(*Outcome));
  }
  if (Error E = writeAll(*D, Outcomes))
    return outputError(std::move(E));
  outs().flush();
  return anyHolds(Outcomes) ? ConditionHolds : Done;
}

int runDiff(int argc, char **argv) {
  if (!parseCommandLine(argc, argv, diffCommand(), Category, This, Overview))
    return UsageError;
  DiffOptions O;
  if (int Code = readOptions(O))
    return Code;
  return compare(O);
}

} // namespace kinstr
