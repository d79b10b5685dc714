// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsing KINSTR_OPTIONS.
#include "options.h"

#include <charconv>

namespace kinstr::rt
{
namespace
{

template <typename Number>
bool parse_number(std::string_view text, Number &n)
{
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  return error == std::errc() && end == text.data() + text.size();
}

bool parse_value(std::string_view text, path_pattern &pattern)
{
  for (std::size_t i = text.find('%'); i != std::string_view::npos; i = text.find('%', i + 2))
  {
    const std::string_view sequence = text.substr(i, 2);
    if (sequence != "%p" && sequence != "%e" && sequence != "%%")
    {
      return false;
    }
  }
  pattern.text = text;
  return !text.empty() && text.back() != '/';
}

bool parse_value(std::string_view text, megabytes &size)
{
  // A word's index has 32 bits (record.h), so an arena ends just below 16 GiB.
  return parse_number(text, size.count) && size.count >= 1 && size.count < 16384;
}

bool parse_value(std::string_view text, seconds &time)
{
  constexpr std::uint64_t most = 1000000000; // a clock's nanoseconds have room for it
  return parse_number(text, time.count) && time.count <= most;
}

bool parse_value(std::string_view text, launch_window &window)
{
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos)
  {
    return parse_number(text, window.skip);
  }
  return parse_number(text.substr(0, colon), window.skip) &&
         parse_number(text.substr(colon + 1), window.count);
}

bool parse_value(std::string_view text, sampling &samples)
{
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos)
  {
    return parse_number(text, samples.every) && samples.every >= 1;
  }
  return parse_number(text.substr(0, colon), samples.first) &&
         parse_number(text.substr(colon + 1), samples.count) && samples.count >= 1;
}

bool parse_value(std::string_view text, attach_moment &moment)
{
  moment.at_load = text == "load";
  return moment.at_load || text == "launch";
}

bool parse_value(std::string_view text, overflow_mode &mode)
{
  mode = text == "ring"   ? overflow_mode::ring
         : text == "grow" ? overflow_mode::grow
                          : overflow_mode::stop;
  return mode != overflow_mode::stop || text == "stop";
}

bool parse_value(std::string_view text, arena_place &place)
{
  place.on_host = text == "host";
  place.chosen  = true;
  return place.on_host || text == "device";
}

std::string known_keys()
{
  std::string keys;
#define KINSTR_OPTION(TYPE, KEY, VALUE, ...)                                                       \
  keys += (keys.empty() ? "" : ", ") + std::string(#KEY "=" VALUE);
#include "options.def"
  return keys;
}

/// Only a value that was read whole replaces the default.
template <typename T>
bool assign(std::string_view text, T &option)
{
  T value{};
  if (!parse_value(text, value))
  {
    return false;
  }
  option = value;
  return true;
}

/// Empty, or what is wrong with `item`.
std::string parse_item(std::string_view item, options &values)
{
  const std::size_t equals   = item.find('=');
  const std::string_view key = item.substr(0, equals);
  const std::string_view value =
      equals == std::string_view::npos ? std::string_view() : item.substr(equals + 1);

#define KINSTR_OPTION(TYPE, KEY, VALUE, ...)                                                       \
  if (key == #KEY)                                                                                 \
  {                                                                                                \
    return assign(value, values.KEY) ? std::string()                                               \
                                     : "invalid value in '" + std::string(item) + "'";             \
  }
#include "options.def"
  return "unknown key '" + std::string(key) + "'";
}

} // namespace

parsed_options parse_options(std::string_view text)
{
  parsed_options parsed;
  while (!text.empty())
  {
    const std::size_t comma     = text.find(',');
    const std::string_view item = text.substr(0, comma);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    if (item.empty())
    {
      continue;
    }
    if (const std::string fault = parse_item(item, parsed.values); !fault.empty())
    {
      parsed.complaints.push_back("KINSTR_OPTIONS: " + fault + " (known: " + known_keys() + ")");
    }
  }
  return parsed;
}

std::string expand(const path_pattern &pattern, long pid, std::string_view program)
{
  std::string path;
  for (std::size_t i = 0; i < pattern.text.size(); ++i)
  {
    if (pattern.text[i] != '%')
    {
      path += pattern.text[i];
      continue;
    }
    switch (pattern.text[++i]) // parse_value() saw to it that there is one
    {
    case 'p':
      path += std::to_string(pid);
      break;
    case 'e':
      path += program;
      break;
    default:
      path += '%';
    }
  }
  return path;
}

std::string numbered(const std::string &path, unsigned file)
{
  if (file == 0)
  {
    return path;
  }
  const std::size_t slash = path.rfind('/');
  const std::size_t base  = slash == std::string::npos ? 0 : slash + 1;
  std::size_t dot         = path.rfind('.');
  if (dot == std::string::npos || dot <= base) // no extension; a leading dot hides a file
  {
    dot = path.size();
  }
  return path.substr(0, dot) + '.' + std::to_string(file) + path.substr(dot);
}

} // namespace kinstr::rt
