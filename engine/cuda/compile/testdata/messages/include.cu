#include <stdint.h>
#include <cooperative_groups.h>
extern "C" __global__ void k() {}
