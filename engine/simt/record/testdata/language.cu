// What a recording has to follow: each kernel prints what its variables hold, and a
// test holds the recording's values against that.

struct Pair {
    float value;
    int index;
    __device__ void swap(Pair& other) {
        Pair kept = *this;
        *this = other;
        other = kept;
    }
};

__device__ float square(float x) {
    float y = x * x;
    return y + 1.0f;
}

__device__ void grow(int& n, int by) {
    n += by;
    n *= 2;
}

__device__ __noinline__ int factorial(int n) {
    if (n <= 1) {
        return 1;
    }
    int below = factorial(n - 1);
    int result = n * below;
    printf("@result %d\n", result);
    return result;
}

__global__ void variables(const float* in, float* out, int n) {
    int i = threadIdx.x;
    float x = in[i];
    float a = x * 3.0f, b = a + x;
    printf("@a %.9g\n", a);
    printf("@b %.9g\n", b);
    Pair p = {x, i}, q;
    q.value = square(x);
    q.index = n - i;
    printf("@q.value %.9g\n", q.value);
    p.swap(q);
    printf("@p.index %d\n", p.index);
    printf("@q.value %.9g\n", q.value);
    int grown = i;
    grow(grown, 3);
    printf("@grown %d\n", grown);
    float list[4] = {1.0f, 2.0f, 3.0f, 4.0f};
    list[i & 3] += x;
    printf("@list[2] %.9g\n", list[2]);
    const float* at = in + i;
    float sum = 0.0f;
    for (int k = 0; k < 3; k++) {
        float term = at[0] * k;
        sum += term;
        printf("@k %d\n", k);
        printf("@term %.9g\n", term);
        printf("@sum %.9g\n", sum);
    }
    for (int k = i % 4; k > 0; k--) {
        if (k == 2) {
            continue;
        }
        int left = k;
        printf("@left %d\n", left);
    }
    bool odd = i & 1;
    unsigned char small = (unsigned char)(250 + i);
    long long wide = 10000000000LL * i;
    double fine = x / 3.0;
    printf("@odd %d\n", odd);
    printf("@small %d\n", small);
    printf("@wide %lld\n", wide);
    printf("@fine %.17g\n", fine);
    int f = factorial(i % 5);
    printf("@f %d\n", f);
    switch (i & 3) {
    case 0: {
        int zero = i * 10;
        printf("@zero %d\n", zero);
        break;
    }
    case 1:
    case 2:
        f = -f;
    default:
        printf("@f %d\n", f);
    }
    while (f > 3) {
        f -= 3;
    }
    printf("@f %d\n", f);
    out[i] = sum + p.value + f;
}

// A sum by shuffles, and one by halves through shared memory.
__global__ void reduce(const float* in, float* out, int n) {
    __shared__ float part[64];
    int t = threadIdx.x;
    float v = t < n ? in[t] : 0.0f;
    part[t] = v;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) {
            part[t] += part[t + half];
        }
        __syncthreads();
    }
    for (int d = 16; d > 0; d /= 2) {
        v += __shfl_down_sync(0xffffffffu, v, d);
    }
    if (t % 32 == 0) {
        out[1 + t / 32] = v;
    }
    if (t == 0) {
        out[0] = part[0];
    }
}

// Atomics in shared and global memory, early exits, and a count by votes.
__global__ void counting(const float* in, float* out, int n) {
    __shared__ int bins[8];
    int t = threadIdx.x;
    if (t < 8) {
        bins[t] = 0;
    }
    __syncthreads();
    int bin = (int)in[t] & 7;
    int before = atomicAdd(&bins[bin], 1);
    unsigned same = __ballot_sync(__activemask(), bin == 3);
    __syncthreads();
    if (t >= n) {
        return;
    }
    atomicMax((int*)&out[16 + (bin & 3)], before);
    out[t % 16] = bins[t % 8] + __popc(same);
}

// Blocks that pass a token on: each waits for the one after it.
__device__ volatile int token;
__global__ void waiting(const float* in, float* out, int n) {
    __shared__ int seen;
    int last = gridDim.x - 1 - blockIdx.x;
    if (threadIdx.x == 0) {
        while (token != last) {
        }
        seen = token;
        __threadfence();
        token = last + 1;
    }
    __syncthreads();
    int mine = seen;
    out[blockIdx.x] = mine;
}

// Many steps and many barriers, for bounds.
__global__ void long_one(const float* in, float* out, int n) {
    __shared__ float ring[64];
    int t = threadIdx.x;
    float v = in[t];
    for (int k = 0; k < n; k++) {
        ring[t] = v;
        __syncthreads();
        v = ring[(t + 1) & 63] * 0.5f + k;
        __syncthreads();
    }
    out[t] = v;
}

