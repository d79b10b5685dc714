// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The container of docs/trace-format.md.
#include "writer.h"

#include "crc32.h"
#include "signals.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <initializer_list>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kinstr::rt
{
namespace
{

struct bytes
{
  const void *data;
  std::size_t size;
};

/// Remembers the first failure and does nothing after it, so that callers check once, at the end.
class output_file
{
  write_signals_guard signals_;
  int fd_;
  int error_;

public:
  /// Never waits for a reader. (O_NONBLOCK is without effect on a regular file.)
  explicit output_file(const char *path)
      : fd_(::open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666)),
        error_(fd_ < 0 ? errno : 0)
  {
  }
  output_file(const output_file &)            = delete;
  output_file &operator=(const output_file &) = delete;

  ~output_file() { close(); }

  void write(bytes b)
  {
    const auto *p = static_cast<const char *>(b.data);
    while (error_ == 0 && b.size > 0)
    {
      constexpr std::size_t most = std::size_t{1} << 30; // Linux writes less than 2 GiB at once
      const ssize_t n            = ::write(fd_, p, b.size < most ? b.size : most);
      if (n < 0)
      {
        error_ = errno == EINTR ? 0 : errno == EAGAIN ? wait_for_reader() : errno;
        continue;
      }
      p += n;
      b.size -= static_cast<std::size_t>(n);
    }
  }

  void write_section(section_kind kind, std::uint32_t checksum,
                     std::initializer_list<bytes> payload)
  {
    static constexpr char padding[8] = {};

    section_header header{kind, checksum, 0};
    for (bytes part : payload)
    {
      header.size += part.size;
    }
    write({&header, sizeof header});
    for (bytes part : payload)
    {
      write(part);
    }
    write({padding, static_cast<std::size_t>(-header.size & 7)});
  }

  /// 0, or the errno of what failed first. Some file systems report a full disk only here.
  int close()
  {
    if (fd_ >= 0 && ::close(fd_) != 0 && error_ == 0)
    {
      error_ = errno;
    }
    fd_ = -1;
    return error_;
  }

private:
  int wait_for_reader() const
  {
    constexpr int patience = 10000; // [ms]
    pollfd writable        = {fd_, POLLOUT, 0};
    const int n            = ::poll(&writable, 1, patience);
    return n > 0 || (n < 0 && errno == EINTR) ? 0 : n < 0 ? errno : ETIMEDOUT;
  }
};

int write_file(const char *path, const std::string &meta, const std::vector<region_copy> &regions)
{
  file_header header{{}, file_version, 0};
  std::memcpy(header.magic, file_magic, sizeof file_magic);

  output_file out(path);
  out.write({&header, sizeof header});
  out.write_section(section_kind::meta, crc32(0, meta.data(), meta.size()),
                    {{meta.data(), meta.size()}});
  for (const region_copy &r : regions)
  {
    out.write_section(section_kind::region, r.checksum,
                      {{&r.header, sizeof r.header}, {r.words.get(), r.size * sizeof r.words[0]}});
  }
  out.write_section(section_kind::end, 0, {});
  return out.close();
}

} // namespace

void seal(region_copy &r)
{
  r.checksum = crc32(0, &r.header, sizeof r.header);
  r.checksum = crc32(r.checksum, r.words.get(), r.size * sizeof r.words[0]);
}

int write_trace(const std::string &path, const std::string &meta,
                const std::vector<region_copy> &regions)
{
  struct stat info;
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && !S_ISREG(info.st_mode))
  {
    return write_file(path.c_str(), meta, regions);
  }
  // A link stays one: what it points to is replaced.
  std::string target = path;
  if (char *const real = exists ? ::realpath(path.c_str(), nullptr) : nullptr)
  {
    target = real;
    std::free(real);
  }
  const std::string temporary = target + ".tmp." + std::to_string(::getpid());
  int error                   = write_file(temporary.c_str(), meta, regions);
  if (error == 0 && std::rename(temporary.c_str(), target.c_str()) != 0)
  {
    error = errno;
  }
  if (error != 0)
  {
    ::unlink(temporary.c_str());
  }
  return error;
}

} // namespace kinstr::rt
