// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc command lines: what they do, and what is run instead of them.
#include "kinstr-nvcc/DepFile.h"
#include "kinstr-nvcc/Plan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "gtest/gtest.h"

using namespace kinstr;
using namespace llvm;

using Goal = NvccCommand::Goal;

namespace {

const Installation Own = {"/k/bin", "/k/include", "/k/lib", ""};

Words split(StringRef Text) {
  SmallVector<StringRef, 16> Parts;
  Text.split(Parts, ' ', -1, false);
  return Words(Parts.begin(), Parts.end());
}

NvccCommand parse(StringRef Args, StringRef Before = "",
                  StringRef Behind = "") {
  return cantFail(parseNvccCommand(split(Args), split(Before), split(Behind)));
}

/// The inputs, CUDA files in brackets.
std::string inputs(const NvccCommand &Command) {
  std::string Out;
  for (const NvccInput &Input : Command.Inputs)
    Out += (Out.empty() ? "" : " ") +
           (Input.IsCuda ? "[" + Input.Path + "]" : Input.Path);
  return Out;
}

/// The commands for \p Args with all CUDA inputs rewritten, a line each.
std::string steps(StringRef Args) {
  NvccCommand Command = parse(Args);
  NvccSteps Steps = compileCopies(Command, placesOfCopies(Command), Own);
  std::string Out;
  for (const Words &Step : Steps.Commands)
    Out += join(Step, " ") + "\n";
  return Out;
}

unsigned compilerWordsOf(StringRef Args) {
  auto IsProgram = [](StringRef Word) {
    return is_contained({"ccache", "nvcc", "/cuda/bin/nvcc", "my-nvcc.sh",
                         "wrapper", "clang++"},
                        Word);
  };
  return compilerWords(split(Args), IsProgram);
}

} // namespace

TEST(NvccCommand, TheCompilerStandsInFront) {
  EXPECT_EQ(compilerWordsOf("-c a.cu"), 0u);
  EXPECT_EQ(compilerWordsOf("a.cu -c"), 0u);
  EXPECT_EQ(compilerWordsOf("nvcc -c a.cu"), 1u);
  EXPECT_EQ(compilerWordsOf("/cuda/bin/nvcc a.cu"), 1u);
  EXPECT_EQ(compilerWordsOf("my-nvcc.sh a.cu"), 1u);
  EXPECT_EQ(compilerWordsOf("ccache nvcc -c a.cu"), 2u);
  EXPECT_EQ(compilerWordsOf("wrapper -c a.cu"), 1u);
  EXPECT_EQ(compilerWordsOf("nvcc ccache"), 1u); // a strange input, but one
}

TEST(NvccCommand, Goals) {
  EXPECT_EQ(parse("-c a.cu").What, Goal::Objects);
  EXPECT_EQ(parse("--compile a.cu").What, Goal::Objects);
  EXPECT_EQ(parse("-dc a.cu").What, Goal::Objects);
  EXPECT_EQ(parse("--device-w a.cu").What, Goal::Objects);
  EXPECT_EQ(parse("a.cu").What, Goal::Program);
  EXPECT_EQ(parse("-shared a.o -o a.so").What, Goal::Program);
  EXPECT_EQ(parse("-lib a.cu").What, Goal::Library);
  EXPECT_EQ(parse("--ptx a.cu").What, Goal::Device);
  EXPECT_EQ(parse("-cubin a.cu").What, Goal::Device);
  EXPECT_EQ(parse("-fatbin a.cu").What, Goal::Device);
  EXPECT_TRUE(parse("-run a.cu").Runs);
  EXPECT_EQ(parse("-run a.cu").What, Goal::Program);
  for (StringRef Args : {"-E a.cu", "-M a.cu", "-MM a.cu", "--version", "-V",
                         "--help", "-h", "-c a.cu --dryrun", "-dryrun a.cu",
                         "-dlink a.o", "-clean a.cu", "-cuda a.cu",
                         // nvcc refuses these; what is added behind them must
                         // not be taken for the value.
                         "-c a.cu -MF", "a.cu -Xcompiler"})
    EXPECT_EQ(parse(Args).What, Goal::Other) << Args.str();
}

