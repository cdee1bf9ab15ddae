// Vector types and access by several elements.
__device__ float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
__device__ float4 operator*(float s, const float4& a) { return make_float4(s * a.x, s * a.y, s * a.z, s * a.w); }
__device__ float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
__device__ inline int2 divmod(int a, int b) { return make_int2(a / b, a % b); }
struct __align__(8) Pair { float v; int i; };
struct __align__(16) Quad { float v[4]; };
extern "C" __global__ void k(int* out) {
	int n = 0; float4 a = make_float4(1, 2, 3, 4), b = {5, 6, 7, 8}; float4 c = a + 2.0f * b; out[n++] = (int)c.x; out[n++] = (int)c.w; out[n++] = (int)dot(a, b); int2 d = divmod(17, 5); out[n++] = d.x * 10 + d.y;
	__align__(16) float buf[8]; for (int i = 0; i < 8; i++) buf[i] = i; float4 v = *(float4*)buf; out[n++] = (int)(v.x + v.y + v.z + v.w); float4* w = reinterpret_cast<float4*>(buf); w[1] = make_float4(10, 20, 30, 40); out[n++] = (int)buf[6]; out[n++] = (int)w[0].y; w[0].y = 99; out[n++] = (int)buf[1]; float2 h = *(float2*)&buf[2]; out[n++] = (int)(h.x * 10 + h.y); ((float*)&v)[2] = 7; out[n++] = (int)v.z; const float* vp = &v.x; out[n++] = (int)vp[3];
	uint4 u = make_uint4(1u, 2u, 3u, 0xffffffffu); out[n++] = u.w > u.x; uchar4 uc = make_uchar4(255, 1, 2, 3); uc.x++; out[n++] = uc.x; out[n++] = *(int*)&uc; float3 f3 = make_float3(1, 2, 3); out[n++] = (int)(f3.x + f3.y + f3.z); double2 d2 = make_double2(0.5, 1.5); out[n++] = (int)(d2.x + d2.y); int4 arr[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}}; arr[0] = arr[1]; arr[1].x = 0; out[n++] = arr[0].x + arr[0].w; Pair p = {1.5f, 3}, q = p; q.i = 4; out[n++] = p.i * 10 + q.i; Pair ps[2]; ps[0] = p; ps[1] = q; out[n++] = ps[1].i; Quad qd; for (int i = 0; i < 4; i++) qd.v[i] = i * i; Quad qe = qd; out[n++] = (int)(qe.v[3] + qe.v[2]); float4 z = {}; out[n++] = (int)(z.x + z.w); float4 y{1, 2}; out[n++] = (int)(y.y + y.z); float2 sw = make_float2(1, 2); sw = make_float2(sw.y, sw.x); out[n++] = (int)(sw.x * 10 + sw.y); out[n++] = sizeof(float4) + sizeof(int2) * 100 + sizeof(uchar4) * 1000;
}
