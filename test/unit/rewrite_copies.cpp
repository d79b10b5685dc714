// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes that contradict each other are said: none is dropped in silence.
#include "rewrite/Copies.h"
#include "gtest/gtest.h"

using namespace kinstr;
using namespace llvm;

namespace {

/// A main file that includes a header, with a kernel in it.
class RewriteCopies : public testing::Test {
protected:
  RewriteCopies() : Files("main.cu", Main, Diags) {
    unsigned Header = Files.add("a.cuh", Kernel, Diags);
    addKernel(Files.files()[Header].Begin + Kernel.find('{'));
  }

  void addKernel(unsigned BodyBegin) {
    P.Kernels.push_back({"k",
                         "k",
                         BodyBegin,
                         BodyBegin,
                         BodyBegin + 2,
                         Body::Once,
                         Buffer::Shared,
                         false,
                         Layout::Slots,
                         Lockstep::Uniform,
                         "1024",
                         {},
                         0});
  }
  void addInclude(StringRef To) {
    size_t At = Main.find('"');
    P.Includes.push_back({"main.cu", static_cast<unsigned>(At),
                          static_cast<unsigned>(Main.rfind('"') + 1), To.str(),
                          true, false});
  }
  /// The messages of an attempt.
  std::vector<std::string> messages() {
    Copies = makeCopies(P, Files, "out.cu", Diags);
    std::vector<std::string> Out;
    for (const Diagnostic &D : Diags.all())
      Out.push_back(D.Message);
    return Out;
  }

  static constexpr StringLiteral Main = "#include \"a.cuh\"\nint x;\n";
  static constexpr StringLiteral Kernel = "__global__ void k() {}\n";
  kinstr::Diagnostics Diags;
  Sources Files;
  Plan P;
  std::vector<Copy> Copies;
};

using Messages = std::vector<std::string>;

TEST_F(RewriteCopies, AnIncludeThatIsReadTwice) {
  addInclude("a.cuh");
  addInclude("a.cuh");
  EXPECT_EQ(messages(), Messages());
  ASSERT_EQ(Copies.size(), 2u);
  EXPECT_TRUE(StringRef(Copies[0].Text)
                  .contains("\n#include \"out.cu.include/1_a.cuh\"\nint x;\n"));
}

TEST_F(RewriteCopies, InsertedIntoWhatIsReplaced) {
  addInclude("a.cuh");
  addKernel(Main.find("a.cuh"));
  EXPECT_EQ(messages(),
            Messages{"two changes to 'main.cu' are for the same place"});
  EXPECT_TRUE(Copies.empty());
}

TEST_F(RewriteCopies, AnIncludeThatFindsTwoFiles) {
  addInclude("b.cuh"); // which has no copy
  addInclude("a.cuh");
  std::vector<std::string> Said = messages();
  ASSERT_EQ(Said.size(), 1u);
  EXPECT_TRUE(StringRef(Said[0]).starts_with(
      "this header cannot be replaced by its copy: "));
  ASSERT_EQ(Copies.size(), 2u);
  EXPECT_TRUE(StringRef(Copies[0].Text).contains(Main));
}

} // namespace
