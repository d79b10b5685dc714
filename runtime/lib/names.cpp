// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "names.h"

#include <cstdlib>
#include <cxxabi.h>
#include <string_view>

namespace kinstr::rt
{
namespace
{

bool starts_with(std::string_view text, std::string_view start)
{
  return text.substr(0, start.size()) == start;
}

/// Empty: that is no mangled name.
std::string demangled(const std::string &name)
{
  int status             = 0;
  char *const readable   = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  const std::string copy = status == 0 && readable != nullptr ? readable : "";
  std::free(readable);
  return copy;
}

} // namespace

std::string qualified_name(const std::string &mangled)
{
  if (!starts_with(mangled, "_Z"))
  {
    return mangled; // extern "C"
  }
  const std::string text = demangled(mangled);
  std::string_view rest  = text;
  if (starts_with(rest, "void ")) // the result, which templates carry
  {
    rest.remove_prefix(5);
  }
  // The namespace that nvcc puts a static kernel into.
  if (starts_with(rest, "_INTERNAL_"))
  {
    rest.remove_prefix(std::min(rest.find("::") + 2, rest.size()));
  }
  constexpr std::string_view unnamed = "(anonymous namespace)";
  std::string name;
  unsigned angles = 0;
  while (!rest.empty())
  {
    std::size_t taken = 1;
    if (angles == 0 && starts_with(rest, unnamed))
    {
      taken = unnamed.size();
      name += unnamed;
    }
    else if (rest[0] == '<')
    {
      ++angles;
    }
    else if (rest[0] == '>')
    {
      --angles;
    }
    else if (angles == 0)
    {
      if (rest[0] == '(') // the parameters
      {
        break;
      }
      name += rest[0];
    }
    rest.remove_prefix(taken);
  }
  return name;
}

} // namespace kinstr::rt
