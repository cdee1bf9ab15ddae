// The two products, for Oclgrind: see products.cu.

#define TILE 16

kernel void naive(global const float* a, global const float* b, global float* c, int n) {
	int row = get_global_id(1);
	int col = get_global_id(0);
	if (row < n && col < n) {
		float sum = 0.0f;
		for (int k = 0; k < n; k++) {
			sum += a[row * n + k] * b[k * n + col];
		}
		c[row * n + col] = sum;
	}
}

kernel void tiled(global const float* a, global const float* b, global float* c, int n) {
	local float as[TILE][TILE];
	local float bs[TILE][TILE];
	int x = get_local_id(0), y = get_local_id(1);
	int row = get_global_id(1);
	int col = get_global_id(0);
	float sum = 0.0f;
	for (int t = 0; t < n / TILE; t++) {
		as[y][x] = a[row * n + t * TILE + x];
		bs[y][x] = b[(t * TILE + y) * n + col];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int k = 0; k < TILE; k++) {
			sum += as[y][k] * bs[k][x];
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	c[row * n + col] = sum;
}

// racing is tiled without its second barrier.
kernel void racing(global const float* a, global const float* b, global float* c, int n) {
	local float as[TILE][TILE];
	local float bs[TILE][TILE];
	int x = get_local_id(0), y = get_local_id(1);
	int row = get_global_id(1);
	int col = get_global_id(0);
	float sum = 0.0f;
	for (int t = 0; t < n / TILE; t++) {
		as[y][x] = a[row * n + t * TILE + x];
		bs[y][x] = b[(t * TILE + y) * n + col];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int k = 0; k < TILE; k++) {
			sum += as[y][k] * bs[k][x];
		}
	}
	c[row * n + col] = sum;
}

// empty is what starting costs.
kernel void empty(global const float* a, global const float* b, global float* c, int n) {}
