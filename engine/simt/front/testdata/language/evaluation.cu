// What is evaluated when, and how often.
__device__ int calls = 0;
__device__ int note(int x) { calls = calls * 10 + x; return x; }
__device__ bool yes(int x) { note(x); return true; }
__device__ bool no(int x) { note(x); return false; }
__device__ int& slot(int* a, int i) { note(i); return a[i]; }
__device__ int take() { int c = calls; calls = 0; return c; }
#define TWICE(x) ((x) + (x))
#define CAT(a, b) a##b
#define STR(x) #x
#define MAX3(a, b, c) ((a) > (b) ? ((a) > (c) ? (a) : (c)) : ((b) > (c) ? (b) : (c)))
#define FOR(i, n) for (int i = 0; i < (n); ++i)
#define DO(...) do { __VA_ARGS__; } while (0)
extern "C" __global__ void k(int* out) {
	int n = 0; bool b;
	b = yes(1) && no(2) && yes(3); out[n++] = take(); b = no(1) || yes(2) || no(3); out[n++] = take(); b = no(1) && yes(2) || yes(3); out[n++] = take() + b; int t = yes(1) ? note(2) : note(3); out[n++] = take() + t; t = (note(1), note(2), note(3)); out[n++] = take() + t;
	int a[4] = {1, 2, 3, 4}; slot(a, 1) += 5; out[n++] = take() * 100 + a[1]; slot(a, 2)++; out[n++] = take() * 100 + a[2]; --slot(a, 3); out[n++] = take() * 100 + a[3]; slot(a, 0) = note(7); out[n++] = take() * 100 + a[0]; int i = 0; a[i++] = 50; out[n++] = i * 100 + a[0]; a[++i] = 60; out[n++] = i * 100 + a[2]; int* p = a; *p++ = 70; *p++ += 1; out[n++] = a[0] * 1000 + a[1] + (int)(p - a); i = 1; a[i] = i + 5; out[n++] = a[1];
	int x = 5; x = x++ * 2; out[n++] = x; int y = x-- - --x; out[n++] = y * 100 + x; int u = 3, v = 4; u = v = 9; out[n++] = u + v; u += v -= 2; out[n++] = u * 10 + v; (u) = 3; out[n++] = -u - -v; out[n++] = u+++v; out[n++] = u; int c = 0; if (c++ == 0 && c == 1) out[n++] = c; while (c++ < 5 && c != 4) {} out[n++] = c; for (i = 0, c = 10; i < c; i++, c--) ; out[n++] = i * 10 + c; out[n++] = sizeof(note(9)) + take();
	i = 3; out[n++] = TWICE(i++); out[n++] = i; int CAT(var, 1) = 6; out[n++] = var1; out[n++] = sizeof(STR(a + b)); out[n++] = MAX3(1, 3, 2); FOR(q, 3) out[n++] = q; DO(int z = 4, w = 5; out[n++] = z + w);
#if defined(TWICE) && !defined(NOPE) && (TWICE(2) == 4)
	out[n++] = 1;
#elif 1
	out[n++] = 2;
#endif
#ifdef NOPE
	this is not C
#endif
	out[n++] = __LINE__ > 30; bool s1 = (x = 3) == 3; out[n++] = s1 + x; int r = 1; r = r ? r = 2, r + 1 : 0; out[n++] = r; int arr2[2] = {5, 6}; int k1 = 0; int val = arr2[k1++] + arr2[k1]; out[n++] = val > 0; unsigned char uc = 200; uc = uc + uc; out[n++] = uc; int m = 7; m -= m; out[n++] = m; m = - - -3; out[n++] = m; out[n++] = !m == 0; out[n++] = 10 - 5 - 2; out[n++] = 100 / 10 / 5; out[n++] = 2 * 3 % 4; out[n++] = 1 < 2 == true; out[n++] = 6 & 5 ^ 3 | 8; out[n++] = (1, 2) + 3;
}
