// What nvcc knows without an #include, and standard headers define, as far as device code uses it.
#include "compile/device_part.h"

namespace tilestep::compile {
namespace {

constexpr const char* kPrelude = R"(#pragma once
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
typedef long long intptr_t;
typedef unsigned long long uintptr_t;
typedef unsigned int uint;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned long ulong;
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295U
#define LONG_MAX 9223372036854775807L
#define LONG_MIN (-LONG_MAX - 1L)
#define ULONG_MAX 18446744073709551615UL
#define LLONG_MAX 9223372036854775807LL
#define LLONG_MIN (-LLONG_MAX - 1LL)
#define ULLONG_MAX 18446744073709551615ULL
#define INT32_MAX INT_MAX
#define INT32_MIN INT_MIN
#define UINT32_MAX UINT_MAX
#define INT64_MAX LONG_MAX
#define INT64_MIN LONG_MIN
#define UINT64_MAX ULONG_MAX
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define FLT_MAX 3.402823466e+38F
#define FLT_MIN 1.175494351e-38F
#define FLT_EPSILON 1.192092896e-07F
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#define HUGE_VALF __int_as_float(0x7f800000)
#define HUGE_VAL __longlong_as_double(0x7ff0000000000000LL)
#define M_E 2.7182818284590452354
#define M_LN2 0.69314718055994530942
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define SIZE_MAX ULONG_MAX
#define PTRDIFF_MAX LONG_MAX
#define INT8_MIN (-128)
#define INT16_MIN (-32768)
#define offsetof(T, m) ((unsigned long)__INTADDR__(&((T*)0)->m))
#ifndef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : __trap())
#endif
#endif
namespace std {
template <class T> __device__ constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T> __device__ constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
template <class T> __device__ constexpr void swap(T& a, T& b) { T c = a; a = b; b = c; }
using ::int8_t; using ::uint8_t; using ::int16_t; using ::uint16_t;
using ::int32_t; using ::uint32_t; using ::int64_t; using ::uint64_t;
template <class T, T v> struct integral_constant {
  static constexpr T value = v;
  typedef T value_type;
  constexpr __device__ operator T() const { return v; }
  constexpr __device__ T operator()() const { return v; }
};
template <bool B> using bool_constant = integral_constant<bool, B>;
typedef bool_constant<true> true_type;
typedef bool_constant<false> false_type;
template <bool B, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <bool B, class T = void> using enable_if_t = typename enable_if<B, T>::type;
template <class A, class B> struct is_same : false_type {};
template <class A> struct is_same<A, A> : true_type {};
template <class T> struct remove_const { typedef T type; };
template <class T> struct remove_const<const T> { typedef T type; };
template <class T> using remove_const_t = typename remove_const<T>::type;
template <class T> struct remove_reference { typedef T type; };
template <class T> struct remove_reference<T&> { typedef T type; };
template <class T> struct remove_reference<T&&> { typedef T type; };
template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <class T> struct remove_volatile { typedef T type; };
template <class T> struct remove_volatile<volatile T> { typedef T type; };
template <class T> using remove_cv_t = remove_const_t<typename remove_volatile<T>::type>;
template <class T> using decay_t = remove_cv_t<remove_reference_t<T>>;
template <class T> struct is_floating_point : bool_constant<is_same<remove_const_t<T>, float>::value || is_same<remove_const_t<T>, double>::value> {};
template <class T> inline constexpr bool is_floating_point_v = is_floating_point<T>::value;
template <class T> struct is_integral : false_type {};
template <class T> struct is_integral<const T> : is_integral<T> {};
template <class T> inline constexpr bool is_integral_v = is_integral<T>::value;
template <class A, class B> inline constexpr bool is_same_v = is_same<A, B>::value;
template <bool B, class T, class F> struct conditional { typedef T type; };
template <class T, class F> struct conditional<false, T, F> { typedef F type; };
template <bool B, class T, class F> using conditional_t = typename conditional<B, T, F>::type;
template <class T> struct numeric_limits;
#define TILESTEP_LIMITS(T, lowest_value, min_value, max_value, is_int)                        \
  template <> struct numeric_limits<T> {                                                      \
    static constexpr bool is_specialized = true, is_integer = is_int;                         \
    __device__ static constexpr T lowest() { return lowest_value; }                           \
    __device__ static constexpr T min() { return min_value; }                                 \
    __device__ static constexpr T max() { return max_value; }                                 \
    __device__ static T infinity() { return static_cast<T>(INFINITY); }                       \
    __device__ static T quiet_NaN() { return static_cast<T>(NAN); }                           \
    __device__ static constexpr T epsilon() { return is_int ? static_cast<T>(0) : sizeof(T) == 4 ? static_cast<T>(FLT_EPSILON) : static_cast<T>(DBL_EPSILON); } \
  };
TILESTEP_LIMITS(float, -FLT_MAX, FLT_MIN, FLT_MAX, false)
TILESTEP_LIMITS(double, -DBL_MAX, DBL_MIN, DBL_MAX, false)
TILESTEP_LIMITS(int, INT_MIN, INT_MIN, INT_MAX, true)
TILESTEP_LIMITS(unsigned int, 0U, 0U, UINT_MAX, true)
TILESTEP_LIMITS(long, LONG_MIN, LONG_MIN, LONG_MAX, true)
TILESTEP_LIMITS(unsigned long, 0UL, 0UL, ULONG_MAX, true)
TILESTEP_LIMITS(long long, LLONG_MIN, LLONG_MIN, LLONG_MAX, true)
TILESTEP_LIMITS(unsigned long long, 0ULL, 0ULL, ULLONG_MAX, true)
TILESTEP_LIMITS(short, SHRT_MIN, SHRT_MIN, SHRT_MAX, true)
TILESTEP_LIMITS(unsigned short, 0, 0, USHRT_MAX, true)
TILESTEP_LIMITS(signed char, SCHAR_MIN, SCHAR_MIN, SCHAR_MAX, true)
TILESTEP_LIMITS(unsigned char, 0, 0, UCHAR_MAX, true)
#undef TILESTEP_LIMITS
template <> struct is_integral<bool> : true_type {};
template <> struct is_integral<char> : true_type {};
template <> struct is_integral<int> : true_type {};
template <> struct is_integral<unsigned int> : true_type {};
template <> struct is_integral<long> : true_type {};
template <> struct is_integral<unsigned long> : true_type {};
template <> struct is_integral<long long> : true_type {};
template <> struct is_integral<unsigned long long> : true_type {};
template <> struct is_integral<short> : true_type {};
template <> struct is_integral<unsigned short> : true_type {};
template <> struct is_integral<signed char> : true_type {};
template <> struct is_integral<unsigned char> : true_type {};
}
)";

}  // namespace

const char* prelude() {
  return kPrelude;
}

}  // namespace tilestep::compile
