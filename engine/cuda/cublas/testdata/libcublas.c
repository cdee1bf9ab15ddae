// A libcublas without a GPU, for the tests of what calls one: the functions have the
// parameters that NVIDIA's documentation of cuBLAS gives them. "Device memory" is the
// memory of the process. Products are computed as BLAS defines them; those of 16-bit
// elements are written down alone.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char journal[1 << 12];
static int answer;
static int handles;

const char *fake_journal(void) { return journal; }
void fake_clear(void) { journal[0] = 0; answer = 0; }

// fake_answer has every later call answer with a result.
void fake_answer(int result) { answer = result; }

int fake_handles(void) { return handles; }

#define NOTE(...)                                                             \
	do {                                                                      \
		size_t end_ = strlen(journal);                                        \
		snprintf(journal + end_, sizeof journal - end_, __VA_ARGS__);         \
		if (answer) return answer;                                            \
	} while (0)

struct handle { int magic; };
enum { MAGIC = 0x424C4153, NOT_INITIALIZED = 1, INVALID_VALUE = 7 };

#define NEED(h) do { if (!(h) || (h)->magic != MAGIC) return NOT_INITIALIZED; } while (0)

int cublasCreate_v2(struct handle **h) {
	NOTE("cublasCreate_v2\n");
	*h = malloc(sizeof **h);
	(*h)->magic = MAGIC;
	handles++;
	return 0;
}

int cublasDestroy_v2(struct handle *h) {
	NOTE("cublasDestroy_v2\n");
	NEED(h);
	h->magic = 0;
	free(h);
	handles--;
	return 0;
}

int cublasGetVersion_v2(struct handle *h, int *version) {
	NOTE("cublasGetVersion_v2\n");
	NEED(h);
	*version = 130100;
	return 0;
}

#ifndef WITHOUT_WORKSPACE
int cublasSetWorkspace_v2(struct handle *h, void *workspace, size_t size) {
	NOTE("cublasSetWorkspace_v2 %p %zu\n", workspace, size);
	NEED(h);
	return workspace == (void *)0xBAD ? INVALID_VALUE : 0;
}
#endif

#define GEMM(name, real)                                                                              \
	int name(struct handle *h, int ta, int tb, int m, int n, int k, const real *alpha, const real *a, \
		int lda, long long sa, const real *b, int ldb, long long sb, const real *beta, real *c,       \
		int ldc, long long sc, int batch) {                                                           \
		NOTE(#name " %d %d %d %d %d alpha=%g lda=%d sa=%lld ldb=%d sb=%lld beta=%g ldc=%d sc=%lld batch=%d\n", \
			ta, tb, m, n, k, (double)*alpha, lda, sa, ldb, sb, (double)*beta, ldc, sc, batch);        \
		NEED(h);                                                                                      \
		if (ta || tb || lda < m || ldb < k || ldc < m) return INVALID_VALUE;                          \
		for (int x = 0; x < batch; x++, a += sa, b += sb, c += sc)                                    \
			for (int j = 0; j < n; j++)                                                               \
				for (int i = 0; i < m; i++) {                                                         \
					real sum = 0;                                                                     \
					for (int l = 0; l < k; l++) sum += a[i + (long long)l * lda] * b[l + (long long)j * ldb]; \
					real *cell = &c[i + (long long)j * ldc];                                          \
					*cell = *alpha * sum + (*beta ? *beta * *cell : 0);                               \
				}                                                                                     \
		return 0;                                                                                     \
	}

GEMM(cublasDgemmStridedBatched, double)
GEMM(cublasSgemmStridedBatched, float)

int cublasGemmStridedBatchedEx(struct handle *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a,
	int at, int lda, long long sa, const void *b, int bt, int ldb, long long sb, const void *beta, void *c, int ct,
	int ldc, long long sc, int batch, int compute, int algorithm) {
	NOTE("cublasGemmStridedBatchedEx %d %d %d %d %d alpha=%g a=%p %d lda=%d sa=%lld b=%p %d ldb=%d sb=%lld "
		"beta=%g c=%p %d ldc=%d sc=%lld batch=%d compute=%d algorithm=%d\n",
		ta, tb, m, n, k, *(const float *)alpha, a, at, lda, sa, b, bt, ldb, sb,
		*(const float *)beta, c, ct, ldc, sc, batch, compute, algorithm);
	NEED(h);
	return 0;
}
