extern "C" __global__ void k(float* out) {
	asm("frobnicate.f32 %0;" : "=f"(out[0]));
}
