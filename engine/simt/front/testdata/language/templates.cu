// Templates of functions, structs, aliases and constants.
template <typename T> __device__ T twice(T x) { return x + x; }
template <typename T, int N> __device__ T power(T x) { T r = 1; for (int i = 0; i < N; i++) r *= x; return r; }
template <int N> __device__ int depth() { return 1 + depth<N - 1>(); }
template <> __device__ int depth<0>() { return 0; }
template <typename T> __device__ int kind(T) { return 0; }
template <typename T> __device__ int kind(T*) { return 1; }
template <typename T> __device__ int kind(const T*) { return 2; }
__device__ int kind(int) { return 3; }
template <typename T> __device__ const char* name() { return "other"; }
template <> __device__ const char* name<float>() { return "float"; }
template <typename A, typename B> __device__ auto add(A a, B b) -> decltype(a + b) { return a + b; }
template <typename A, typename B = A> __device__ B convert(A a) { return (B)a; }
template <typename T> struct Max { __device__ T operator()(T a, T b) const { return a > b ? a : b; } };
template <typename T, typename Op> __device__ T reduce(const T* a, int n, Op op) { T r = a[0]; for (int i = 1; i < n; i++) r = op(r, a[i]); return r; }
template <typename T, int R, int C = R> struct Matrix {
	T v[R][C];
	static const int rows = R;
	typedef T element;
	__device__ Matrix() { for (int i = 0; i < R; i++) for (int j = 0; j < C; j++) v[i][j] = i * C + j; }
	__device__ T& operator()(int i, int j) { return v[i][j]; }
	template <int K> __device__ Matrix<T, R, K> times(const Matrix<T, C, K>& o) const {
		Matrix<T, R, K> out;
		for (int i = 0; i < R; i++) for (int j = 0; j < K; j++) { T s = 0; for (int l = 0; l < C; l++) s += v[i][l] * o.v[l][j]; out.v[i][j] = s; }
		return out;
	}
	__device__ T trace() const;
};
template <typename T, int R, int C> __device__ T Matrix<T, R, C>::trace() const { T s = 0; for (int i = 0; i < R && i < C; i++) s += v[i][i]; return s; }
template <typename T> struct Traits { static const int size = sizeof(T); static constexpr bool is_float = false; };
template <> struct Traits<float> { static const int size = 40; static constexpr bool is_float = true; };
template <typename T> struct Traits<T*> { static const int size = 1000 + Traits<T>::size; static constexpr bool is_float = false; };
template <int N> struct Fact { static const int value = N * Fact<N - 1>::value; };
template <> struct Fact<0> { static const int value = 1; };
template <typename T> struct Same { typedef T type; };
template <typename T> __device__ typename Same<T>::type same(T x) { typename Same<T>::type y = x; return y; }
template <typename T> using Vec3 = Matrix<T, 1, 3>;
template <typename T> constexpr T two = T(2);
template <typename T> __device__ int pick() { if constexpr (sizeof(T) == 4) { return 4; } else { return sizeof(T) * 10; } }
template <typename T, int N> __device__ int total(const T (&a)[N]) { int s = 0; for (int i = 0; i < N; i++) s += a[i]; return s; }
template <bool B> struct If { template <typename X, typename Y> __device__ static X choose(X x, Y y) { return x; } };
template <> struct If<false> { template <typename X, typename Y> __device__ static Y choose(X x, Y y) { return y; } };
enum class Op { Add, Mul };
template <Op O> __device__ int apply(int a, int b) { if (O == Op::Add) return a + b; return a * b; }
template <typename T> struct Stack { T items[4]; int n = 0; __device__ void push(const T& x) { items[n++] = x; } __device__ T pop() { return items[--n]; } };
template <typename Derived> struct Shape { __device__ int area() const { return static_cast<const Derived*>(this)->side() * 2; } };
struct Square : Shape<Square> { int s; __device__ int side() const { return s; } };
template <typename T> __device__ void set(T& x, T v) { x = v; }
template <typename T> __device__ int forward_kind(T&&) { return sizeof(T); }
template <unsigned int block> __device__ int unrolled(int x) { if (block >= 512) x += 512; if (block >= 256) x += 256; if (block >= 128) x += 128; return x; }
template <bool B> struct Only {};
template <> struct Only<true> { typedef void type; };
template <typename T, typename Only<(sizeof(T) < 4)>::type* = nullptr> __device__ int width_of(T) { return 1; }
template <typename T, typename Only<(sizeof(T) >= 4)>::type* = nullptr> __device__ int width_of(T) { return 2; }
template <typename T> __device__ int marked([[maybe_unused]] T x, [[maybe_unused]] int y = 3) { return y; }
struct Opaque;
extern "C" __global__ void k(int* out) {
	int n = 0;
	out[n++] = twice(21); out[n++] = (int)(twice(1.25f) * 10); out[n++] = twice<char>(100); out[n++] = power<int, 5>(3); out[n++] = (int)power<float, 2>(1.5f);
	out[n++] = depth<7>(); int i = 1; const int ci = 2; out[n++] = kind(1.0f); out[n++] = kind(&i); out[n++] = kind(&ci); out[n++] = kind(5); out[n++] = kind('c');
	out[n++] = name<int>()[0]; out[n++] = name<float>()[0]; out[n++] = (int)(add(1, 2.5) * 10); out[n++] = sizeof(add('a', 'b')); out[n++] = convert(3.9f) == 3.9f; out[n++] = convert<float, int>(3.9f);
	int a[4] = {3, 9, 2, 7}; out[n++] = reduce(a, 4, Max<int>()); float f[3] = {1, 5, 2}; out[n++] = (int)reduce(f, 3, Max<float>{});
	Matrix<int, 2, 3> m; Matrix<int, 3, 2> m2; auto p = m.times(m2); out[n++] = p(1, 1); out[n++] = p.trace(); out[n++] = m.rows; m(0, 2) = 50; out[n++] = m.v[0][2]; Matrix<float, 2> sq; out[n++] = (int)sq.trace(); Matrix<int, 2>::element el = 4; out[n++] = el;
	out[n++] = Traits<int>::size; out[n++] = Traits<float>::size; out[n++] = Traits<float*>::size; out[n++] = Traits<double**>::size; out[n++] = Traits<float>::is_float; out[n++] = Fact<6>::value; out[n++] = same(8);
	Vec3<int> v; out[n++] = v(0, 2); out[n++] = (int)(two<float> * 1.5f); out[n++] = pick<int>() + pick<double>(); out[n++] = total(a); out[n++] = If<true>::choose(1, 2.5f); out[n++] = (int)(10 * If<false>::choose(1, 2.5f));
	out[n++] = apply<Op::Add>(3, 4) * 100 + apply<Op::Mul>(3, 4); Stack<Opaque>* none = nullptr; out[n++] = none == 0; Stack<int> st; st.push(4); st.push(5); out[n++] = st.pop() * 10 + st.pop();
	Square sqr; sqr.s = 6; out[n++] = sqr.area(); float fl; set(fl, 2.5f); out[n++] = (int)(fl * 2); out[n++] = forward_kind(i) + forward_kind(2.0); out[n++] = unrolled<256>(1);
	const int cap = 3; int arr[Fact<cap>::value]; out[n++] = sizeof(arr); out[n++] = (Traits<int>::size > 2); out[n++] = twice(twice<long long>(1LL << 33)) > 0;
	out[n++] = width_of((short)1) * 10 + width_of(1.0); out[n++] = marked(1.5f);
}
