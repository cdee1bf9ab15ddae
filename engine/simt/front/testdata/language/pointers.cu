// Pointers, arrays of any rank, references.
__device__ void swap(int* a, int* b) { int t = *a; *a = *b; *b = t; }
__device__ void exchange(int& a, int& b) { int t = a; a = b; b = t; }
__device__ int sum(const int* p, int n) { int s = 0; for (const int* e = p + n; p != e; ++p) s += *p; return s; }
__device__ int trace(int m[3][3]) { int s = 0; for (int i = 0; i < 3; i++) s += m[i][i]; return s; }
__device__ int rows(const int (*m)[3], int n) { int s = 0; for (int i = 0; i < n; i++) s += m[i][0]; return s; }
template <int N> __device__ int length(const int (&a)[N]) { return N * 100 + a[N - 1]; }
__device__ int& at(int* p, int i) { return p[i]; }
struct Node { int value; Node* next; };
extern "C" __global__ void k(int* out) {
	int n = 0;
	int a[5] = {1, 2, 3, 4, 5};
	int* p = a;
	out[n++] = *p++; out[n++] = *p; out[n++] = *++p; out[n++] = (*p)++; out[n++] = a[2]; out[n++] = p[-1]; out[n++] = *(p + 2); out[n++] = 1[p];
	out[n++] = (int)(p - a); out[n++] = p > a; out[n++] = p == &a[2]; out[n++] = &a[5] - &a[0]; p += 2; out[n++] = *p; p -= 3; out[n++] = *p;
	swap(&a[0], a + 4); out[n++] = a[0]; out[n++] = a[4];
	exchange(a[1], a[3]); out[n++] = a[1]; out[n++] = a[3];
	int x = 3, y = 8; exchange(x, y); out[n++] = x; out[n++] = y; swap(&x, &y); out[n++] = x;
	out[n++] = sum(a, 5); out[n++] = sum(a + 1, 2);
	int m[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
	out[n++] = trace(m); out[n++] = rows(m, 3); out[n++] = m[1][2]; out[n++] = *m[2]; out[n++] = *(*(m + 1) + 1); out[n++] = sizeof m; out[n++] = sizeof m[0]; out[n++] = &m[2][0] - &m[0][0];
	int t[2][3][4];
	for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) for (int l = 0; l < 4; l++) t[i][j][l] = 100 * i + 10 * j + l;
	out[n++] = t[1][2][3]; out[n++] = (&t[0][0][0])[17]; int (*q)[4] = t[1]; out[n++] = q[1][2]; out[n++] = length(m[1]);
	int* pp[2] = {a, &x}; int** h = pp; out[n++] = **h; out[n++] = *h[1]; *pp[1] = 77; out[n++] = x;
	int& r = a[2]; r = 50; out[n++] = a[2]; int* rp = &r; out[n++] = rp - a; const int& cr = 5 + x; out[n++] = cr;
	at(a, 1) = 9; at(a, 1) += 2; out[n++] = a[1]; out[n++] = at(a, at(a, 1) - 10);
	Node third = {3, nullptr}, second = {2, &third}, first = {1, &second};
	int s = 0; for (Node* it = &first; it; it = it->next) s = s * 10 + it->value; out[n++] = s; first.next->next->value = 9; out[n++] = third.value;
	const char* text = "hello"; out[n++] = text[1]; out[n++] = sizeof "hello"; int len = 0; while (text[len]) len++; out[n++] = len;
	char buf[] = "abc"; buf[1] = 'X'; out[n++] = buf[1]; out[n++] = sizeof buf; out[n++] = buf[3];
	void* v = a; out[n++] = *(int*)v; out[n++] = ((char*)&a[1] - (char*)a); int* null = 0; out[n++] = null == nullptr; out[n++] = !null; out[n++] = v ? 1 : 0;
	float f = 1.0f; out[n++] = *(int*)&f; unsigned char* bytes = (unsigned char*)&x; out[n++] = bytes[0]; bytes[1] = 1; out[n++] = x;
	short sh[4] = {1, 2, 3, 4}; long long all = *reinterpret_cast<long long*>(sh); out[n++] = (int)(all >> 32); uintptr_t addr = (uintptr_t)a; out[n++] = *(int*)(addr + 4);
	int* cond = x > 5 ? &x : &y; *cond = 1234; out[n++] = x; (x > y ? x : y) = 5; out[n++] = x + y;
}
