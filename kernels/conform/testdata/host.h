// What CUDA's words mean to a C++ compiler, for tests: see host_test.go.
//
// The threads of a block are fibers. One runs until it comes to a barrier or a
// shuffle, or to its end; then the next one does. The blocks of a grid run one after
// the other.

#include <cmath>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>
#include <ucontext.h>

#define __device__
#define __global__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __shared__ static

struct Index {
	unsigned int x, y, z;
};
static Index gridDim, blockDim, blockIdx, threadIdx;

[[noreturn]] static void fail(const char* what) {
	std::fprintf(stderr, "%s\n", what);
	std::exit(3);
}

// ---- fibers ----------------------------------------------------------------------

// What a fiber waits for. A block's barrier opens when all its threads that have not
// ended wait for it, a warp's when all of its lanes do.
enum Wait { NOTHING, BLOCK, WARP, END };

struct Fiber {
	ucontext_t first; // how it begins
	jmp_buf at; // where it goes on
	bool begun = false;
	Wait wait = END;
	std::vector<char> stack;
};

static std::vector<Fiber*> fibers;
static int current; // the fiber that runs
static jmp_buf scheduler;
static ucontext_t begin;
static std::function<void()> body; // of every thread
static bool backwards;

static void yield(Wait for_what) {
	Fiber& f = *fibers[current];
	f.wait = for_what;
	if (_setjmp(f.at) == 0) {
		_longjmp(scheduler, 1);
	}
}

static void main_of_fiber() {
	for (;;) {
		body();
		yield(END); // and on with the next block's thread of this number
	}
}

static void resume(int i) {
	current = i;
	const unsigned int t = i;
	threadIdx = {t % blockDim.x, t / blockDim.x % blockDim.y, t / blockDim.x / blockDim.y};
	Fiber& f = *fibers[i];
	f.wait = NOTHING;
	if (_setjmp(scheduler) == 0) {
		if (f.begun) {
			_longjmp(f.at, 1);
		}
		f.begun = true;
		swapcontext(&begin, &f.first);
	}
}

// run_block runs the threads of one block until all have ended.
static void run_block(int threads) {
	while ((int)fibers.size() < threads) {
		Fiber* f = new Fiber;
		f->stack.resize(64 << 10);
		getcontext(&f->first);
		f->first.uc_stack.ss_sp = f->stack.data();
		f->first.uc_stack.ss_size = f->stack.size();
		f->first.uc_link = nullptr;
		makecontext(&f->first, main_of_fiber, 0);
		fibers.push_back(f);
	}
	for (int i = 0; i < threads; i++) {
		resume(backwards ? threads - 1 - i : i);
	}
	for (;;) {
		bool moved = false;
		for (int w = 0; w < threads; w += 32) {
			int waiting = 0, lanes = threads - w < 32 ? threads - w : 32;
			for (int i = w; i < w + lanes; i++) {
				waiting += fibers[i]->wait == WARP;
			}
			if (waiting == lanes) {
				moved = true;
				for (int i = 0; i < lanes; i++) {
					resume(w + (backwards ? lanes - 1 - i : i));
				}
			}
		}
		if (moved) {
			continue;
		}
		int ended = 0, waiting = 0;
		for (int i = 0; i < threads; i++) {
			ended += fibers[i]->wait == END;
			waiting += fibers[i]->wait == BLOCK;
		}
		if (ended == threads) {
			return;
		}
		if (waiting != threads) {
			fail("a barrier or a shuffle that part of the threads did not come to");
		}
		for (int i = 0; i < threads; i++) {
			resume(backwards ? threads - 1 - i : i);
		}
	}
}

static inline void __syncthreads() { yield(BLOCK); }

template <typename T>
static T __shfl_xor_sync(unsigned int mask, T value, int away) {
	static T given[1024];
	if (mask != 0xffffffff) {
		fail("a shuffle among part of a warp");
	}
	const int i = current;
	given[i] = value;
	yield(WARP); // all have given
	value = given[i ^ away];
	yield(WARP); // all have taken
	return value;
}

// ---- arithmetic -------------------------------------------------------------------

// Not inlined, or the compiler might contract what CUDA's does not.
__attribute__((noinline)) static float __fmul_rn(float a, float b) { return a * b; }
__attribute__((noinline)) static double __dmul_rn(double a, double b) { return a * b; }

static inline long long min(long long a, long long b) { return a < b ? a : b; }

