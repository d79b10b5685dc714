// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "kinstr/Print.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;

namespace kinstr {

static SourceMgr::DiagKind kindOf(Severity Level) {
  switch (Level) {
  case Severity::Error:
    return SourceMgr::DK_Error;
  case Severity::Warning:
    return SourceMgr::DK_Warning;
  case Severity::Remark:
    return SourceMgr::DK_Remark;
  case Severity::Note:
    return SourceMgr::DK_Note;
  }
  llvm_unreachable("all severities handled");
}

/// The files for clang-like messages.
class PrintedFiles {
public:
  explicit PrintedFiles(const Sources &Files) : Files(Files) {
    for (const SourceFile &File : Files.files()) {
      // A byte-order mark is no part of the first line.
      StringRef Text = Files.text(File);
      Text.consume_front("\xEF\xBB\xBF");
      Begins.push_back(Text.begin());
      Manager.AddNewSourceBuffer(
          MemoryBuffer::getMemBuffer({Text, File.Path},
                                     /*RequiresNullTerminator=*/false),
          SMLoc());
    }
  }

  SMLoc at(unsigned Offset) const {
    return SMLoc::getFromPointer(
        std::max(Files.text().begin() + Offset, Begins[Files.fileAt(Offset)]));
  }

  SourceMgr Manager;

private:
  const Sources &Files;
  std::vector<const char *> Begins;
};

void print(const Diagnostics &Diags, const Sources &Files, bool Remarks,
           raw_ostream &OS) {
  PrintedFiles Printed(Files);
  // A note goes with the message before it; messages go by line.
  std::vector<ArrayRef<Diagnostic>> Groups;
  for (ArrayRef<Diagnostic> Left = Diags.all(); !Left.empty();) {
    size_t Size = 1;
    while (Size < Left.size() && Left[Size].Level == Severity::Note)
      ++Size;
    Groups.push_back(Left.take_front(Size));
    Left = Left.drop_front(Size);
  }
  stable_sort(Groups, [](ArrayRef<Diagnostic> A, ArrayRef<Diagnostic> B) {
    return A.front().Offset < B.front().Offset;
  });
  for (ArrayRef<Diagnostic> Group : Groups) {
    // Remarks describe a result, which errors leave without.
    if (Group.front().Level == Severity::Remark &&
        (!Remarks || Diags.hasErrors()))
      continue;
    for (const Diagnostic &D : Group) {
      SmallVector<SMFixIt, 1> Fixes;
      if (D.Fix)
        Fixes.emplace_back(
            SMRange(Printed.at(D.Fix->Begin), Printed.at(D.Fix->End)),
            D.Fix->Text);
      Printed.Manager.PrintMessage(OS, Printed.at(D.Offset), kindOf(D.Level),
                                   D.Message, {}, Fixes, OS.has_colors());
    }
  }
}

} // namespace kinstr
