#include <cuda_fp16.h>
float host(float x) { return x; }
struct __half { int x; };
extern "C" __global__ void k(half* out) { out[0] = out[1] + out[2]; out[1] = host(2);
