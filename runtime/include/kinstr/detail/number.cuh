// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that kernels record: any of the user's types in 32 bits.
#ifndef KINSTR_DETAIL_NUMBER_CUH
#define KINSTR_DETAIL_NUMBER_CUH

#include <cstring>
#include <kinstr/detail/ptx.cuh>
#include <kinstr/record.h>
#include <type_traits>

namespace kinstr
{
namespace detail
{

struct number
{
  std::uint32_t bits;
  number_type type;

  /// Word 1 of what is recorded; the bits are word 0.
  KINSTR_HD std::uint32_t high() const
  {
    return pack_event_high(static_cast<std::uint32_t>(type), number_site);
  }
};

enum class number_kind
{
  none,
  from_unsigned,
  from_signed, ///< enumerations too
  from_real    ///< and what converts to one: half, bfloat16, wrappers of numbers
};

template <typename T>
constexpr number_kind kind_of()
{
  return std::is_enum<T>::value ? number_kind::from_signed
         : std::is_integral<T>::value
             ? std::is_signed<T>::value ? number_kind::from_signed : number_kind::from_unsigned
         : std::is_constructible<float, T>::value ? number_kind::from_real
                                                  : number_kind::none;
}

/// Of what is no number: KINSTR_VALUE has said so.
template <typename T, number_kind = kind_of<T>()>
struct number_from
{
  KINSTR_HD static number make(const T &) { return {0, number_type::unsigned_integer}; }
};

template <typename T>
struct number_from<T, number_kind::from_unsigned>
{
  KINSTR_HD static number make(T v)
  {
    const unsigned long long wide = v;
    return {wide > 0xFFFFFFFFull ? 0xFFFFFFFFu : static_cast<std::uint32_t>(wide),
            number_type::unsigned_integer};
  }
};

template <typename T>
struct number_from<T, number_kind::from_signed>
{
  KINSTR_HD static number make(T v)
  {
    constexpr long long least = -0x80000000ll, most = 0x7FFFFFFFll;
    const long long wide    = static_cast<long long>(v);
    const long long nearest = wide < least ? least : wide > most ? most : wide;
    return {static_cast<std::uint32_t>(nearest), number_type::signed_integer};
  }
};

template <typename T>
struct number_from<T, number_kind::from_real>
{
  KINSTR_HD static number make(const T &v)
  {
    const float single = static_cast<float>(v);
    number n{0, number_type::floating_point};
    std::memcpy(&n.bits, &single, sizeof single);
    return n;
  }
};

} // namespace detail

/// Whether an expression of that type can be recorded.
template <typename T>
struct kinstr_is_number
{
  static constexpr bool value =
      detail::kind_of<typename std::decay<T>::type>() != detail::number_kind::none;
};

} // namespace kinstr

#endif // KINSTR_DETAIL_NUMBER_CUH
