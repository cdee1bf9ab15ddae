// Initial values of arrays, and arrays that may be registers.
struct P { int x, y; };
struct Q { P p; int a[2]; float f; };
__device__ int tile(const int* in) {
	int acc[4][4];
	#pragma unroll
	for (int i = 0; i < 4; i++)
		#pragma unroll
		for (int j = 0; j < 4; j++) acc[i][j] = 0;
	for (int k = 0; k < 3; k++) {
		int a[4], b[4];
		#pragma unroll
		for (int i = 0; i < 4; i++) { a[i] = in[k * 4 + i]; b[i] = in[12 + k * 4 + i]; }
		#pragma unroll
		for (int i = 0; i < 4; i++)
			#pragma unroll
			for (int j = 0; j < 4; j++) acc[i][j] += a[i] * b[j];
	}
	int s = 0;
	for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) s = s * 3 + acc[i][j];
	return s;
}
__device__ int dynamic(int i) { int a[8] = {1, 2, 3}; a[i] += 10; a[7 - i]--; int s = 0; for (int j = 0; j < 8; j++) s = s * 2 + a[j]; return s; }
extern "C" __global__ void k(int* out) {
	int n = 0; int zero[3] = {}; out[n++] = zero[0] + zero[2]; int part[5] = {7, 8}; out[n++] = part[1] + part[4]; int deduced[] = {1, 2, 3, 4}; out[n++] = sizeof(deduced) / sizeof(int);
	int m[2][3] = {{1, 2}, {3}}; out[n++] = m[0][1] + m[0][2] + m[1][0] + m[1][2]; int flat[2][3] = {1, 2, 3, 4, 5}; out[n++] = flat[1][1] * 10 + flat[1][2]; P ps[] = {1, 2, 3, 4}; out[n++] = sizeof(ps) / sizeof(P); out[n++] = ps[1].x; P pb[2] = {{1, 2}, {3, 4}}; out[n++] = pb[1].y; Q q = {{1, 2}, {3, 4}, 5.5f}; out[n++] = q.a[1] + (int)q.f; Q qf = {1, 2, 3, 4, 5}; out[n++] = qf.p.y + qf.a[0]; Q qs[2] = {{{1}}, {}}; out[n++] = qs[0].p.x + qs[1].a[1];
	char text[8] = "hey"; out[n++] = text[2] + text[3]; char chars[] = {'a', 'b'}; out[n++] = sizeof chars; const char words[2][4] = {"one", "two"}; out[n++] = words[1][1]; int big[300] = {5}; int s = 0; for (int i = 0; i < 300; i++) s += big[i]; out[n++] = s; big[299] = 3; out[n++] = big[299]; static int kept[2] = {4, 5}; kept[1]++; out[n++] = kept[1];
	int in[24]; for (int i = 0; i < 24; i++) in[i] = (i * 7) % 5 + 1; out[n++] = tile(in); out[n++] = dynamic(2 + threadIdx.x); out[n++] = dynamic(5 + threadIdx.x); int reg[4]; for (int i = 0; i < 4; i++) reg[i] = i * i; out[n++] = reg[0] + reg[1] + reg[2] + reg[3]; int idx = 3 - threadIdx.x; out[n++] = reg[idx];
	float fa[3] = {1, 2, 3}; float* fp = fa; fp[1] = 9; out[n++] = (int)fa[1]; P copy[2]; for (int i = 0; i < 2; i++) copy[i] = pb[i]; copy[0].x = 50; out[n++] = copy[0].x + pb[0].x + copy[1].y; struct { int v[4]; } w = {{1, 2, 3, 4}}, w2 = w; w2.v[idx] = 40; out[n++] = w.v[3] + w2.v[3]; int nested[2][2][2] = {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}; int t = 0; for (auto& plane : nested) for (auto& line : plane) for (int v : line) t = t * 2 + v; out[n++] = t; bool flags[3] = {true, false, true}; flags[idx - 2] = true; out[n++] = flags[0] + flags[1] + flags[2]; short sh[3] = {1, -2, 3}; sh[idx - 2] *= 100; out[n++] = sh[1]; long long ll[2] = {1LL << 40, 2}; out[n++] = (int)(ll[0] >> 39) + (int)ll[idx - 2]; double d[2] = {1.5, 2.5}; d[0] += d[1]; out[n++] = (int)(d[0] * 2); unsigned char by[4] = {255, 1}; by[0]++; out[n++] = by[0] + by[1];
	int order = 0; int seq[3] = {order++, order++, order++}; out[n++] = seq[0] * 100 + seq[1] * 10 + seq[2]; int rev[4] = {1, 2, 3, 4}; for (int i = 0; i < 2; i++) { int tmp = rev[i]; rev[i] = rev[3 - i]; rev[3 - i] = tmp; } out[n++] = rev[0] * 1000 + rev[1] * 100 + rev[2] * 10 + rev[3];
}
