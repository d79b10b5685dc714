// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CRC-32 of the trace file's sections: IEEE 802.3, reflected, the checksum of zlib's crc32().
#ifndef KINSTR_LIB_CRC32_H
#define KINSTR_LIB_CRC32_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kinstr::rt
{

/// table[k][b]: what byte b contributes when k bytes follow it ("slicing by 8": eight independent
/// look-ups replace a chain of eight).
using crc32_tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr crc32_tables make_crc32_tables()
{
  crc32_tables t{};
  for (std::uint32_t b = 0; b < 256; ++b)
  {
    std::uint32_t c = b;
    for (int bit = 0; bit < 8; ++bit)
    {
      c = (c >> 1) ^ ((c & 1) != 0 ? 0xEDB88320u : 0u);
    }
    t[0][b] = c;
  }
  for (std::uint32_t b = 0; b < 256; ++b)
  {
    for (std::size_t k = 1; k < t.size(); ++k)
    {
      t[k][b] = (t[k - 1][b] >> 8) ^ t[0][t[k - 1][b] & 0xFF];
    }
  }
  return t;
}

/// Continues `crc`, the checksum of the bytes before; 0 at the start.
inline std::uint32_t crc32(std::uint32_t crc, const void *data, std::size_t size)
{
  static constexpr crc32_tables t = make_crc32_tables();

  const auto *p = static_cast<const unsigned char *>(data);
  crc           = ~crc;
  for (; size >= 8; size -= 8, p += 8)
  {
    std::uint32_t low, high; // little-endian, as every host with CUDA is
    std::memcpy(&low, p, 4);
    std::memcpy(&high, p + 4, 4);
    low ^= crc;
    crc = t[7][low & 0xFF] ^ t[6][low >> 8 & 0xFF] ^ t[5][low >> 16 & 0xFF] ^ t[4][low >> 24] ^
          t[3][high & 0xFF] ^ t[2][high >> 8 & 0xFF] ^ t[1][high >> 16 & 0xFF] ^ t[0][high >> 24];
  }
  for (; size > 0; --size, ++p)
  {
    crc = (crc >> 8) ^ t[0][(crc ^ *p) & 0xFF];
  }
  return ~crc;
}

} // namespace kinstr::rt

#endif // KINSTR_LIB_CRC32_H
