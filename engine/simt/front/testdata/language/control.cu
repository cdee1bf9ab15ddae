// Loops, switches and returns.
__device__ int classify(int x) {
	switch (x) {
	case 0: return 100;
	case 1:
	case 2: x += 10;
	case 3: x += 20; break;
	default: x = -1;
	case 7: x *= 2; break;
	case -5: { int y = x; x = y * y; } break;
	}
	return x;
}
__device__ int find(const int* a, int n, int v) { for (int i = 0; i < n; i++) if (a[i] == v) return i; return -1; }
__device__ int collatz(int x) { int n = 0; while (x != 1) { x = x % 2 ? 3 * x + 1 : x / 2; n++; } return n; }
__device__ int nested(int limit) {
	int s = 0;
	for (int i = 0; i < 10; i++) {
		if (i == 3) continue;
		for (int j = 0;; j++) {
			if (j > i) break;
			if ((i + j) % 2) continue;
			s += i * j;
			if (s > limit) return s;
		}
	}
	return -s;
}
__device__ int state(int x) { // a switch in a loop
	int s = 0, n = 0;
	for (;;) {
		switch (s) {
		case 0: s = 2; n += 1; continue;
		case 1: s = 3; n += 10; break;
		case 2: s = 1; n += 100; if (x) break; n += 1000; break;
		case 3: return n;
		}
		n += 10000;
	}
}
__device__ int sign(float x) { if (x > 0) return 1; else if (x < 0) return -1; return 0; }
__device__ void early(int* p, int x) { if (x < 0) return; *p += x; if (x > 5) { return; } *p += 100; }
extern "C" __global__ void k(int* out) {
	int n = 0;
	for (int i = -6; i < 9; i++) out[n++] = classify(i);
	int a[6] = {4, 8, 15, 16, 23, 42}; out[n++] = find(a, 6, 16); out[n++] = find(a, 6, 17); out[n++] = collatz(27); out[n++] = nested(1000); out[n++] = nested(20); out[n++] = state(0); out[n++] = state(1);
	out[n++] = sign(2) + 10 * sign(-2) + 100 * sign(0); int acc = 0; early(&acc, -1); early(&acc, 3); early(&acc, 9); out[n++] = acc;
	int i = 0; do { i++; if (i == 3) continue; if (i > 6) break; acc += i; } while (i < 100); out[n++] = i; out[n++] = acc;
	i = 5; while (i-- > 0) acc++; out[n++] = i; out[n++] = acc; for (int l = 0, r = 9; l < r; l++, r--) acc += r - l; out[n++] = acc;
	for (int v : a) acc += v; out[n++] = acc; for (int& v : a) v *= 2; out[n++] = a[5]; for (auto v : a) acc ^= v; out[n++] = acc;
	while (int left = 50 - n) { if (left < 40) break; out[n++] = left; } if (int r = find(a, 6, 30)) out[n++] = r; else out[n++] = -100 - r; if (int q = 3; q > 2) out[n++] = q;
	int x = 0; if (x) { acc = 1; } else if (!x) acc = 2; else acc = 3; out[n++] = acc; if (x == 0) if (acc == 3) acc = 4; else acc = 5; out[n++] = acc;
	#pragma unroll
	for (int u = 0; u < 8; u++) { if (u == 2) continue; if (u == 6) break; acc = acc * 2 + u; }
	out[n++] = acc;
	#pragma unroll 1
	for (int u = 8; u; u >>= 1) acc += u;
	out[n++] = acc; for (unsigned s = 16; s > 0; s /= 2) acc += s; out[n++] = acc; for (int u = 10; u >= 0; u -= 3) acc += u; out[n++] = acc;
	switch (acc & 3) { default: out[n++] = 1; } switch (3) { case 1: out[n++] = 5; case 3: out[n++] = 6; case 4: out[n++] = 7; break; case 5: out[n++] = 8; } switch (acc) {} { int acc = 3; out[n++] = acc; { int acc = 4; out[n++] = acc; } } ; ;
	int w = 0; for (; w < 1000;) { if (++w % 7 == 0 && w > 50) break; } out[n++] = w; for (int p = 0; p < 3; p++) { int fresh = 0; fresh += p; acc += fresh; } out[n++] = acc; bool done = false; int spins = 0; while (!done) { spins++; done = spins >= 4; } out[n++] = spins;
}