TEST(NvccCommand, Inputs) {
  EXPECT_EQ(inputs(parse("-c a.cu -o x.o")), "[a.cu]");
  EXPECT_EQ(inputs(parse("a.cu b.cpp c.o -lfoo -L /x d.cu")),
            "[a.cu] b.cpp c.o [d.cu]");
  EXPECT_EQ(inputs(parse("-x cu a.cpp")), "[a.cpp]");
  EXPECT_EQ(inputs(parse("-x=cu a.cpp")), "[a.cpp]");
  EXPECT_EQ(inputs(parse("--x cu a.cpp b.cu")), "[a.cpp] [b.cu]");
  EXPECT_EQ(inputs(parse("-x c++ a.cu")), "a.cu");
  EXPECT_EQ(
      inputs(parse("-Xcompiler a.cu -Xptxas=-v --threads 4 -t8 -ccbin g++ "
                   "-include x.cu -MF d.cu -odir o.cu a.ptx")),
      "a.ptx");
  EXPECT_EQ(inputs(parse("-forward-unknown-to-host-compiler -fPIC -Wall "
                         "-march=native a.cu")),
            "[a.cu]");
}

TEST(NvccCommand, Outputs) {
  auto Output = [](StringRef Args) {
    NvccCommand Command = parse(Args);
    return Command.outputOf(Command.Inputs.front());
  };
  EXPECT_EQ(Output("-c x/a.cu -o y/b.o"), "y/b.o");
  EXPECT_EQ(Output("-c x/a.cu -o=y/b.o"), "y/b.o");
  EXPECT_EQ(Output("-c x/a.cu --output-file y/b.o"), "y/b.o");
  EXPECT_EQ(Output("-c x/a.cu"), "a.o");
  EXPECT_EQ(Output("-c x/a.cu -odir y"), "y/a.o");
  EXPECT_EQ(Output("-ptx x/a.cu"), "a.ptx");
  EXPECT_EQ(Output("-cubin -odir=y x/a.cu"), "y/a.cubin");
  EXPECT_EQ(Output("x/a.cu"), "a.out");
  EXPECT_EQ(Output("x/a.cu -o prog"), "prog");
}

TEST(NvccCommand, DepFiles) {
  auto DepFile = [](StringRef Args) {
    NvccCommand Command = parse(Args);
    return Command.depFileOf(Command.Inputs.front());
  };
  EXPECT_EQ(DepFile("-c x/a.cu"), "");
  EXPECT_EQ(DepFile("-c x/a.cu -MD"), "a.d");
  EXPECT_EQ(DepFile("-c x/a.cu -MMD -odir y"), "y/a.d");
  EXPECT_EQ(DepFile("-c x/a.cu -MD -o y/b.c.o"), "y/b.c.d");
  EXPECT_EQ(DepFile("x/a.cu -MD -o prog"), "prog.d");
  EXPECT_EQ(DepFile("-c x/a.cu --generate-dependencies-with-compile "
                    "--dependency-output z.d -o y/b.o"),
            "z.d");
}

TEST(NvccCommand, TheEnvironmentCountsAndIsNotRepeated) {
  NvccCommand Command = parse("a.cu -O3", "-DX", "-c -arch=sm_90");
  EXPECT_EQ(Command.What, Goal::Objects);
  EXPECT_EQ(join(Command.Args, " "), "a.cu -O3");
  EXPECT_EQ(join(Command.Flags, " "),
            "-define-macro X -optimize 3 -compile -gpu-architecture sm_90");
}

