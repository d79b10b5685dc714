// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kinstr's own options, and all of nvcc's.

include "NvccOptions.td"

def help : Flag<["--"], "help">, HelpText<"Print this help">;
def help_short : Flag<["-"], "h">, Alias<help>, HelpText<"The same">;
def version : Flag<["--"], "version">,
    HelpText<"Print the versions of kinstr, LLVM and the ABI">;
def version_short : Flag<["-"], "V">, Alias<version>, HelpText<"The same">;
def output : JoinedOrSeparate<["-"], "o">, MetaVarName<"<file>">,
    HelpText<"Write to <file>; '-' or no -o: standard output">;
def output_long : Separate<["--"], "output-file">, Alias<output>,
    MetaVarName<"<file>">, HelpText<"The same">;
def output_eq : Joined<["--"], "output-file=">, Alias<output>;
def auto : Flag<["--"], "auto">,
    HelpText<"Choose phases for kernels that have no annotations">;
def auto_eq : Joined<["--"], "auto=">, MetaVarName<"<regex>">,
    HelpText<"The same, for kernels whose qualified name matches">;
def emit_annotations : Flag<["--"], "emit-annotations">,
    HelpText<"With --auto: write the chosen annotations into a copy of the "
             "source, to be edited and kept, and time nothing">;
def buffer_eq : Joined<["--"], "buffer=">, MetaVarName<"<kind>">,
    HelpText<"Where events wait until the warp leaves: 'shared', 'lanes', "
             "'global', or 'auto', the default: shared where that is safe, "
             "else lanes, or global for phases in loops">;
def buffer : Separate<["--"], "buffer">, Alias<buffer_eq>;
def write_through : Flag<["--"], "write-through">,
    HelpText<"Have every event in global memory at once, with the buffer "
             "'global' for all kernels: what was recorded before a hang">;
def twin : Flag<["--"], "twin">,
    HelpText<"Keep each kernel's body a second time, without marks, and run "
             "that in blocks that do not record">;
def database : Separate<["-"], "p">, MetaVarName<"<build>">,
    HelpText<"Take the flags from the compile_commands.json of a build "
             "folder, or from that file; more flags may follow">;
def cuda_path_eq : Joined<["--"], "cuda-path=">, MetaVarName<"<dir>">,
    HelpText<"The CUDA toolkit. Default: $CUDA_HOME, $CUDA_PATH, that of the "
             "nvcc on PATH, /usr/local/cuda">;
def cuda_path : Separate<["--"], "cuda-path">, Alias<cuda_path_eq>;
def no_remarks : Flag<["--"], "no-remarks">,
    HelpText<"Print errors and warnings only">;
def remarks : Flag<["--"], "remarks">,
    HelpText<"Print remarks too: the default, for use behind --no-remarks">;
def nvcc_flags : Flag<["--"], "nvcc-flags">,
    HelpText<"Print the flags nvcc needs for a rewritten file, and exit">;
def dash_dash : Option<["--"], "", KIND_REMAINING_ARGS>,
    HelpText<"The arguments that follow go to clang as they are">;
