extern "C" __global__ void k(float* out) {
	__shared__ float tile[128][128];
	tile[threadIdx.x][threadIdx.y] = out[0];
	__syncthreads();
	out[1] = tile[threadIdx.y][threadIdx.x];
}
