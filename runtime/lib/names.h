// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel names. No CUDA here.
#ifndef KINSTR_LIB_NAMES_H
#define KINSTR_LIB_NAMES_H

#include <string>

namespace kinstr::rt
{

/// "ns::kernel" for the mangled name of "void ns::kernel<float, 4>(float *)": as kinstr writes
/// "function" into the tables. Empty where the name cannot be read.
std::string qualified_name(const std::string &symbol);

} // namespace kinstr::rt

#endif // KINSTR_LIB_NAMES_H
