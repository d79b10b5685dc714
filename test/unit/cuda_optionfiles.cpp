// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of options, read as nvcc 13 reads them (each case tried with it).
#include "cuda/OptionFiles.h"
#include "support/OutputFile.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

using namespace kinstr;
using namespace llvm;

using Words = std::vector<std::string>;

TEST(OptionFiles, SplitAtWhiteSpace) {
  EXPECT_EQ(splitOptions("-c\t-O3 \n  a.cu\r\n"), (Words{"-c", "-O3", "a.cu"}));
  EXPECT_EQ(splitOptions(" \n"), Words());
}

TEST(OptionFiles, DoubleQuotesGroup) {
  EXPECT_EQ(splitOptions("-I\"s p\" \"a b.cu\""), (Words{"-Is p", "a b.cu"}));
  EXPECT_EQ(splitOptions("-DA=\"\" \"\""), (Words{"-DA=", ""}));
}

TEST(OptionFiles, SingleQuotesMeanNothing) {
  EXPECT_EQ(splitOptions("-DA='1 + 2'"), (Words{"-DA='1", "+", "2'"}));
}

TEST(OptionFiles, BackslashTakesTheNextCharacter) {
  EXPECT_EQ(splitOptions("b\\ c.cu -DA=\\\"x\\\""),
            (Words{"b c.cu", "-DA=\"x\""}));
  EXPECT_EQ(splitOptions("a\\\\b \\"), (Words{"a\\b", "\\"}));
}

TEST(OptionFiles, NoComments) {
  EXPECT_EQ(splitOptions("# -c"), (Words{"#", "-c"}));
}

namespace {

/// A folder that is gone when the test is over.
class InFolder : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("kinstr-unit", Folder));
  }
  void TearDown() override { sys::fs::remove_directories(Folder); }

  void write(StringRef Name, StringRef Text) {
    ASSERT_FALSE(errorToBool(writeFile((Folder + "/" + Name).str(), Text)));
  }

  /// The arguments, or the message of the error.
  Words expand(SmallVector<const char *, 8> Args) {
    BumpPtrAllocator Alloc;
    StringSaver Saver(Alloc);
    if (Error E = expandOptionFiles(Args, Saver, Folder))
      return {toString(std::move(E))};
    return Words(Args.begin(), Args.end());
  }

  SmallString<128> Folder;
};

using OptionFilesInFolder = InFolder;

} // namespace

TEST_F(OptionFilesInFolder, StandWhereTheyAreNamed) {
  write("o", "-O3 a.cu");
  Words Expected = {"-c", "-O3", "a.cu", "-g"};
  EXPECT_EQ(expand({"-c", "-optf", "o", "-g"}), Expected);
  EXPECT_EQ(expand({"-c", "-optf=o", "-g"}), Expected);
  EXPECT_EQ(expand({"-c", "--options-file", "o", "-g"}), Expected);
  EXPECT_EQ(expand({"-c", "--options-file=o", "-g"}), Expected);
}

TEST_F(OptionFilesInFolder, MayBeAListAndNameOthers) {
  write("one", "-O1 -optf two");
  write("two", "-O2");
  write("three", "-O3");
  EXPECT_EQ(expand({"-optf", "one,three"}), (Words{"-O1", "-O2", "-O3"}));
}

TEST_F(OptionFilesInFolder, AreNotReadBehindTheEnd) {
  EXPECT_EQ(expand({"-c", "--", "-optf", "o"}),
            (Words{"-c", "--", "-optf", "o"}));
  EXPECT_EQ(expand({"-c", "-optf"}), (Words{"-c", "-optf"}));
}

TEST_F(OptionFilesInFolder, AreMissingOrEndless) {
  Words Message = expand({"-optf", "missing"});
  ASSERT_EQ(Message.size(), 1u);
  EXPECT_TRUE(StringRef(Message[0])
                  .starts_with("cannot read the options file 'missing': "));
  write("self", "-c -optf self");
  EXPECT_EQ(expand({"-optf", "self"}),
            (Words{"options files include each other"}));
}
