// min and max as macros, before headers whose functions have these names.
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#include <algorithm>
#include <iostream>
#include <limits>
#include <vector>

__global__ void clamp_to(float *x, int n, float low, float high) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) x[i] = min(max(x[i], low), high);
}

int main() {
	std::vector<float> h(64, 2.f);
	std::cout << max(h[0], h[1]) << std::endl;
}