TEST(NvccCommand, KinstrGetsWhatItKnows) {
  NvccCommand Command =
      parse("-forward-unknown-to-host-compiler -fPIC -Ix -I y -std=c++20 a.cu "
            "-o b.o -Xcompiler=-Wall,-g -x cu");
  EXPECT_EQ(join(Command.Flags, " "),
            "-forward-unknown-to-host-compiler -include-path x -include-path "
            "y -std c++20 -compiler-options -Wall,-g -x cu");
  EXPECT_EQ(join(kinstrCommand(Command, Command.Inputs[0], "c/a.cu", Own,
                               "/cuda", {"--buffer=global"}),
                 " "),
            "/k/bin/kinstr a.cu -o c/a.cu --no-remarks --cuda-path=/cuda " +
                join(Command.Flags, " ") + " --buffer=global");
}

TEST(NvccPlan, CopiesLieBesideTheOutputAndKeepTheirNames) {
  auto Places = [](StringRef Args) {
    return join(placesOfCopies(parse(Args)), " ");
  };
  EXPECT_EQ(Places("-c x/a.cu -o y/a.cu.o"), "y/a.cu.o.kinstr/a.cu");
  EXPECT_EQ(Places("-c x/a.cu"), "a.o.kinstr/a.cu");
  EXPECT_EQ(Places("-c x/a.cu b.cu -odir y"),
            "y/a.o.kinstr/a.cu y/b.o.kinstr/b.cu");
  EXPECT_EQ(Places("x/a.cu y/a.cu b.cpp z/a.cu -o prog"),
            "prog.kinstr/a.cu prog.kinstr/2/a.cu  prog.kinstr/3/a.cu");
  EXPECT_EQ(Places("-E a.cu"), "");
  // No option of nvcc.
  EXPECT_EQ(Places("a.cu -o -x"), "./-x.kinstr/a.cu");
}

TEST(NvccPlan, OneInput) {
  EXPECT_EQ(steps("-O3 -c x/a.cu -o a.o"),
            "-Xcompiler=-iquote,x -O3 -c a.o.kinstr/a.cu -o a.o -I/k/include"
            "\n");
  EXPECT_EQ(steps("-cubin a.cu"), "-Xcompiler=-iquote,. -cubin "
                                  "a.cubin.kinstr/a.cu -I/k/include\n");
}

TEST(NvccPlan, OnlyProgramsGetTheRuntime) {
  EXPECT_EQ(steps("a.o -o prog"), "a.o -o prog -L/k/lib -lkinstr_rt\n");
  EXPECT_EQ(steps("a.cu -lfoo"),
            "-Xcompiler=-iquote,. a.out.kinstr/a.cu -lfoo -I/k/include "
            "-L/k/lib -lkinstr_rt\n");
  EXPECT_EQ(steps("-lib a.o -o a.a"), "-lib a.o -o a.a\n");
  NvccCommand Command = parse("a.o");
  NvccSteps Without =
      compileCopies(Command, {""}, {"/k/bin", "/k/include", "", ""});
  EXPECT_EQ(Without.Commands, std::vector<Words>{{"a.o"}});
}

TEST(NvccPlan, InputsOfOneFolderStayTogether) {
  EXPECT_EQ(steps("x/a.cu x/b.cu y/c.o -o prog"),
            "-Xcompiler=-iquote,x prog.kinstr/a.cu prog.kinstr/b.cu y/c.o -o "
            "prog -I/k/include -L/k/lib -lkinstr_rt\n");
}

TEST(NvccPlan, ObjectsOfSeveralFolders) {
  EXPECT_EQ(steps("-c x/a.cu y/b.cu -g"),
            "-Xcompiler=-iquote,x -c a.o.kinstr/a.cu -g -I/k/include\n"
            "-Xcompiler=-iquote,y -c b.o.kinstr/b.cu -g -I/k/include\n");
}

