// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "names.h"

#include <charconv>
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

/// With -rdc, nvcc calls a static kernel "__nv_static_<n>_<file, n characters>_<mangled name>".
std::string_view without_file(std::string_view name)
{
  constexpr std::string_view start = "__nv_static_";
  std::size_t length               = 0;
  if (!starts_with(name, start))
  {
    return name;
  }
  const std::string_view rest = name.substr(start.size());
  const auto [end, error]     = std::from_chars(rest.data(), rest.data() + rest.size(), length);
  const std::size_t skip      = static_cast<std::size_t>(end - rest.data()) + 1 + length + 1;
  return error == std::errc() && length < rest.size() && skip < rest.size() ? rest.substr(skip)
                                                                            : name;
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

std::string qualified_name(const std::string &symbol)
{
  std::string mangled(without_file(symbol));
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
