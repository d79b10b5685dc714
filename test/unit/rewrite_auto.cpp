// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names and the text of chosen annotations, and what calls and inline PTX
// count as.
#include "rewrite/AutoAnnotate.h"
#include "rewrite/AutoName.h"
#include "rewrite/AutoWork.h"
#include "gtest/gtest.h"

using namespace kinstr;

namespace {

using Names = std::vector<std::string>;

TEST(AutoName, TheLineOnlyWhereItTellsApart) {
  EXPECT_EQ(phaseNames({{"setup", 3, false, ""},
                        {"load", 4, false, ""},
                        {"barrier", 5, true, ""},
                        {"load", 9, false, ""}}),
            (Names{"setup", "load_L4", "barrier_L5", "load_L9"}));
}

TEST(AutoName, TwoOnOneLine) {
  EXPECT_EQ(phaseNames({{"barrier", 5, true, ""},
                        {"barrier", 5, true, ""},
                        {"barrier", 5, true, ""}}),
            (Names{"barrier_L5", "barrier_L5.2", "barrier_L5.3"}));
}

TEST(AutoName, WhatElseIsInIt) {
  EXPECT_EQ(phaseNames({{"barrier", 5, true, "store"},
                        {"wait", 7, false, "mma"},
                        {"wait", 9, false, ""}}),
            (Names{"barrier_L5+store", "wait+mma", "wait"}));
}

TEST(AutoName, AFunctionThatIsNamedAsAKind) {
  EXPECT_EQ(phaseNames({{"load_L4", 2, false, ""},
                        {"load", 4, false, ""},
                        {"load", 9, false, ""}}),
            (Names{"load_L4", "load_L4.2", "load_L9"}));
}

AutoMark mark(unsigned At, unsigned Below, std::string Text) {
  return {At, Below, Below, std::move(Text)};
}

TEST(AutoText, InLineNoLineMoves) {
  std::string Code = "a;\nb;\n";
  auto Inserted = commentsInLine({mark(0, 0, "@end"), mark(2, 3, "@phase y")});
  EXPECT_EQ(insertAll(Code, Inserted), "/* @end */ a; /* @phase y */\nb;\n");
}

TEST(AutoText, LinesOfTheirOwn) {
  std::string Code = "{\n\ta;\n  b; c;\n#pragma unroll\n  d;\n}";
  auto At = [&](char C) { return static_cast<unsigned>(Code.find(C)); };
  unsigned Pragma = At('#');
  std::vector<AutoMark> Marks = {
      mark(At('a'), At('a'), "@phase 1"), mark(At('b'), At('b'), "@phase 2"),
      mark(At('c'), At('c'), "@phase 3"), mark(Pragma - 1, Pragma, "@phase 4")};
  EXPECT_EQ(insertAll(Code, commentsOnLines(Code, Marks)),
            "{\n\t// @phase 1\n\ta;\n  // @phase 2\n  b; /* @phase 3 */ c;\n"
            "  // @phase 4\n#pragma unroll\n  d;\n}");
}

// A comment behind a line that ends in a backslash would be part of it.
TEST(AutoText, ContinuedLines) {
  std::string Code = "x \\\n  a;\n";
  EXPECT_EQ(insertAll(Code, commentsOnLines(Code, {mark(6, 6, "@phase n")})),
            "x \\\n  /* @phase n */ a;\n");
}

TEST(AutoText, OffsetsOfTheOriginal) {
  std::vector<Insertion> Inserted = {{2, "xyz"}, {4, "w"}};
  std::string Result = insertAll("abcdef", Inserted);
  ASSERT_EQ(Result, "abxyzcdwef");
  std::vector<unsigned> Offsets;
  for (unsigned I = 0; I <= Result.size(); ++I)
    Offsets.push_back(offsetBefore(Inserted, I));
  EXPECT_EQ(Offsets, (std::vector<unsigned>{0, 1, 2, 2, 2, 2, 3, 4, 4, 5, 6}));
}

TEST(AutoWork, CallsByName) {
  EXPECT_EQ(workOfCall("__syncthreads"), Barriers);
  EXPECT_EQ(workOfCall("__syncthreads_or"), Barriers);
  EXPECT_EQ(workOfCall("__syncwarp"), 0u); // too fine
  EXPECT_EQ(workOfCall("arrive_and_wait"), Barriers);
  EXPECT_EQ(workOfCall("consumer_wait"), Waits);
  EXPECT_EQ(workOfCall("__pipeline_wait_prior"), Waits);
  EXPECT_EQ(workOfCall("producer_acquire"), Waits);
  EXPECT_EQ(workOfCall("__pipeline_memcpy_async"), IssuesCopy);
  EXPECT_EQ(workOfCall("cp_async_bulk_commit_group"), IssuesCopy);
  EXPECT_EQ(workOfCall("mma_sync"), Multiplies);
  EXPECT_EQ(workOfCall("warpgroup_arrive"), Multiplies);
  EXPECT_EQ(workOfCall("warpgroup_wait"), Waits);
  EXPECT_EQ(workOfCall("mma16816"), Multiplies);
  EXPECT_EQ(workOfCall("lgamma"), 0u);
  EXPECT_EQ(workOfCall("comma_separated"), 0u);
  EXPECT_EQ(workOfCall("atomicAdd_system"), Atomics);
  EXPECT_EQ(workOfCall("__shfl_xor_sync"), Reduces);
  EXPECT_EQ(workOfCall("warpReduceSum"), Reduces);
  EXPECT_EQ(workOfCall("__ldg"), LoadsGlobal);
  EXPECT_EQ(workOfCall("load_matrix_sync"), LoadsGlobal);
  EXPECT_EQ(workOfCall("surf2Dwrite"), StoresGlobal);
}

TEST(AutoWork, InlinePtx) {
  EXPECT_EQ(workOfAsm("bar.sync 1, 128;"), Barriers);
  EXPECT_EQ(workOfAsm("barrier.cluster.wait.aligned;"), Barriers);
  EXPECT_EQ(workOfAsm("mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;"),
            Waits);
  EXPECT_EQ(workOfAsm("cp.async.wait_group 0;"), Waits);
  EXPECT_EQ(workOfAsm("wgmma.wait_group.sync.aligned 0;"), Waits);
  EXPECT_EQ(workOfAsm("cp.async.bulk.tensor.2d.shared::cluster.global"),
            IssuesCopy);
  EXPECT_EQ(workOfAsm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"),
            Multiplies);
  EXPECT_EQ(workOfAsm("wgmma.mma_async.sync.aligned.m64n8k16"), Multiplies);
  EXPECT_EQ(workOfAsm("ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];"),
            LoadsGlobal);
  EXPECT_EQ(workOfAsm("mov.u32 %0, %laneid;"), 0u);
}

} // namespace
