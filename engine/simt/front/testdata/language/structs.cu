// Structs and unions: layout, methods, constructors, operators, bases.
struct Point {
	float x, y;
	__device__ Point() : x(1), y(2) {}
	__device__ Point(float a, float b) : x(a), y(b) {}
	__device__ explicit Point(int a) : Point(a, a + 1) {}
	__device__ float dot(const Point& o) const { return x * o.x + y * o.y; }
	__device__ Point& move(float d) { x += d; this->y += d; return *this; }
	__device__ Point operator+(const Point& o) const { return Point(x + o.x, y + o.y); }
	__device__ Point operator-() const { return Point(-x, -y); }
	__device__ Point& operator+=(const Point& o) { x += o.x; y += o.y; return *this; }
	__device__ bool operator==(const Point& o) const { return x == o.x && y == o.y; }
	__device__ float operator[](int i) const { return i ? y : x; }
	__device__ float operator()(float a, float b = 10) const { return a * x + b * y; }
	__device__ explicit operator bool() const { return x != 0; }
	__device__ operator float() const { return x; }
	static const int dims = 2;
	__device__ static int twice(int a) { return 2 * a; }
};
__device__ Point operator*(float s, Point p) { return Point(s * p.x, s * p.y); }
__device__ bool operator<(const Point& a, const Point& b) { return a.x < b.x; }
struct Counter {
	int n = 5;
	int m{7};
	__device__ int operator++() { return ++n; }
	__device__ int operator++(int) { return n++; }
	__device__ Counter* operator->() { return this; }
	mutable int seen = 0;
	__device__ int look() const { return ++seen; }
};
struct Mixed { char a; double b; short c; int d[3]; char e; };
struct __align__(16) Wide { int a; };
union Bits { float f; unsigned u; unsigned char b[4]; };
struct Tagged { int kind; union { int i; float f; }; struct { short lo, hi; } parts; };
struct Base { int a; __device__ Base(int a = 3) : a(a) {} __device__ int get() const { return a; } __device__ int twice() const { return 2 * get(); } };
struct Derived : Base { int b; __device__ Derived(int x, int y) : Base(x), b(y) {} __device__ int get() const { return a + b; } };
struct Plain : Base { int c = 4; };
struct Outer { struct Inner { int v; }; Inner in[2]; enum Kind { A = 3, B }; Kind kind; typedef int number; number n; };
struct Big { float data[8]; int n; __device__ float sum() const { float s = 0; for (int i = 0; i < n; i++) s += data[i]; return s; } };
__device__ Big fill(int n) { Big b; b.n = n; for (int i = 0; i < 8; i++) b.data[i] = i * n; return b; }
__device__ int by_value(Point p) { p.x = 100; return (int)p.x; }
__device__ void by_reference(Point& p) { p.x = 100; }
struct Empty {};
struct Holder { int& ref; int own; };
typedef struct { int u, v; } Pair;
struct Later { __device__ int first(int x) { return second(x) + third + round(x); } __device__ int operator()(int x) const { return helper(x) * 2; } int third = 5; __device__ int second(int x) { return x * third; } __device__ static int round(int x) { return x / 10; } private: __device__ static int helper(int x) { return x + LIMIT; } static constexpr int LIMIT = 7; };
extern "C" __global__ void k(int* out) {
	int n = 0;
	Point p, q(3, 4), r = Point(5), s{6, 7}, t = {8, 9};
	out[n++] = (int)p.x; out[n++] = (int)q.y; out[n++] = (int)r.y; out[n++] = (int)s.x; out[n++] = (int)t.y;
	out[n++] = (int)q.dot(s); out[n++] = (int)(p + q).y; out[n++] = (int)(-q).x; out[n++] = (int)q.move(1).move(2).x; out[n++] = (int)q[1]; out[n++] = (int)q(2); out[n++] = (int)q(2, 1);
	p += q; out[n++] = (int)p.x; out[n++] = p == q; out[n++] = p == p; Point z = 2.0f * p; out[n++] = (int)z.x; out[n++] = q < z; if (z) out[n++] = 11; float fx = z; out[n++] = (int)fx; out[n++] = Point::dims; out[n++] = Point::twice(4); out[n++] = p.twice(5);
	out[n++] = by_value(p); out[n++] = (int)p.x; by_reference(p); out[n++] = (int)p.x; Point copy = p; copy.y = 1; out[n++] = (int)p.y; p = copy; out[n++] = (int)p.y;
	Counter c; out[n++] = c.n; out[n++] = ++c; out[n++] = c++; out[n++] = c.n; out[n++] = c.m; out[n++] = c->m; const Counter cc = c; cc.look(); out[n++] = cc.look();
	out[n++] = sizeof(Mixed); out[n++] = alignof(Mixed); out[n++] = sizeof(Wide); out[n++] = sizeof(Bits); out[n++] = sizeof(Tagged); out[n++] = sizeof(Empty); out[n++] = sizeof(Derived); out[n++] = sizeof(Outer); out[n++] = sizeof(float3); out[n++] = sizeof(float4); out[n++] = alignof(double2);
	Bits b; b.f = 1.0f; out[n++] = b.u; b.b[3] = 0x40; out[n++] = (int)b.f; Bits b2 = b; out[n++] = b2.u; Bits b3 = {2.5f}; out[n++] = b3.u;
	Tagged g; g.kind = 1; g.f = 2.0f; out[n++] = g.i; g.parts.lo = 3; g.parts.hi = 4; out[n++] = g.parts.lo * 10 + g.parts.hi; Tagged g2 = g; out[n++] = g2.i + g2.parts.hi;
	Derived d(10, 20); out[n++] = d.get(); out[n++] = d.twice(); out[n++] = d.Base::get(); Base& br = d; out[n++] = br.get(); Base* bp = &d; out[n++] = bp->a; bp->a = 1; out[n++] = d.get(); Base sliced = d; out[n++] = sliced.a; out[n++] = static_cast<Derived*>(bp)->b;
	Plain pl; out[n++] = pl.a * 10 + pl.c; Base dflt; out[n++] = dflt.a;
	Outer o = {{{1}, {2}}, Outer::B, 6}; out[n++] = o.in[1].v; out[n++] = o.kind; out[n++] = o.n; Outer::Inner in = o.in[0]; out[n++] = in.v; Outer::number num = 5; out[n++] = num;
	Big big = fill(3); out[n++] = (int)big.sum(); out[n++] = (int)fill(2).data[5]; out[n++] = (int)fill(4).sum(); Big other; other = big; other.data[1] = 50; out[n++] = (int)(other.sum() - big.sum());
	int target = 5; Holder h = {target, 6}; h.ref = 9; out[n++] = target; h.own = h.ref; out[n++] = h.own;
	Pair pr = {1, 2}; Pair pr2 = {.u = 3, .v = 4}; out[n++] = pr.u + pr2.v; Pair arr[3] = {{1, 2}, {3}, }; out[n++] = arr[0].v + arr[1].u + arr[1].v + arr[2].u; Pair zero{}; out[n++] = zero.u;
	struct Local { int v; __device__ int get() const { return v * 3; } }; Local loc{4}; out[n++] = loc.get(); Pair* hp = &arr[1]; hp->v = 8; out[n++] = (*hp).v; out[n++] = Pair{5, 6}.v; out[n++] = (Pair{7, 8}).u;
	pr = {10, 20}; out[n++] = pr.v; auto made = Point(1, 1) + Point(2, 2); out[n++] = (int)made.x; bool t1 = Point(0, 1) ? true : false; out[n++] = t1;
	int i3 = 0; Pair order = {++i3, ++i3}; out[n++] = order.u * 10 + order.v; order = {order.v, order.u}; out[n++] = order.u * 10 + order.v;
	Later late; out[n++] = late.first(30); out[n++] = late(3);
}
