// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A scanner for the JSON tables of a module: enough to find a few of its keys.
#include "tables.h"

#include <charconv>
#include <cstddef>

namespace kinstr::rt
{
namespace
{

class scanner
{
  std::string_view text_;

public:
  explicit scanner(std::string_view text) : text_(text) { skip_space(); }

  bool accept(char c)
  {
    if (text_.empty() || text_[0] != c)
    {
      return false;
    }
    text_.remove_prefix(1);
    skip_space();
    return true;
  }

  /// The text between the quotes, escapes as written.
  std::string_view string()
  {
    if (text_.empty() || text_[0] != '"')
    {
      return {};
    }
    std::size_t end = 1;
    while (end < text_.size() && text_[end] != '"')
    {
      end += text_[end] == '\\' ? 2 : 1;
    }
    return take(end + 1, 1);
  }

  /// -1 where there is none.
  int integer()
  {
    const std::string_view digits = scalar();
    int value                     = -1;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
  }

  /// Skips one value of any kind.
  void skip()
  {
    int depth = 0;
    do
    {
      if (text_.empty())
      {
        return;
      }
      const char c = text_[0];
      if (c == '"')
      {
        string();
      }
      else if (c == '{' || c == '[')
      {
        ++depth;
        accept(c);
      }
      else if (c == '}' || c == ']')
      {
        --depth;
        accept(c);
      }
      else if (c == ',' || c == ':')
      {
        accept(c);
      }
      else
      {
        scalar();
      }
    } while (depth > 0);
  }

  /// Calls visit(key) for each member of the object here; it must consume the value.
  template <typename Visit>
  void object(Visit visit)
  {
    if (!accept('{'))
    {
      return skip();
    }
    while (!text_.empty() && !accept('}'))
    {
      const std::string_view key = string();
      if (!accept(':'))
      {
        text_ = {};
        return;
      }
      visit(key);
      accept(',');
    }
  }

  /// Calls visit() for each element of the array here; it must consume the element.
  template <typename Visit>
  void array(Visit visit)
  {
    if (!accept('['))
    {
      return skip();
    }
    while (!text_.empty() && !accept(']'))
    {
      visit();
      accept(',');
    }
  }

private:
  /// A number, true, false or null.
  std::string_view scalar()
  {
    const std::size_t end = text_.find_first_of(",:]}[{\" \t\r\n");
    return take(end == 0 ? 1 : end, 0);
  }

  /// Removes `size` characters and what separates them from the next token.
  std::string_view take(std::size_t size, std::size_t quote)
  {
    size                        = size < text_.size() ? size : text_.size();
    const std::string_view body = text_.substr(0, size);
    text_.remove_prefix(size);
    skip_space();
    return body.size() < 2 * quote ? std::string_view() : body.substr(quote, size - 2 * quote);
  }

  void skip_space()
  {
    const std::size_t begin = text_.find_first_not_of(" \t\r\n");
    text_.remove_prefix(begin == std::string_view::npos ? text_.size() : begin);
  }
};

} // namespace

table_contents read_tables(std::string_view json)
{
  table_contents contents;
  scanner in(json);
  in.object(
      [&](std::string_view table)
      {
        if (table == "file")
        {
          contents.file = in.string();
        }
        else if (table == "kernels")
        {
          in.array(
              [&]
              {
                std::string_view name;
                std::string_view function;
                std::string_view buffer;
                in.object(
                    [&](std::string_view key)
                    {
                      key == "name"       ? void(name = in.string())
                      : key == "function" ? void(function = in.string())
                      : key == "buffer"   ? void(buffer = in.string())
                                          : in.skip();
                    });
                if (buffer != "global")
                {
                  contents.keeping_kernels.emplace_back(name);
                }
                contents.kernel_functions.emplace_back(function.empty() ? name : function);
              });
        }
        else if (table == "launches")
        {
          in.array(
              [&]
              {
                int kernel = -1;
                in.object([&](std::string_view key)
                          { key == "kernel" ? void(kernel = in.integer()) : in.skip(); });
                contents.launch_kernels.push_back(kernel);
              });
        }
        else
        {
          in.skip();
        }
      });
  return contents;
}

} // namespace kinstr::rt