template <typename T>
static T atomicAdd(T* at, T x) {
	T old = *at;
	*at = old + x;
	return old;
}

static inline unsigned int __float_as_uint(float x) {
	unsigned int u;
	std::memcpy(&u, &x, 4);
	return u;
}

static inline float __uint_as_float(unsigned int u) {
	float x;
	std::memcpy(&x, &u, 4);
	return x;
}

static inline float from_half(unsigned short h) {
	const int exponent = h >> 10 & 31, fraction = h & 1023;
	const float x = exponent == 31 ? (fraction ? NAN : INFINITY)
		: exponent ? std::ldexp((float)(1024 + fraction), exponent - 25)
		: std::ldexp((float)fraction, -24);
	return h >> 15 ? -x : x;
}

static inline unsigned short to_half(float x) {
	const unsigned short sign = std::signbit(x) ? 0x8000 : 0;
	x = std::fabs(x);
	if (std::isnan(x)) {
		return 0x7fff;
	}
	if (x >= 65520) {
		return sign | 0x7c00;
	}
	if (x == 0) {
		return sign;
	}
	// In units of its last place x is rounded to an integer, ties to even.
	int exponent;
	std::frexp(x, &exponent);
	const int unit = (exponent < -13 ? -13 : exponent) - 11;
	const int n = (int)std::nearbyint(std::ldexp(x, -unit));
	// A carry runs into the exponent by itself.
	return sign | (unsigned short)((unit + 24) * 1024 + n);
}

// ---- launches ---------------------------------------------------------------------

using Argument = std::vector<char>;
using Launcher = std::function<void(std::vector<Argument>&, const std::vector<bool>&)>;

// argument returns what a parameter of type T is given.
template <typename T>
static T argument(Argument& bytes, bool buffer) {
	if constexpr (std::is_pointer_v<T>) {
		if (!buffer) {
			fail("a value for a pointer");
		}
		return bytes.empty() ? nullptr : (T)bytes.data();
	} else {
		if (buffer || bytes.size() != sizeof(T)) {
			fail("an argument of another size than its parameter");
		}
		T value;
		std::memcpy(&value, bytes.data(), sizeof(T));
		return value;
	}
}

template <typename... T, size_t... I>
static void launch_with(void (*kernel)(T...), std::vector<Argument>& args, const std::vector<bool>& buffer, std::index_sequence<I...>) {
	if (args.size() != sizeof...(T)) {
		fail("another number of arguments than of parameters");
	}
	std::tuple<T...> values(argument<T>(args[I], buffer[I])...);
	body = [&] { std::apply(kernel, values); };
	for (blockIdx.z = 0; blockIdx.z < gridDim.z; blockIdx.z++) {
		for (blockIdx.y = 0; blockIdx.y < gridDim.y; blockIdx.y++) {
			for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++) {
				run_block(blockDim.x * blockDim.y * blockDim.z);
			}
		}
	}
}

template <typename... T>
static Launcher launcher(void (*kernel)(T...)) {
	return [kernel](std::vector<Argument>& args, const std::vector<bool>& buffer) {
		launch_with(kernel, args, buffer, std::index_sequence_for<T...>{});
	};
}

static void get(void* at, size_t n) {
	if (n != 0 && std::fread(at, 1, n, stdin) != n) {
		std::exit(std::feof(stdin) ? 0 : 3);
	}
}

static long long get_number() {
	long long n;
	get(&n, 8);
	return n;
}

static Index get_index() {
	unsigned int x = get_number(), y = get_number(), z = get_number();
	return {x, y, z};
}

static int serve(std::vector<std::pair<std::string, Launcher>> kernels) {
	for (;;) {
		std::string symbol(get_number(), 0);
		get(&symbol[0], symbol.size());
		gridDim = get_index();
		blockDim = get_index();
		backwards = get_number();
		std::vector<Argument> args(get_number());
		std::vector<bool> buffer;
		for (Argument& a : args) {
			buffer.push_back(get_number());
			a.resize(get_number());
			get(a.data(), a.size());
		}
		bool found = false;
		for (auto& k : kernels) {
			if (k.first == symbol) {
				k.second(args, buffer);
				found = true;
			}
		}
		if (!found) {
			fail("no such kernel");
		}
		for (size_t i = 0; i < args.size(); i++) {
			if (buffer[i]) {
				std::fwrite(args[i].data(), 1, args[i].size(), stdout);
			}
		}
		std::fflush(stdout);
	}
}
