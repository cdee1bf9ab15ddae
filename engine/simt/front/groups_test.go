package front_test

import (
	"testing"

	"workbench/engine/device"
)

// A tile hands on values of any type that can be copied byte by byte, as CUDA's do:
// vectors, structs, and what fills no whole word.
func TestShufflesOfStructs(t *testing.T) {
	const source = `
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
struct Pair { double value; int index; };
struct Rgb { unsigned char r, g, b; };
extern "C" __global__ void k(int* out) {
	const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
	const int t = threadIdx.x;
	uint4 v = tile.shfl_xor(make_uint4(t, 10 + t, 20 + t, 30 + t), 1);
	Pair p = tile.shfl(Pair{t + 0.5, t}, 3);
	Rgb c = tile.shfl_down(Rgb{(unsigned char)t, 7, (unsigned char)(200 + t)}, 1);
	double d = tile.shfl_up(t * 1e10, 2);
	auto even = cg::binary_partition(tile, t % 2 == 0);
	Pair q = even.shfl_up(Pair{0.25, t}, 1);
	out += t * 8;
	out[0] = v.x * 100 + v.w;
	out[1] = (int)(p.value * 10);
	out[2] = p.index;
	out[3] = c.r * 1000 + c.b;
	out[4] = (int)(d / 1e10);
	out[5] = q.index;
}`
	out, _ := execute(t, source, "k", 4*8*32, 32, device.Separate)
	got := ints(out)
	for lane := 0; lane < 32; lane++ {
		first := lane / 8 * 8
		below, above := lane, lane
		if lane+1 < first+8 {
			below = lane + 1
		}
		if lane-2 >= first {
			above = lane - 2
		}
		want := []int32{int32((lane^1)*100 + 30 + (lane ^ 1)), int32((first+3)*10 + 5), int32(first + 3), int32(below*1000 + 200 + below), int32(above), int32(above)}
		for i, w := range want {
			if got[lane*8+i] != w {
				t.Errorf("lane %d: number %d is %d, want %d", lane, i, got[lane*8+i], w)
			}
		}
	}
}

// A half that something is added to takes it as a half: there is one += of halves.
func TestHalvesAddNumbers(t *testing.T) {
	const source = `
extern "C" __global__ void k(int* out) {
	__half h = __float2half(1.0f);
	h += 0.5f; h *= 3; h -= 1.0;
	__nv_bfloat16 b = __float2bfloat16(256.0f);
	b += 1.0f; // between two of them: the even one
	out[0] = (int)((float)h * 100);
	out[1] = (int)(float)b;
}`
	out, _ := execute(t, source, "k", 8, 1, device.Separate)
	if got := ints(out); got[0] != 350 || got[1] != 256 {
		t.Errorf("got %v, want [350 256]", got)
	}
}

// What is computed for pairs of halves is what is computed for each of them.
func TestPairsOfHalves(t *testing.T) {
	const source = `
extern "C" __global__ void k(int* out) {
	half2 a = __floats2half2_rn(1.5f, -2.5f), b = __floats2half2_rn(1.5f, 3.0f), nan = __floats2half2_rn(NAN, 4.0f);
	half2 list[] = {h2floor(a), h2ceil(a), h2rint(a), h2trunc(a), h2log2(__float2half2_rn(8.0f)), __hadd2_sat(a, b), __hmul2_sat(a, b), __heq2(a, b), __hne2(a, b),
		__hlt2(a, b), __hge2(a, b), __hne2(a, nan), __hmax2_nan(a, b), __hmin2_nan(a, b), __hfma2_sat(a, a, b)};
	for (int i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		out[2 * i] = (int)(__low2float(list[i]) * 10);
		out[2 * i + 1] = (int)(__high2float(list[i]) * 10);
	}
	half2 n = __hmax2_nan(a, nan);
	out[30] = __hisnan(n.x) * 10 + (int)(float)n.y;
	// Two pairs are unequal where both of their halves are.
	out[31] = __hbne2(a, b) * 100 + (a != b) * 10 + (a != __hneg2(a)) + (a <= b) * 1000 + (a < b) * 10000;
}`
	out, _ := execute(t, source, "k", 4*32, 1, device.Separate)
	want := []int32{10, -30, 20, -20, 20, -20, 10, -20, 30, 30, 10, 5, 10, 0, 10, 0, 0, 10, 0, 10, 10, 0, 0, 10, 15, 30, 15, -25, 10, 10, 14, 1001}
	got := ints(out)
	for i, w := range want {
		if got[i] != w {
			t.Errorf("number %d is %d, want %d", i, got[i], w)
		}
	}
}
