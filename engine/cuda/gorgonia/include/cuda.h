/*
 * The header that gorgonia.org/cu is compiled with: NVIDIA's own, and then the
 * prototypes that it was written for.
 *
 * CUDA 13 gave five names of the driver's interface another meaning. Each is a
 * macro for a new function with other parameters:
 *
 *     cuCtxCreate              one more parameter (CUctxCreateParams *)
 *     cuMemAdvise              a CUmemLocation instead of a device
 *     cuMemPrefetchAsync       a CUmemLocation and flags instead of a device
 *     cuGraphAddDependencies   one more parameter (CUgraphEdgeData *)
 *     cuGraphGetEdges          one more parameter (CUgraphEdgeData *)
 *
 * The functions of before are in the driver still, since programs that were built
 * with CUDA 12 must run. Here the names mean them again.
 *
 * This file comes before NVIDIA's in the compiler's search path.
 */
#include_next <cuda.h>

#ifndef WORKBENCH_CUDA_H
#define WORKBENCH_CUDA_H

#if !defined(CUDA_VERSION)
#error "the cuda.h after this one is not NVIDIA's: put the toolkit's include folder behind this one in CGO_CFLAGS"
#endif

#if CUDA_VERSION >= 13000

#undef cuCtxCreate
#undef cuMemAdvise
#undef cuMemPrefetchAsync
#undef cuGraphAddDependencies
#undef cuGraphGetEdges

/* Without a suffix this one is of CUDA 3. */
#define cuCtxCreate cuCtxCreate_v2
CUresult CUDAAPI cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev);

CUresult CUDAAPI cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device);
CUresult CUDAAPI cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice, CUstream hStream);
CUresult CUDAAPI cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to, size_t numDependencies);
CUresult CUDAAPI cuGraphGetEdges(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, size_t *numEdges);

#endif /* CUDA_VERSION >= 13000 */

#endif /* WORKBENCH_CUDA_H */
