template <int N> struct F { static const int v = F<N + 1>::v; };
extern "C" __global__ void k(int* out) { out[0] = F<0>::v; }
