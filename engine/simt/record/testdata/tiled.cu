#define TILE 16

// One block computes a tile of out = left * right, n by n, phase by phase.
__global__ void tiled(const float* left, const float* right, float* out, int n) {
    __shared__ float as[TILE][TILE];
    __shared__ float bs[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y;
    int column = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (int k = 0; k < n; k += TILE) {
        as[y][x] = row < n && k + x < n ? left[row * n + k + x] : 0.0f;
        bs[y][x] = k + y < n && column < n ? right[(k + y) * n + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; i++) {
            sum += as[y][i] * bs[i][x];
        }
        __syncthreads();
    }
    if (row < n && column < n) {
        out[row * n + column] = sum;
    }
}

__global__ void naive(const float* left, const float* right, float* out, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || column >= n) {
        return;
    }
    float sum = 0.0f;
    for (int k = 0; k < n; k++) {
        sum += left[row * n + k] * right[k * n + column];
    }
    out[row * n + column] = sum;
}
