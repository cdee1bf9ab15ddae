package gorgonia

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// before and since declare what the header is about as the cuda.h of CUDA 12 and
// that of CUDA 13 do.
const (
	common = `
#define CUDAAPI
#include <stddef.h>
typedef int CUresult, CUdevice, CUmem_advise;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
`
	before = `
#define CUDA_VERSION 12090
#define cuCtxCreate cuCtxCreate_v2
CUresult CUDAAPI cuCtxCreate(CUcontext *pctx, unsigned int flags, CUdevice dev);
CUresult CUDAAPI cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device);
CUresult CUDAAPI cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice, CUstream hStream);
CUresult CUDAAPI cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to, size_t numDependencies);
CUresult CUDAAPI cuGraphGetEdges(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, size_t *numEdges);
`
	since = `
#define CUDA_VERSION 13000
typedef struct { int type, id; } CUmemLocation;
typedef struct CUctxCreateParams_st CUctxCreateParams;
typedef struct CUgraphEdgeData_st CUgraphEdgeData;
#define cuCtxCreate cuCtxCreate_v4
#define cuMemAdvise cuMemAdvise_v2
#define cuMemPrefetchAsync cuMemPrefetchAsync_v2
#define cuGraphAddDependencies cuGraphAddDependencies_v2
#define cuGraphGetEdges cuGraphGetEdges_v2
CUresult CUDAAPI cuCtxCreate(CUcontext *pctx, CUctxCreateParams *params, unsigned int flags, CUdevice dev);
CUresult CUDAAPI cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUmemLocation location);
CUresult CUDAAPI cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUmemLocation location, unsigned int flags, CUstream hStream);
CUresult CUDAAPI cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to, const CUgraphEdgeData *edges, size_t numDependencies);
CUresult CUDAAPI cuGraphGetEdges(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edges, size_t *numEdges);
`

	// caller uses each as gorgonia.org/cu does.
	caller = `
#include <cuda.h>
#include <cuda.h>
CUresult call(CUcontext *c, CUdevice d, CUdeviceptr p, CUstream s, CUgraph g, CUgraphNode *n, size_t *k) {
	unsigned int flags = 1;
	return cuCtxCreate(c, flags, d) + cuMemAdvise(p, 1, 2, d) + cuMemPrefetchAsync(p, 1, d, s)
		+ cuGraphAddDependencies(g, n, n, 1) + cuGraphGetEdges(g, n, n, k);
}
`
)

// TestHeader compiles what is called with the header before each of the two, and
// looks at which functions of the driver are.
func TestHeader(t *testing.T) {
	cc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("gcc compiles the header of this test, and is not installed")
	}
	compile := func(t *testing.T, header string, ours bool) (object string, out string, err error) {
		dir := t.TempDir()
		for name, text := range map[string]string{"cuda.h": header, "caller.c": caller} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		object = filepath.Join(dir, "caller.o")
		arguments := []string{"-Wall", "-Wextra", "-Werror", "-c", "-o", object, filepath.Join(dir, "caller.c"), "-I" + dir}
		if ours {
			arguments = slices.Insert(arguments, 0, "-Iinclude")
		}
		messages, err := exec.Command(cc, arguments...).CombinedOutput()
		return object, string(messages), err
	}
	for _, x := range []struct{ name, header string }{
		{"CUDA 12", "#ifndef REAL\n#define REAL\n" + common + before + "#endif\n"},
		{"CUDA 13", "#ifndef REAL\n#define REAL\n" + common + since + "#endif\n"},
	} {
		t.Run(x.name, func(t *testing.T) {
			object, out, err := compile(t, x.header, true)
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			f, err := elf.Open(object)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = f.Close() }()
			symbols, err := f.Symbols()
			if err != nil {
				t.Fatal(err)
			}
			var called []string
			for _, s := range symbols {
				if s.Section == elf.SHN_UNDEF && strings.HasPrefix(s.Name, "cu") {
					called = append(called, s.Name)
				}
			}
			slices.Sort(called)
			want := []string{"cuCtxCreate_v2", "cuGraphAddDependencies", "cuGraphGetEdges", "cuMemAdvise", "cuMemPrefetchAsync"}
			if !slices.Equal(called, want) {
				t.Errorf("called are %v, want %v", called, want)
			}
		})
	}
	// What the header is for, and what it cannot be used without.
	if _, out, err := compile(t, common+since, false); err == nil {
		t.Errorf("the header of CUDA 13 alone compiles:\n%s", out)
	}
	if _, out, err := compile(t, common, true); err == nil || !strings.Contains(out, "CGO_CFLAGS") {
		t.Errorf("without NVIDIA's header: %v\n%s", err, out)
	}
}
