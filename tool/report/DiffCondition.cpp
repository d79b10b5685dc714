// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses conditions and decides them.
#include "report/DiffCondition.h"

#include "report/Names.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"
#include <cmath>

using namespace llvm;

namespace kinstr::report {

static Error fail(const Twine &Message) {
  return createStringError(inconvertibleErrorCode(), Message);
}

// ---- parsing ----

/// `+5%`, `-300 ns`.
static Error parseAmount(StringRef Text, Condition &C) {
  static const Regex Form(
      "^([+-]?[0-9]+(\\.[0-9]+)?)[ \t]*(%|pp|ns|us|ms|cycles)$");
  SmallVector<StringRef, 4> Parts;
  if (!Form.match(Text, &Parts) || Parts[1].ltrim('+').getAsDouble(C.Amount))
    return fail("'" + Text +
                "' is no amount: a number and one of %, pp, ns, us, ms, "
                "cycles");
  StringRef Unit = Parts[3];
  C.Unit = Unit == "%"        ? Condition::In::Percent
           : Unit == "pp"     ? Condition::In::Points
           : Unit == "cycles" ? Condition::In::Cycles
                              : Condition::In::Ns;
  C.Amount *= Unit == "us" ? 1e3 : Unit == "ms" ? 1e6 : 1;
  bool IsShare = C.Subject == Condition::Of::Share;
  if (IsShare && C.Unit != Condition::In::Percent &&
      C.Unit != Condition::In::Points)
    return fail("a share changes by % or pp (percentage points), not by " +
                Unit);
  if (!IsShare && C.Unit == Condition::In::Points)
    return fail("only a share changes by pp (percentage points)");
  return Error::success();
}

/// A name in quotes if it needs any, and of what: `'my phase' mean`.
static Error parseName(StringRef Text, Condition &C) {
  StringRef Rest;
  if (Text.starts_with("'") || Text.starts_with("\"")) {
    size_t End = Text.find(Text[0], 1);
    if (End == StringRef::npos)
      return fail("a quote is not closed");
    C.Name = Text.slice(1, End).str();
    Rest = Text.substr(End + 1).trim();
  } else {
    // The last word, where it is not all there is.
    StringRef Last = Text.substr(Text.find_last_of(" \t") + 1);
    if (Last.size() < Text.size() &&
        (Last == "mean" || Last == "median" || Last == "p50"))
      Rest = Last;
    C.Name = Text.drop_back(Rest.size()).rtrim().str();
  }
  if (!Rest.empty() && Rest != "mean" && Rest != "median" && Rest != "p50")
    return fail("'" + Rest + "' is neither median nor mean");
  if (!Rest.empty() && C.Subject == Condition::Of::Share)
    return fail("a share has no " + Rest);
  C.Mean = Rest == "mean";
  return Error::success();
}

static Error parseSubject(StringRef Text, Condition &C) {
  auto [Word, Rest] = Text.split(' ');
  if (Word == "phase")
    C.Subject = Condition::Of::Phase;
  else if (Word == "scope")
    C.Subject = Condition::Of::Scope;
  else if (Word == "share")
    C.Subject = Condition::Of::Share;
  else if (Word == "kernel")
    C.Subject = Condition::Of::Kernel;
  else
    return fail("'" + Word + "' is none of phase, scope, share, kernel");
  if (Error E = parseName(Rest.trim(), C))
    return E;
  std::string Why;
  if (C.Subject == Condition::Of::Kernel) {
    if (!C.Name.empty() && !Regex(C.Name).isValid(Why))
      return fail("'" + C.Name + "' is not a regular expression: " + Why);
  } else if (C.Name.empty()) {
    return fail(Word + " needs a name, or * for any");
  }
  return Error::success();
}

Expected<Condition> parseCondition(StringRef Text) {
  Condition C;
  C.Text = Text.trim().str();
  // Names may hold these characters; amounts do not.
  size_t Sign = Text.find_last_of("<>");
  if (Sign == StringRef::npos)
    return fail("there is no > or <");
  C.Greater = Text[Sign] == '>';
  if (Error E = parseSubject(Text.take_front(Sign).trim(), C))
    return E;
  if (Error E = parseAmount(Text.drop_front(Sign + 1).trim(), C))
    return E;
  return C;
}

// ---- deciding ----

namespace {

/// Something that a condition is about.
struct Candidate {
  std::string Name;
  const char *Of;
  const KernelDiff *Kernel;
  const Comparison *C;
  TimeUnit Unit;
  bool IsShare;
};

} // namespace

/// Shares are of either.
static bool isKind(const RowDiff &R, Condition::Of Subject) {
  return Subject == Condition::Of::Share ||
         R.IsScope == (Subject == Condition::Of::Scope);
}

static std::vector<Candidate> candidates(const Condition &C, const Diff &D) {
  std::vector<Candidate> Out;
  const char *Of = C.Mean ? "mean" : "p50";
  const Regex Pattern(C.Name);
  for (const KernelDiff &K : D.Kernels) {
    const std::string &Kernel = K.A.Group.Name;
    if (C.Subject == Condition::Of::Kernel) {
      if (C.Name.empty() || Pattern.match(Kernel))
        Out.push_back({"launch of " + Kernel, Of, &K,
                       C.Mean ? &K.Launch.Mean : &K.Launch.Median, TimeUnit::Ns,
                       false});
      continue;
    }
    bool IsShare = C.Subject == Condition::Of::Share;
    for (const RowDiff &R : K.Rows)
      if (R.InA && R.InB && isKind(R, C.Subject) &&
          (C.Name == "*" || C.Name == R.Name))
        Out.push_back(
            {(R.IsScope ? "scope " : "") + printable(R.Name) + " of " + Kernel,
             IsShare ? "share" : Of, &K,
             IsShare  ? &R.Share
             : C.Mean ? &R.Mean
                      : &R.Median,
             K.Unit, IsShare});
  }
  return Out;
}

/// The change in the condition's unit; nothing where that cannot be told.
static std::optional<double> changeIn(Condition::In Unit, const Candidate &S) {
  const Comparison &C = *S.C;
  if (Unit == Condition::In::Percent)
    return C.changePercent();
  if (Unit == Condition::In::Points)
    return 100 * C.change();
  TimeUnit Wanted = Unit == Condition::In::Ns ? TimeUnit::Ns : TimeUnit::Cycles;
  if (Wanted == S.Unit)
    return C.change();
  double A = S.Kernel->A.Group.Clock.NsPerCycle;
  double B = S.Kernel->B.Group.Clock.NsPerCycle;
  if (A <= 0 || B <= 0)
    return std::nullopt;
  return Wanted == TimeUnit::Ns ? C.B * B - C.A * A : C.B / B - C.A / A;
}

static std::string describe(const Candidate &S) {
  const Comparison &C = *S.C;
  auto Value = [&](double V) {
    return S.IsShare ? fixed(100 * V, 1) + " %"
                     : figure(V) + " " + unitName(S.Unit).str();
  };
  auto Change = [&](double V) {
    return percent(S.IsShare ? 100 * V : C.percentOf(V));
  };
  std::string Out = S.Name + ": " + S.Of + " " + Value(C.A) + " -> " +
                    Value(C.B) + ", " + Change(C.change()) +
                    (S.IsShare ? " pp" : " %");
  if (C.HasInterval)
    Out += " (95 % interval " + Change(C.Low) + " to " + Change(C.High) + ")";
  return Out;
}

/// `: tile is a scope`, where a phase of that name was asked for.
static std::string otherKind(const Condition &C, const Diff &D) {
  for (const KernelDiff &K : D.Kernels)
    for (const RowDiff &R : K.Rows)
      if (C.Name == R.Name && !isKind(R, C.Subject))
        return ": " + printable(R.Name) + " is a " +
               (R.IsScope ? "scope" : "phase");
  return "";
}

Expected<ConditionOutcome> decide(const Condition &C, const Diff &D,
                                  bool EvenIfNoise) {
  ConditionOutcome Out;
  Out.Condition = C.Text;
  std::vector<Candidate> All = candidates(C, D);
  if (All.empty())
    return fail("'" + C.Text + "' is about nothing that is in both traces" +
                otherKind(C, D));
  for (const Candidate &S : All) {
    if (S.C->Says == Verdict::Absent)
      continue;
    std::optional<double> Change = changeIn(C.Unit, S);
    if (!Change)
      return fail("'" + C.Text + "': the clock rate of " +
                  S.Kernel->A.Group.Name + " is not known");
    if (C.Greater ? *Change <= C.Amount : *Change >= C.Amount)
      continue;
    if (S.C->significant() || EvenIfNoise) {
      Out.Holds = true;
      Out.Why = describe(S);
      return Out;
    }
    if (Out.Why.empty())
      Out.Why = describe(S) + ": " + verdictWord(S.C->Says, S.IsShare).str();
  }
  return Out;
}

} // namespace kinstr::report
