package header

// typeTraits has what templates ask about types.
const typeTraits = `
namespace std {
template <typename T, T V> struct integral_constant { static constexpr T value = V; typedef T value_type; __device__ constexpr operator T() const { return V; } };
typedef integral_constant<bool, true> true_type;
typedef integral_constant<bool, false> false_type;
template <bool B> using bool_constant = integral_constant<bool, B>;
template <typename T, typename U> struct is_same : false_type {};
template <typename T> struct is_same<T, T> : true_type {};
template <bool B, typename T, typename F> struct conditional { typedef T type; };
template <typename T, typename F> struct conditional<false, T, F> { typedef F type; };
template <bool B, typename T = void> struct enable_if {};
template <typename T> struct enable_if<true, T> { typedef T type; };
template <typename T> struct remove_const { typedef T type; };
template <typename T> struct remove_const<const T> { typedef T type; };
template <typename T> struct remove_volatile { typedef T type; };
template <typename T> struct remove_volatile<volatile T> { typedef T type; };
template <typename T> struct remove_cv { typedef typename remove_const<typename remove_volatile<T>::type>::type type; };
template <typename T> struct remove_reference { typedef T type; };
template <typename T> struct remove_reference<T&> { typedef T type; };
template <typename T> struct remove_reference<T&&> { typedef T type; };
template <typename T> struct remove_pointer { typedef T type; };
template <typename T> struct remove_pointer<T*> { typedef T type; };
template <typename T> struct decay { typedef typename remove_cv<typename remove_reference<T>::type>::type type; };
template <typename T> struct is_pointer : false_type {};
template <typename T> struct is_pointer<T*> : true_type {};
template <typename T> struct is_const : false_type {};
template <typename T> struct is_const<const T> : true_type {};
template <typename T> struct is_void : false_type {};
template <> struct is_void<void> : true_type {};
template <typename T> struct __is_integral : false_type {};
template <typename T> struct __is_floating_point : false_type {};
template <typename T> struct __is_unsigned : false_type {};
#define I(T) template <> struct __is_integral<T> : true_type {};
I(bool) I(char) I(signed char) I(unsigned char) I(short) I(unsigned short) I(int) I(unsigned int) I(long) I(unsigned long) I(long long) I(unsigned long long)
#undef I
template <> struct __is_floating_point<float> : true_type {};
template <> struct __is_floating_point<double> : true_type {};
#define U(T) template <> struct __is_unsigned<T> : true_type {};
U(bool) U(unsigned char) U(unsigned short) U(unsigned int) U(unsigned long) U(unsigned long long)
#undef U
template <typename T> struct is_integral : __is_integral<typename remove_cv<T>::type> {};
template <typename T> struct is_floating_point : __is_floating_point<typename remove_cv<T>::type> {};
template <typename T> struct is_unsigned : __is_unsigned<typename remove_cv<T>::type> {};
template <typename T> struct is_arithmetic : bool_constant<is_integral<T>::value || is_floating_point<T>::value> {};
template <typename T> struct is_signed : bool_constant<is_arithmetic<T>::value && !is_unsigned<T>::value> {};
template <typename T> struct make_unsigned;
template <typename T> struct make_signed;
#define S(T, U) \
	template <> struct make_unsigned<T> { typedef U type; }; template <> struct make_unsigned<U> { typedef U type; }; \
	template <> struct make_signed<T> { typedef T type; }; template <> struct make_signed<U> { typedef T type; };
S(signed char, unsigned char) S(short, unsigned short) S(int, unsigned int) S(long, unsigned long) S(long long, unsigned long long)
#undef S
template <typename T> using remove_const_t = typename remove_const<T>::type;
template <typename T> using remove_cv_t = typename remove_cv<T>::type;
template <typename T> using remove_reference_t = typename remove_reference<T>::type;
template <typename T> using remove_pointer_t = typename remove_pointer<T>::type;
template <typename T> using decay_t = typename decay<T>::type;
template <bool B, typename T, typename F> using conditional_t = typename conditional<B, T, F>::type;
template <bool B, typename T = void> using enable_if_t = typename enable_if<B, T>::type;
template <typename T> using make_unsigned_t = typename make_unsigned<T>::type;
template <typename T> using make_signed_t = typename make_signed<T>::type;
template <typename T, typename U> constexpr bool is_same_v = is_same<T, U>::value;
template <typename T> constexpr bool is_pointer_v = is_pointer<T>::value;
template <typename T> constexpr bool is_integral_v = is_integral<T>::value;
template <typename T> constexpr bool is_floating_point_v = is_floating_point<T>::value;
template <typename T> constexpr bool is_unsigned_v = is_unsigned<T>::value;
template <typename T> constexpr bool is_signed_v = is_signed<T>::value;
template <typename T> constexpr bool is_arithmetic_v = is_arithmetic<T>::value;
}
`

// numericLimits has std::numeric_limits. PLAIN keeps its functions from being taken
// for macros: programs define min and max as such.
const numericLimits = `
#define PLAIN
namespace std {
template <typename T> struct numeric_limits { static constexpr bool is_specialized = false; };
#define I(T, LOW, HIGH, DIGITS) \
	template <> struct numeric_limits<T> { \
		static constexpr bool is_specialized = true; static constexpr bool is_integer = true; static constexpr bool is_signed = (T)-1 < (T)0; static constexpr int digits = DIGITS; \
		static constexpr bool has_infinity = false; \
		__device__ static constexpr T min PLAIN () { return LOW; } \
		__device__ static constexpr T max PLAIN () { return HIGH; } \
		__device__ static constexpr T lowest() { return LOW; } \
	};
I(bool, false, true, 1) I(char, SCHAR_MIN, SCHAR_MAX, 7) I(signed char, SCHAR_MIN, SCHAR_MAX, 7) I(unsigned char, 0, UCHAR_MAX, 8)
I(short, SHRT_MIN, SHRT_MAX, 15) I(unsigned short, 0, USHRT_MAX, 16) I(int, INT_MIN, INT_MAX, 31) I(unsigned int, 0, UINT_MAX, 32)
I(long, LONG_MIN, LONG_MAX, 63) I(unsigned long, 0, ULONG_MAX, 64) I(long long, LLONG_MIN, LLONG_MAX, 63) I(unsigned long long, 0, ULLONG_MAX, 64)
#undef I
#define F(T, LOW, HIGH, EPS, DIGITS, INF, QNAN, TINY) \
	template <> struct numeric_limits<T> { \
		static constexpr bool is_specialized = true; static constexpr bool is_integer = false; static constexpr bool is_signed = true; static constexpr int digits = DIGITS; \
		static constexpr bool has_infinity = true; \
		__device__ static constexpr T min PLAIN () { return LOW; } \
		__device__ static constexpr T max PLAIN () { return HIGH; } \
		__device__ static constexpr T lowest() { return -HIGH; } \
		__device__ static constexpr T epsilon() { return EPS; } \
		__device__ static constexpr T infinity() { return INF; } \
		__device__ static constexpr T quiet_NaN() { return QNAN; } \
		__device__ static constexpr T denorm_min() { return TINY; } \
	};
F(float, FLT_MIN, FLT_MAX, FLT_EPSILON, 24, INFINITY, NAN, FLT_TRUE_MIN)
F(double, DBL_MIN, DBL_MAX, DBL_EPSILON, 53, CUDART_INF, CUDART_NAN, DBL_TRUE_MIN)
#undef F
}
#undef PLAIN
`
