// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that are there whole or not at all.
#include "support/OutputFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

using namespace kinstr;
using namespace llvm;

namespace {

class OutputFileTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("kinstr-unit", Folder));
    Path = Folder;
    sys::path::append(Path, "file");
  }
  void TearDown() override { sys::fs::remove_directories(Folder); }

  std::string contents() {
    auto File = MemoryBuffer::getFile(Path);
    return File ? (*File)->getBuffer().str() : "(none)";
  }
  size_t numFiles() {
    std::error_code EC;
    size_t N = 0;
    for (sys::fs::directory_iterator I(Folder, EC), E; I != E && !EC;
         I.increment(EC))
      ++N;
    return N;
  }

  SmallString<128> Folder, Path;
};

} // namespace

TEST_F(OutputFileTest, IsThereWhenItIsComplete) {
  OutputFile F = cantFail(OutputFile::create(Path));
  cantFail(F.put("one "));
  cantFail(F.put("two"));
  EXPECT_EQ(contents(), "(none)");
  EXPECT_FALSE(F.beside().empty());
  cantFail(F.commit());
  EXPECT_EQ(contents(), "one two");
  EXPECT_EQ(numFiles(), 1u);
}

TEST_F(OutputFileTest, LeavesWhatWasThereWhenItIsNotCompleted) {
  cantFail(writeFile(Path, "before"));
  {
    OutputFile F = cantFail(OutputFile::create(Path));
    cantFail(F.put(std::string(100000, 'x')));
    OutputFile Moved = std::move(F);
    cantFail(Moved.put("y"));
  }
  EXPECT_EQ(contents(), "before");
  EXPECT_EQ(numFiles(), 1u);
}

TEST_F(OutputFileTest, KeepsPermissionsAndFollowsLinks) {
  cantFail(writeFile(Path, "before"));
  ASSERT_FALSE(sys::fs::setPermissions(Path, sys::fs::owner_read |
                                                 sys::fs::owner_write));
  SmallString<128> Link = Folder;
  sys::path::append(Link, "link");
  ASSERT_FALSE(sys::fs::create_link(Path, Link));
  cantFail(writeFile(Link, "after"));
  EXPECT_EQ(contents(), "after");
  EXPECT_EQ(*sys::fs::getPermissions(Path),
            sys::fs::owner_read | sys::fs::owner_write);
  EXPECT_EQ(numFiles(), 2u);
}

TEST_F(OutputFileTest, SaysWhyItCannotBeWritten) {
  EXPECT_EQ(toString(OutputFile::create(Folder).takeError()), "is a directory");
  EXPECT_EQ(toString(OutputFile::create("/dev/full")->commit()), "");
  OutputFile Full = cantFail(OutputFile::create("/dev/full"));
  EXPECT_EQ(toString(Full.put(std::string(1 << 20, 'x'))),
            "no space left on device");
}

// A file in its place would hide what was written there before.
TEST_F(OutputFileTest, WritesOnWhereADescriptorStands) {
  int FD;
  ASSERT_FALSE(sys::fs::openFileForWrite(Path, FD));
  std::string Name = "/proc/self/fd/" + std::to_string(FD);
  EXPECT_EQ(openDescriptor(Name), FD);
  EXPECT_EQ(openDescriptor("/dev/fd/" + std::to_string(FD)), FD);
  EXPECT_EQ(openDescriptor("/dev/stdout"), 1);
  EXPECT_EQ(openDescriptor("/dev/fd/x"), std::nullopt);
  EXPECT_EQ(openDescriptor(Path), std::nullopt); // nobody else writes there
  raw_fd_ostream(FD, /*shouldClose=*/false) << "one ";
  cantFail(writeFile(Name, "two "));
  raw_fd_ostream(FD, /*shouldClose=*/true) << "three";
  EXPECT_EQ(contents(), "one two three");
  EXPECT_EQ(toString(writeFile(Name, "")), "bad file descriptor");
}
