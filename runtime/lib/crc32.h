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
#if defined(__x86_64__)
#  include <immintrin.h>
#endif

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

#if defined(__x86_64__)

#  define KINSTR_CLMUL [[gnu::target("pclmul,sse4.1")]] inline

KINSTR_CLMUL __m128i crc32_load(const unsigned char *p)
{
  return _mm_loadu_si128(reinterpret_cast<const __m128i *>(p));
}

/// Takes `x` as far on as `k` says, to `next`.
KINSTR_CLMUL __m128i crc32_fold(__m128i x, __m128i k, __m128i next)
{
  const __m128i low  = _mm_clmulepi64_si128(x, k, 0x00);
  const __m128i high = _mm_clmulepi64_si128(x, k, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

/// By multiplication without carries: 64 bytes are folded into the next 64, and what is left of it
/// reduced (Gopal et al., "Fast CRC computation for generic polynomials using PCLMULQDQ", Intel
/// 2009; the constants are theirs for this polynomial, reflected). `size` is at least 64 and a
/// multiple of 16; `crc` and the result are inverted.
KINSTR_CLMUL std::uint32_t crc32_folded(std::uint32_t crc, const unsigned char *p, std::size_t size)
{
  const __m128i by_64   = _mm_set_epi64x(0x01c6e41596, 0x0154442bd4);
  const __m128i by_16   = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0);
  const __m128i by_8    = _mm_set_epi64x(0, 0x0163cd6124);
  const __m128i barrett = _mm_set_epi64x(0x01f7011641, 0x01db710641);
  const __m128i low_32s = _mm_setr_epi32(~0, 0, ~0, 0);

  __m128i x[4];
  for (int i = 0; i < 4; ++i)
  {
    x[i] = crc32_load(p + 16 * i);
  }
  x[0] = _mm_xor_si128(x[0], _mm_cvtsi32_si128(static_cast<int>(crc)));
  for (p += 64, size -= 64; size >= 64; p += 64, size -= 64)
  {
    for (int i = 0; i < 4; ++i)
    {
      x[i] = crc32_fold(x[i], by_64, crc32_load(p + 16 * i));
    }
  }
  __m128i r = crc32_fold(crc32_fold(crc32_fold(x[0], by_16, x[1]), by_16, x[2]), by_16, x[3]);
  for (; size >= 16; p += 16, size -= 16)
  {
    r = crc32_fold(r, by_16, crc32_load(p));
  }
  r         = _mm_xor_si128(_mm_srli_si128(r, 8), _mm_clmulepi64_si128(r, by_16, 0x10));
  r         = _mm_xor_si128(_mm_srli_si128(r, 4),
                            _mm_clmulepi64_si128(_mm_and_si128(r, low_32s), by_8, 0x00));
  __m128i q = _mm_clmulepi64_si128(_mm_and_si128(r, low_32s), barrett, 0x10);
  q         = _mm_clmulepi64_si128(_mm_and_si128(q, low_32s), barrett, 0x00);
  return static_cast<std::uint32_t>(_mm_extract_epi32(_mm_xor_si128(r, q), 1));
}

#  undef KINSTR_CLMUL
#endif

/// Continues `crc`, the checksum of the bytes before; 0 at the start.
inline std::uint32_t crc32(std::uint32_t crc, const void *data, std::size_t size)
{
  static constexpr crc32_tables t = make_crc32_tables();

  const auto *p = static_cast<const unsigned char *>(data);
  crc           = ~crc;
#if defined(__x86_64__)
  if (size >= 64 && __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1"))
  {
    const std::size_t whole = size & ~std::size_t{15};
    crc                     = crc32_folded(crc, p, whole);
    p += whole;
    size -= whole;
  }
#endif
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
