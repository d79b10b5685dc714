// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dependency files after nvcc has compiled copies: those of headers too.
#include "kinstr-nvcc/Copies.h"
#include "support/OutputFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace kinstr;
using namespace llvm;

namespace {

/// A folder that is gone when the test is over.
class NvccCopies : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("kinstr-unit", Folder));
  }
  void TearDown() override { sys::fs::remove_directories(Folder); }

  std::string path(StringRef Name) { return (Folder + "/" + Name).str(); }

  void write(StringRef Name, StringRef Text) {
    ASSERT_FALSE(errorToBool(createFolder(path("a.o.kinstr"))));
    ASSERT_FALSE(errorToBool(writeFile(path(Name), Text)));
  }
  std::string read(StringRef Name) {
    return (*MemoryBuffer::getFile(path(Name)))->getBuffer().str();
  }

  SmallString<128> Folder;
};

} // namespace

TEST_F(NvccCopies, HeadersAreNamedByTheirOriginals) {
  std::string Copy = path("a.o.kinstr/a.cu");
  write("a.o.kinstr/h.h", "#line 1 \"in \\\"q\\\"/h.h\"\nint h;\n");
  write("a.o.kinstr/other.h", "int other;\n");
  write("a.d", "a.o : " + Copy + " \\\n " + path("a.o.kinstr/h.h") + " " +
                   path("a.o.kinstr/other.h") + " " + path("a.o.kinstrx/h.h") +
                   "\n");
  NvccCommand Command = cantFail(parseNvccCommand(
      {"-c", "./x/a.cu", "-o", path("a.o"), "-MD", "-MF", path("a.d")}));
  EXPECT_FALSE(errorToBool(renameInDepFiles(Command, {Copy})));
  EXPECT_EQ(read("a.d"), "a.o : x/a.cu \\\n in\\ \"q\"/h.h " +
                             path("a.o.kinstr/other.h") + " " +
                             path("a.o.kinstrx/h.h") + "\n");
}

TEST_F(NvccCopies, AMissingDependencyFileIsAnError) {
  NvccCommand Command =
      cantFail(parseNvccCommand({"-c", "a.cu", "-MD", "-MF", path("none.d")}));
  Error E = renameInDepFiles(Command, {"a.o.kinstr/a.cu"});
  EXPECT_TRUE(StringRef(toString(std::move(E)))
                  .starts_with("cannot read '" + path("none.d") + "': "));
  // Nothing was compiled from a copy: nothing is read.
  EXPECT_FALSE(errorToBool(renameInDepFiles(Command, {""})));
}

TEST_F(NvccCopies, ACopyGoesWithItsEmptyFolder) {
  write("a.o.kinstr/a.cu",
        "#include <kinstr/trace.cuh> // written by kinstr\n");
  write("bom.cu", "\xEF\xBB\xBF#include <kinstr/trace.cuh>\r\n");
  write("a.cu", "#include \"../beside.h\"\n");
  EXPECT_TRUE(isRewritten(path("a.o.kinstr/a.cu")));
  EXPECT_TRUE(isRewritten(path("bom.cu")));
  EXPECT_FALSE(isRewritten(path("a.cu")));
  EXPECT_FALSE(isRewritten(path("missing")));
  write("a.o.kinstr/b.cu", "copy");
  removeCopy(path("a.o.kinstr/a.cu"));
  EXPECT_TRUE(sys::fs::exists(path("a.o.kinstr/b.cu")));
  removeCopy(path("a.o.kinstr/b.cu"));
  EXPECT_FALSE(sys::fs::exists(path("a.o.kinstr")));
  // What has the folder's name may be something of the user's.
  write("file", "");
  removeCopy(path("file/a.cu"));
  EXPECT_TRUE(sys::fs::exists(path("file")));
}
