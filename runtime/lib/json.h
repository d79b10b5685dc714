// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes JSON text. No checks: the caller opens, closes and names things in the right order.
#ifndef KINSTR_LIB_JSON_H
#define KINSTR_LIB_JSON_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace kinstr::rt
{

/// Length of the well-formed UTF-8 sequence `s` starts with; 0: there is none.
inline std::size_t utf8_length(std::string_view s)
{
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };

  const unsigned first     = byte(0);
  const std::size_t length = first < 0x80                     ? 1
                             : first >= 0xC2 && first <= 0xDF ? 2
                             : first >= 0xE0 && first <= 0xEF ? 3
                             : first >= 0xF0 && first <= 0xF4 ? 4
                                                              : 0;
  if (length > s.size())
  {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i)
  {
    if (byte(i) >> 6 != 2)
    {
      return 0;
    }
  }
  // Overlong forms, surrogates and what lies beyond U+10FFFF show in the second byte.
  const unsigned second = length > 2 ? byte(1) : 0;
  const bool bad        = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
                          (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
  return bad ? 0 : length;
}

/// `s` as a JSON string. File names need not be UTF-8: a byte that is not becomes U+FFFD.
inline std::string json_quoted(std::string_view s)
{
  static constexpr char hex[] = "0123456789abcdef";

  std::string out = "\"";
  while (!s.empty())
  {
    const std::size_t length = utf8_length(s);
    const auto c             = static_cast<unsigned char>(s[0]);
    if (length == 0)
    {
      out += "\\ufffd";
    }
    else if (c < 0x20)
    {
      out += {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
    }
    else
    {
      out += c == '"' || c == '\\' ? "\\" : "";
      out.append(s.substr(0, length));
    }
    s.remove_prefix(length == 0 ? 1 : length);
  }
  return out + '"';
}

class json_writer
{
  std::string out_;
  bool comma_ = false; // something precedes on this level

public:
  json_writer &begin_object() { return open('{'); }
  json_writer &end_object() { return close('}'); }
  json_writer &begin_array() { return open('['); }
  json_writer &end_array() { return close(']'); }

  /// Followed by one value, object or array. `name` holds nothing that needs an escape.
  json_writer &key(std::string_view name)
  {
    separate();
    out_ += '"';
    out_ += name;
    out_ += "\":";
    comma_ = false;
    return *this;
  }

  /// Text that is JSON already.
  json_writer &raw(std::string_view json)
  {
    separate();
    out_ += json;
    return *this;
  }

  json_writer &value(std::string_view s) { return raw(json_quoted(s)); }

  template <typename Integer, typename = std::enable_if_t<std::is_integral_v<Integer>>>
  json_writer &value(Integer i)
  {
    if constexpr (std::is_same_v<Integer, bool>)
    {
      return raw(i ? "true" : "false");
    }
    else
    {
      return raw(std::to_string(i));
    }
  }

  json_writer &value(const unsigned (&dims)[3])
  {
    begin_array();
    for (unsigned d : dims)
    {
      value(d);
    }
    return end_array();
  }

  template <typename T>
  json_writer &member(std::string_view name, const T &v)
  {
    return key(name).value(v);
  }

  const std::string &text() const { return out_; }

private:
  void separate()
  {
    if (comma_)
    {
      out_ += ',';
    }
    comma_ = true;
  }
  json_writer &open(char c)
  {
    separate();
    out_ += c;
    comma_ = false;
    return *this;
  }
  json_writer &close(char c)
  {
    out_ += c;
    comma_ = true;
    return *this;
  }
};

} // namespace kinstr::rt

#endif // KINSTR_LIB_JSON_H
