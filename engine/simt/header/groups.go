package header

// cooperativeGroups has blocks, tiles of a warp, and the threads that are
// together at a place.
const cooperativeGroups = `
namespace cooperative_groups {

namespace details {
__device__ unsigned int rank_in_block() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
__device__ unsigned int threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }
__device__ unsigned int lane() { return rank_in_block() % 32; }
__device__ unsigned int mask_of(unsigned int size) { return size >= 32 ? 0xffffffffu : ((1u << size) - 1) << (lane() / size * size); }

// What shuffles hand on in one step: all else goes word by word.
template <typename T> struct word { static constexpr bool value = false; };
#define W(T) template <> struct word<T> { static constexpr bool value = true; };
W(bool) W(char) W(signed char) W(unsigned char) W(short) W(unsigned short) W(int) W(unsigned int) W(long) W(unsigned long) W(long long) W(unsigned long long)
W(float) W(double) W(__half) W(__nv_bfloat16) W(__half2) W(__nv_bfloat162)
#undef W
template <typename T> struct words {
	unsigned int w[(sizeof(T) + 3) / 4];
	__device__ words(const T& x) : w() { memcpy(w, &x, sizeof(T)); }
	__device__ operator T() const { T x; memcpy(&x, w, sizeof(T)); return x; }
};
#define SHUFFLE(CALL) \
	if constexpr (details::word<T>::value) { \
		T& w = x; \
		return CALL; \
	} else { \
		details::words<T> all(x); \
		for (unsigned int& w : all.w) w = CALL; \
		return all; \
	}
}

struct thread_block {
	__device__ void sync() const { __syncthreads(); }
	__device__ unsigned int thread_rank() const { return details::rank_in_block(); }
	__device__ unsigned int size() const { return details::threads_of_block(); }
	__device__ unsigned int num_threads() const { return details::threads_of_block(); }
	__device__ dim3 group_index() const { return dim3(blockIdx); }
	__device__ dim3 thread_index() const { return dim3(threadIdx); }
	__device__ dim3 group_dim() const { return blockDim; }
	__device__ dim3 dim_threads() const { return blockDim; }
};
__device__ thread_block this_thread_block() { return thread_block(); }

struct grid_group {
	__device__ void sync() const __intrinsic(refused.grid_sync);
	__device__ bool is_valid() const { return true; }
	__device__ unsigned long long thread_rank() const { return block_rank() * details::threads_of_block() + details::rank_in_block(); }
	__device__ unsigned long long size() const { return num_blocks() * details::threads_of_block(); }
	__device__ unsigned long long num_threads() const { return size(); }
	__device__ unsigned long long block_rank() const { return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
	__device__ unsigned long long num_blocks() const { return (unsigned long long)gridDim.z * gridDim.y * gridDim.x; }
	__device__ dim3 group_dim() const { return gridDim; }
	__device__ dim3 dim_blocks() const { return gridDim; }
	__device__ dim3 block_index() const { return dim3(blockIdx); }
};
__device__ grid_group this_grid() { return grid_group(); }

template <unsigned int Size, typename Parent = void>
struct thread_block_tile {
	static_assert(Size == 1 || Size == 2 || Size == 4 || Size == 8 || Size == 16 || Size == 32, "a tile has 1, 2, 4, 8, 16 or 32 threads");
	thread_block_tile() = default;
	template <typename Other> __device__ thread_block_tile(const thread_block_tile<Size, Other>&) {}
	__device__ static unsigned int mask() { return details::mask_of(Size); }
	__device__ void sync() const { __syncwarp(mask()); }
	__device__ unsigned int thread_rank() const { return details::lane() % Size; }
	__device__ static constexpr unsigned int size() { return Size; }
	__device__ static constexpr unsigned int num_threads() { return Size; }
	__device__ unsigned int meta_group_rank() const { return details::rank_in_block() / Size; }
	__device__ unsigned int meta_group_size() const { return (details::threads_of_block() + Size - 1) / Size; }
	template <typename T> __device__ T shfl(T x, int rank) const { SHUFFLE(__shfl_sync(mask(), w, rank, Size)) }
	template <typename T> __device__ T shfl_up(T x, unsigned int delta) const { SHUFFLE(__shfl_up_sync(mask(), w, delta, Size)) }
	template <typename T> __device__ T shfl_down(T x, unsigned int delta) const { SHUFFLE(__shfl_down_sync(mask(), w, delta, Size)) }
	template <typename T> __device__ T shfl_xor(T x, unsigned int lanes) const { SHUFFLE(__shfl_xor_sync(mask(), w, lanes, Size)) }
	__device__ int any(int p) const { return __any_sync(mask(), p); }
	__device__ int all(int p) const { return __all_sync(mask(), p); }
	__device__ unsigned int ballot(int p) const { return (__ballot_sync(mask(), p) & mask()) >> (details::lane() / Size * Size); }
	template <typename T> __device__ unsigned int match_any(T x) const { return (__match_any_sync(mask(), x) & mask()) >> (details::lane() / Size * Size); }
	template <typename T> __device__ unsigned int match_all(T x, int& same) const { return (__match_all_sync(mask(), x, &same) & mask()) >> (details::lane() / Size * Size); }
};

template <unsigned int Size, typename Parent>
__device__ thread_block_tile<Size, Parent> tiled_partition(const Parent& parent) { return thread_block_tile<Size, Parent>(); }

// The lanes that are together where this was called.
struct coalesced_group {
	unsigned int lanes;
	__device__ void sync() const { __syncwarp(lanes); }
	__device__ unsigned int thread_rank() const { return __popc(lanes & ((1u << details::lane()) - 1)); }
	__device__ unsigned int size() const { return __popc(lanes); }
	__device__ unsigned int num_threads() const { return __popc(lanes); }
	__device__ unsigned int lane_of(unsigned int rank) const { return __fns(lanes, 0, rank + 1); }
	__device__ unsigned int packed(unsigned int ballot) const {
		unsigned int out = 0;
		for (unsigned int i = 0; i < size(); i++) out |= (ballot >> lane_of(i) & 1u) << i;
		return out;
	}
	template <typename T> __device__ T shfl(T x, unsigned int rank) const { SHUFFLE(__shfl_sync(lanes, w, lane_of(rank % size()))) }
	template <typename T> __device__ T shfl_up(T x, unsigned int delta) const {
		unsigned int rank = thread_rank();
		SHUFFLE(__shfl_sync(lanes, w, lane_of(rank < delta ? rank : rank - delta)))
	}
	template <typename T> __device__ T shfl_down(T x, unsigned int delta) const {
		unsigned int rank = thread_rank();
		SHUFFLE(__shfl_sync(lanes, w, lane_of(rank + delta < size() ? rank + delta : rank)))
	}
	__device__ int any(int p) const { return __any_sync(lanes, p); }
	__device__ int all(int p) const { return __all_sync(lanes, p); }
	__device__ unsigned int ballot(int p) const { return packed(__ballot_sync(lanes, p) & lanes); }
};
__device__ coalesced_group coalesced_threads() { return coalesced_group{__activemask()}; }

// The part of a group that has the same label.
template <unsigned int Size, typename Parent>
__device__ coalesced_group binary_partition(const thread_block_tile<Size, Parent>& g, bool label) {
	unsigned int yes = __ballot_sync(g.mask(), label) & g.mask();
	return coalesced_group{label ? yes : g.mask() & ~yes};
}
__device__ coalesced_group binary_partition(const coalesced_group& g, bool label) {
	unsigned int yes = __ballot_sync(g.lanes, label) & g.lanes;
	return coalesced_group{label ? yes : g.lanes & ~yes};
}
template <unsigned int Size, typename Parent, typename Label>
__device__ coalesced_group labeled_partition(const thread_block_tile<Size, Parent>& g, Label label) { return coalesced_group{__match_any_sync(g.mask(), label) & g.mask()}; }
template <typename Label>
__device__ coalesced_group labeled_partition(const coalesced_group& g, Label label) { return coalesced_group{__match_any_sync(g.lanes, label) & g.lanes}; }

// Any of the above, of which the size is known when the kernel runs.
struct thread_group {
	unsigned int threads; // 0 for the whole block
	unsigned int lanes;
	__device__ thread_group(thread_block) : threads(0), lanes(0) {}
	__device__ thread_group(coalesced_group g) : threads(g.size()), lanes(g.lanes) {}
	template <unsigned int Size, typename Parent> __device__ thread_group(thread_block_tile<Size, Parent> g) : threads(Size), lanes(g.mask()) {}
	__device__ thread_group(unsigned int threads, unsigned int lanes) : threads(threads), lanes(lanes) {}
	__device__ void sync() const { if (threads == 0) __syncthreads(); else __syncwarp(lanes); }
	__device__ unsigned int thread_rank() const { return threads == 0 ? details::rank_in_block() : __popc(lanes & ((1u << details::lane()) - 1)); }
	__device__ unsigned int size() const { return threads == 0 ? details::threads_of_block() : threads; }
	__device__ unsigned int num_threads() const { return size(); }
};
__device__ thread_group tiled_partition(const thread_group& parent, unsigned int size) { return thread_group(size, details::mask_of(size)); }

template <typename Group> __device__ void sync(const Group& g) { g.sync(); }
template <typename Group> __device__ unsigned int thread_rank(const Group& g) { return g.thread_rank(); }
template <typename Group> __device__ unsigned int group_size(const Group& g) { return g.size(); }

template <typename T> struct plus { __device__ T operator()(const T& x, const T& y) const { return x + y; } };
template <typename T> struct less { __device__ T operator()(const T& x, const T& y) const { return y < x ? y : x; } };
template <typename T> struct greater { __device__ T operator()(const T& x, const T& y) const { return x < y ? y : x; } };
template <typename T> struct bit_and { __device__ T operator()(const T& x, const T& y) const { return x & y; } };
template <typename T> struct bit_or { __device__ T operator()(const T& x, const T& y) const { return x | y; } };
template <typename T> struct bit_xor { __device__ T operator()(const T& x, const T& y) const { return x ^ y; } };

template <unsigned int Size, typename Parent, typename T, typename Op>
__device__ T reduce(const thread_block_tile<Size, Parent>& g, T x, Op op) {
	for (unsigned int lanes = Size / 2; lanes > 0; lanes /= 2) x = op(x, g.shfl_xor(x, lanes));
	return x;
}
template <typename T, typename Op>
__device__ T reduce(const coalesced_group& g, T x, Op op) {
	T out = g.shfl(x, 0);
	for (unsigned int i = 1; i < g.size(); i++) out = op(out, g.shfl(x, i));
	return out;
}
template <typename T, typename Op>
__device__ T inclusive_scan(const coalesced_group& g, T x, Op op) {
	T out = g.shfl(x, 0);
	for (unsigned int i = 1; i < g.size(); i++) {
		T y = g.shfl(x, i);
		if (i <= g.thread_rank()) out = op(out, y);
	}
	return out;
}
template <typename T>
__device__ T inclusive_scan(const coalesced_group& g, T x) { return inclusive_scan(g, x, plus<T>()); }
template <typename T, typename Op>
__device__ T exclusive_scan(const coalesced_group& g, T x, Op op) {
	T y = g.shfl_up(inclusive_scan(g, x, op), 1);
	return g.thread_rank() == 0 ? (T)0 : y;
}
template <typename T>
__device__ T exclusive_scan(const coalesced_group& g, T x) { return exclusive_scan(g, x, plus<T>()); }
template <unsigned int Size, typename Parent, typename T, typename Op>
__device__ T exclusive_scan(const thread_block_tile<Size, Parent>& g, T x, Op op) {
	T y = g.shfl_up(inclusive_scan(g, x, op), 1);
	return g.thread_rank() == 0 ? (T)0 : y;
}
template <typename Group, typename F>
__device__ void invoke_one(const Group& g, F f) { if (g.thread_rank() == 0) f(); }
template <unsigned int Size, typename Parent, typename T, typename Op>
__device__ T inclusive_scan(const thread_block_tile<Size, Parent>& g, T x, Op op) {
	for (unsigned int delta = 1; delta < Size; delta *= 2) {
		T y = g.shfl_up(x, delta);
		if (g.thread_rank() >= delta) x = op(y, x);
	}
	return x;
}
template <unsigned int Size, typename Parent, typename T>
__device__ T inclusive_scan(const thread_block_tile<Size, Parent>& g, T x) { return inclusive_scan(g, x, plus<T>()); }
template <unsigned int Size, typename Parent, typename T>
__device__ T exclusive_scan(const thread_block_tile<Size, Parent>& g, T x) {
	T y = g.shfl_up(inclusive_scan(g, x, plus<T>()), 1);
	return g.thread_rank() == 0 ? (T)0 : y;
}
#undef SHUFFLE

}
`