// Turns that end without a barrier, in a function that stays one, with an array of
// each lane's and memory that the block has written itself.
__device__ int total;
__device__ __noinline__ float stir(float* list, int k, float x) {
    for (int i = 0; i < 4; i++) {
        list[(i + k) & 7] += x * i;
    }
    return list[k & 7];
}
__global__ void counted(const float* in, float* out, int n) {
    float list[8] = {};
    int t = threadIdx.x;
    float v = in[t];
    for (int k = 0; k < n; k++) {
        v = stir(list, k + t, v * 0.25f + out[(t + k) & 31]);
        if (t % 3 == k % 3) {
            out[t & 31] = v;
        }
        if (k % 50 == 0) {
            atomicAdd(&total, t);
            __syncthreads();
        }
    }
    out[32 + t] = v + total;
}

// Two blocks that take turns.
__device__ volatile int turn;
__global__ void ping(const float* in, float* out, int n) {
    int t = threadIdx.x, me = blockIdx.x;
    for (int k = 0; k < n; k++) {
        if (t == 0) {
            while (turn % 2 != me) {
            }
        }
        __syncwarp();
        out[t] = out[t] + k;
        __threadfence();
        if (t == 0) {
            turn = turn + 1;
        }
    }
}

// Calls within calls, each with an array of its own.
__device__ __noinline__ int down(int n, int* above) {
    int mine[16];
    mine[n & 15] = n + above[(n + 1) & 15];
    if (n <= 0) {
        return above[0];
    }
    mine[(n - 1) & 15] = n;
    mine[n & 15] += 1;
    for (int i = 0; i < 16; i++) {
        mine[i] = i;
    }
    return down(n - 1, mine) + mine[3];
}
__global__ void deep(const float* in, float* out, int n) {
    int big[300];
    for (int i = 0; i < 300; i++) {
        big[i] = i;
    }
    out[threadIdx.x] = down(n, big);
}

// Barriers and next to nothing else.
__global__ void meeting(const float* in, float* out, int n) {
    for (int k = 0; k < n; k++) {
        __syncthreads();
    }
    out[threadIdx.x] = in[threadIdx.x];
}

// Variables that change, and nothing that the checks have to look at.
__global__ void chain(const float* in, float* out, int n) {
    float x = in[threadIdx.x], y = 0.0f;
    for (int k = 0; k < n; k++) {
        y = x * 0.5f + y;
        x = y - x;
        if (k & 1) {
            x += 1.0f;
        }
    }
    out[threadIdx.x] = x + y;
}

// What comes out depends on where the turns of the warps end, and those on how many
// instructions the loop has: with a variable that nobody reads it has one more where
// somebody looks at variables.
__global__ void racing(const float* in, float* out, int n) {
    unsigned* sum = (unsigned*)out;
    for (int k = 0; k < n; k++) {
        *sum = *sum * 1664525u + threadIdx.x;
    }
}
__global__ void racing_idle(const float* in, float* out, int n) {
    unsigned* sum = (unsigned*)out;
    for (int k = 0; k < n; k++) {
        float idle = k * 3.0f;
        *sum = *sum * 1664525u + threadIdx.x;
    }
}

// Which place a block takes is decided by the order in which blocks come to it.
__device__ int places;
__global__ void queue(const float* in, float* out, int n) {
    __shared__ int at;
    float x = in[0];
    for (int k = n * (gridDim.x - blockIdx.x); k > 0; k--) {
        x = x * 0.5f + k;
    }
    if (threadIdx.x == 0) {
        at = atomicAdd(&places, 1);
    }
    __syncthreads();
    out[at] = blockIdx.x + (x < 0.0f ? 1.0f : 0.0f);
}

// Every kind of exchange, also of some lanes, of groups, and of values that are
// replaced by what comes.
__global__ void exchanges(const float* in, float* out, int n) {
    int t = threadIdx.x, lane = t % 32;
    float v = in[t];
    for (int d = 16; d > 0; d /= 2) {
        v += __shfl_down_sync(0xffffffffu, v, d);
    }
    int i = t * t;
    i = __shfl_up_sync(0xffffffffu, i, 1, 8);
    double wide = __shfl_xor_sync(0xffffffffu, in[t] * 3.0, 5);
    i += __shfl_sync(0xffffffffu, i, lane / 2);
    unsigned m = 0;
    if (lane < 20) {
        m = __ballot_sync(0x000fffffu, i % 3 == 0);
        m += __any_sync(0x000fffffu, i == 7) + __all_sync(0x000fffffu, i >= 0);
        v = __shfl_sync(0x000fffffu, v, 19);
    }
    m += __match_any_sync(0xffffffffu, lane % 5);
    m += __reduce_add_sync(0xffffffffu, (unsigned)lane) + __reduce_max_sync(0xffffffffu, lane - 16);
    out[t] = v + i + wide + m;
}

// Values that go from lane to lane and nowhere else.
__global__ void passing(const float* in, float* out, int n) {
    float v = in[threadIdx.x];
    for (int k = 0; k < n; k++) {
        v = v * 0.5f + __shfl_xor_sync(0xffffffffu, v, k & 31);
    }
    out[threadIdx.x] = v;
}
