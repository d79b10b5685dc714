// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All of nvcc's options: those that kinstr shares with it, and the few that
// mean something else to kinstr.

include "NvccOptions.td"

def output : NvccSeparate<"output-file">;
def output_eq : NvccEquals<"output-file">, Alias<output>;
def output_short : NvccSeparate<"o">, Alias<output>;
def output_short_eq : NvccEquals<"o">, Alias<output>;
def help : NvccFlag<"help">;
def help_short : NvccFlag<"h">, Alias<help>;
def version : NvccFlag<"version">;
def version_short : NvccFlag<"V">, Alias<version>;