TEST(NvccPlan, AProgramOfSeveralFolders) {
  EXPECT_EQ(steps("x/a.cu y/b.cpp c.o -run -o prog"),
            "-Xcompiler=-iquote,x prog.kinstr/a.cu -I/k/include "
            "-c -o prog.kinstr/0.o\n"
            "y/b.cpp -c -o prog.kinstr/1.o\n"
            "prog.kinstr/0.o prog.kinstr/1.o c.o -run -o prog -L/k/lib "
            "-lkinstr_rt\n");
  EXPECT_EQ(steps("-x cu x/a.cpp b.cpp -lib -o l.a -MD"),
            "-Xcompiler=-iquote,x -x cu l.a.kinstr/a.cpp -MD -I/k/include -c "
            "-o l.a.kinstr/0.o -MF l.d\n"
            "-Xcompiler=-iquote,. -x cu l.a.kinstr/b.cpp -MD -I/k/include -c "
            "-o l.a.kinstr/1.o -MF l.d\n"
            "l.a.kinstr/0.o l.a.kinstr/1.o -lib -o l.a -MD\n");
}

TEST(NvccPlan, WithoutCopiesTheCommandIsAsItWas) {
  // The file of options cannot be read: nvcc is to say so.
  EXPECT_TRUE(errorToBool(
      parseNvccCommand(split("-c -optf missing a.cu")).takeError()));
  NvccCommand Command = parse("-c x/a.cu y/b.cu");
  EXPECT_EQ(compileCopies(Command, {"", ""}, Own).Commands,
            std::vector<Words>{split("-c x/a.cu y/b.cu")});
}

TEST(NvccPlan, QuotedIncludesOfStrangeFolders) {
  EXPECT_EQ(quotedIncludeFlag("../a-b_c+d/e.f"),
            "-Xcompiler=-iquote,../a-b_c+d/e.f");
  EXPECT_EQ(quotedIncludeFlag("a b"), "-Xcompiler=\"-iquotea b\"");
  EXPECT_EQ(quotedIncludeFlag("a,b"), "-Xcompiler=\"-iquotea\\,b\"");
  EXPECT_EQ(quotedIncludeFlag("a'b"), "-Xcompiler=\"-iquotea'b\"");
  EXPECT_EQ(quotedIncludeFlag("a\\b"), "-Xcompiler=\"-iquotea\\\\b\"");
}

TEST(DepFile, NamesAreReplaced) {
  auto Rename = [](StringRef Text, StringRef From, StringRef To) {
    return renameDependencies(
        Text, [&](StringRef Name) -> std::optional<std::string> {
          if (Name != From)
            return std::nullopt;
          return To.str();
        });
  };
  EXPECT_EQ(Rename("a.o : k/a.cu \\\n  h.h\n", "k/a.cu", "x/a.cu"),
            "a.o : x/a.cu \\\n  h.h\n");
  EXPECT_EQ(Rename("a.o: k/a\\ b.cu h\\ h.h\\\r\n", "k/a b.cu", "x/y z$#.cu"),
            "a.o: x/y\\ z$$\\#.cu h\\ h.h\\\r\n");
  EXPECT_EQ(Rename("a.o: k/a$$.cu", "k/a$.cu", "a.cu"), "a.o: a.cu");
  EXPECT_EQ(Rename("a.o: k/a.cu2 k/k/a.cu\n", "k/a.cu", "a.cu"),
            "a.o: k/a.cu2 k/k/a.cu\n");
  EXPECT_EQ(Rename("a.o: k/a.h\n\nk/a.h:\n", "k/a.h", "a.h"),
            "a.o: a.h\n\na.h:\n");
  EXPECT_EQ(Rename("a.o: b\\c.h\\\n", "b\\c.h", "x"), "a.o: x\\\n");
}

TEST(DepFile, NamesAsGccWritesThem) {
  EXPECT_EQ(asDependency("a.cu"), "a.cu");
  EXPECT_EQ(asDependency("././/a.cu"), "a.cu");
  EXPECT_EQ(asDependency("../a.cu"), "../a.cu");
}
