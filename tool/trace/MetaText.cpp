// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows brackets and strings, no more: whether it is JSON says the parser.
#include "trace/MetaText.h"

#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace llvm;

namespace kinstr::trace {

/// llvm::json parses recursively: a few kilobytes of '[' would overflow the
/// stack. No table nests deeper than six.
static constexpr unsigned DepthLimit = 32;

void MetaText::Gap::add(StringRef Text) {
  Bytes += Text.size();
  Lines += Text.count('\n');
  size_t End = Text.rfind('\n');
  Behind =
      End == StringRef::npos ? Behind + Text.size() : Text.size() - End - 1;
}

/// As many bytes, with as many lines, the last as long as it was.
std::string MetaText::Gap::blanks() const {
  std::string Out(Bytes, ' ');
  if (Lines != 0) {
    std::fill_n(Out.begin(), Lines - 1, '\n');
    Out[Bytes - Behind - 1] = '\n';
  }
  return Out;
}

std::string MetaText::withGaps() const {
  std::string Out;
  size_t At = 0;
  for (const Gap &G : Gaps) {
    Out.append(Rest, At, G.At - At);
    Out += G.blanks();
    At = G.At;
  }
  Out.append(Rest, At);
  return Out;
}

/// The first fault of a text whose current entry has one.
Error MetaText::entryFault(char End) const {
  std::string Text = withGaps();
  if (uint64_t Bytes = Gaps.back().Bytes) { // entries were there: now it is 0
    Text[Text.find(' ', Text.size() - Bytes)] = '0';
    Text.back() = ',';
  }
  Text.append(Entry, 1);
  if (End)
    Text += End;
  return json::parse(Text).takeError();
}

/// Takes the entry that \p End follows.
Error MetaText::entry(char End) {
  Gap &G = Gaps.back();
  Entry += ']';
  Expected<json::Value> V = json::parse(Entry);
  Entry.pop_back();
  StringRef Text = StringRef(Entry).drop_front();
  const json::Array *One = V ? V->getAsArray() : nullptr;
  bool Good = One && (End == ']' || End == ',') &&
              (One->size() == 1 ||
               (One->empty() && End == ']' && G.Bytes == 0)); // no entry at all
  if (!Good) {
    consumeError(V.takeError());
    return entryFault(End);
  }
  if (!One->empty())
    Launch(&One->front());
  G.add(Text);
  if (End == ',')
    G.add(",");
  Entry = "[";
  return Error::success();
}

/// Follows a bracket that is not in a string.
Error MetaText::bracket(char C) {
  if (C == '[' || C == '{') {
    if (++Depth > DepthLimit)
      return createStringError(inconvertibleErrorCode(),
                               "JSON nested too deeply");
    return Error::success();
  }
  if (Depth)
    --Depth;
  if (!InLaunches || Depth > 1)
    return Error::success();
  if (Error E = entry(C))
    return E;
  InLaunches = false;
  return Error::success();
}

Error MetaText::add(char C) {
  bool Outermost = Depth == 1 && !InLaunches;
  bool IsString = InString;
  if (InString) {
    InString = Escaped || C != '"';
    Escaped = !Escaped && C == '\\';
  } else if (C == '"') {
    InString = true;
    if (Outermost)
      KeyBegin = Rest.size();
  } else if (C == '[' || C == '{' || C == ']' || C == '}') {
    if (Error E = bracket(C))
      return E;
  } else if (C == ',' && InLaunches && Depth == 2) {
    return entry(C);
  }
  (InLaunches ? Entry : Rest) += C;
  if (!Outermost || isSpace(C))
    return Error::success();
  if (IsString && !InString)
    KeyEnd = Rest.size();
  if (C == '[' && Last == ':' &&
      StringRef(Rest).slice(KeyBegin, KeyEnd) == "\"launches\"") {
    InLaunches = true;
    Gaps.push_back({Rest.size()});
    Entry = "[";
    Launch(nullptr);
  }
  Last = C;
  return Error::success();
}

Error MetaText::add(StringRef Piece) {
  for (char C : Piece)
    if (Error E = add(C))
      return E;
  return Error::success();
}

Expected<json::Value> MetaText::finish() {
  if (InLaunches)
    return entryFault(0);
  Expected<json::Value> V = json::parse(Rest);
  if (V || Gaps.empty())
    return V;
  consumeError(V.takeError());
  return json::parse(withGaps());
}

} // namespace kinstr::trace
