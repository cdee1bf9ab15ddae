template <int P, int Q>
__global__ void cells(const float *a, const float *b, float *c) {
	__shared__ float left[8 * P][8], right[8][8 * Q];
	int x = threadIdx.x, y = threadIdx.y;
	for (int p = 0; p < P; p++)
		left[y + 8 * p][x] = a[(y + 8 * p) * 8 + x];
	for (int q = 0; q < Q; q++)
		right[y][x + 8 * q] = b[(y * Q + q) * 8 + x];
	__syncthreads();
	float sum[P][Q] = {};
	for (int t = 0; t < 8; t++) {
		float l[P], r[Q];
		for (int p = 0; p < P; p++) l[p] = left[y + 8 * p][t];
		for (int q = 0; q < Q; q++) r[q] = right[t][x + 8 * q];
		for (int p = 0; p < P; p++)
			for (int q = 0; q < Q; q++) sum[p][q] += l[p] * r[q];
	}
	for (int p = 0; p < P; p++)
		for (int q = 0; q < Q; q++)
			c[((y + 8 * p) * Q + q) * 8 + x] = sum[p][q];
}
