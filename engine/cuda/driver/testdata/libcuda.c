// A libcuda.so.1 without a GPU, for the tests of what calls one: it has the
// functions that the workbench uses, with the parameters that NVIDIA's "CUDA Driver
// API" gives them, and does on the host what they say. It checks what a real driver
// would take on trust, and writes each call down.
//
// Device memory has addresses of its own, that are none of the host's; kernels are
// those of package conform and the matrix products of kernels/matmul, and run when
// they are launched. A module whose text has a fused multiply-add multiplies by it.

#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct { char bytes[16]; } CUuuid;

enum {
	SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3,
	INVALID_DEVICE = 101, INVALID_IMAGE = 200, INVALID_CONTEXT = 201,
	INVALID_PTX = 218, UNSUPPORTED_PTX_VERSION = 222, INVALID_HANDLE = 400,
	NOT_FOUND = 500, ILLEGAL_ADDRESS = 700, MISALIGNED_ADDRESS = 716, LAUNCH_FAILED = 719,
};

// What the tests ask for.

static char journal[1 << 16];
static size_t journal_length;
static struct { char call[64]; int result; } answers[8];

// fake_journal returns the calls since fake_clear, a line each.
const char *fake_journal(void) { return journal; }
void fake_clear(void) { journal[journal_length = 0] = 0; memset(answers, 0, sizeof answers); }

// fake_answer has every later call of a function answer with a result.
void fake_answer(const char *call, int result) {
	for (int i = 0; i < 8; i++) {
		if (answers[i].call[0] == 0 || strcmp(answers[i].call, call) == 0) {
			strncpy(answers[i].call, call, sizeof answers[i].call - 1);
			answers[i].result = result;
			return;
		}
	}
	abort();
}

__attribute__((format(printf, 1, 2)))
static void note(const char *format, ...) {
	va_list values;
	va_start(values, format);
	if (journal_length + 256 < sizeof journal) {
		int n = vsnprintf(journal + journal_length, 250, format, values);
		journal_length += n < 250 ? n : 249;
		strcpy(journal + journal_length++, "\n");
	}
	va_end(values);
}

static int started, sticky;

// ENTER is the first line of a function that needs a started driver.
#define ENTER(name_, ...)                                           \
	do {                                                            \
		note(name_ " " __VA_ARGS__);                                \
		for (int i = 0; i < 8; i++)                                 \
			if (strcmp(answers[i].call, name_) == 0)                \
				return answers[i].result;                           \
		if (!started) return NOT_INITIALIZED;                       \
	} while (0)

// The primary context, and what is current on each thread.

static char primary[1];
static int retained;
static __thread void *current;

#define NEED_CONTEXT()                                              \
	do {                                                            \
		if (current != primary || retained == 0) return INVALID_CONTEXT; \
		if (sticky) return sticky;                                  \
	} while (0)

CUresult cuInit(unsigned int flags) {
	started = 1; // if nothing else is to be answered
	note("cuInit flags=%u", flags);
	for (int i = 0; i < 8; i++) {
		if (strcmp(answers[i].call, "cuInit") == 0 && answers[i].result) {
			started = 0;
			return answers[i].result;
		}
	}
	return flags ? INVALID_VALUE : SUCCESS;
}

CUresult cuDriverGetVersion(int *version) {
	ENTER("cuDriverGetVersion");
	*version = 13000;
	return SUCCESS;
}

CUresult cuGetErrorName(CUresult result, const char **name) {
	static const struct { int result; const char *name; } names[] = {
		{INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"}, {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
		{NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED"}, {100, "CUDA_ERROR_NO_DEVICE"},
		{INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE"}, {INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE"},
		{INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT"}, {INVALID_PTX, "CUDA_ERROR_INVALID_PTX"},
		{UNSUPPORTED_PTX_VERSION, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"}, {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE"},
		{NOT_FOUND, "CUDA_ERROR_NOT_FOUND"}, {ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"},
		{MISALIGNED_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS"}, {LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED"},
		{803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (names[i].result == result) {
			*name = names[i].name;
			return SUCCESS;
		}
	}
	*name = NULL;
	return INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult result, const char **text) {
	const char *name;
	if (cuGetErrorName(result, &name)) {
		*text = NULL;
		return INVALID_VALUE;
	}
	*text = result == OUT_OF_MEMORY ? "out of memory" : "as its name says";
	return SUCCESS;
}

// Devices.

CUresult cuDeviceGetCount(int *count) {
	ENTER("cuDeviceGetCount");
	*count = 2;
	return SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
	ENTER("cuDeviceGet", "ordinal=%d", ordinal);
	if (ordinal < 0 || ordinal > 1) return INVALID_DEVICE;
	*device = ordinal;
	return SUCCESS;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
	ENTER("cuDeviceGetName", "length=%d device=%d", length, device);
	snprintf(name, length, "Fake GPU %d", device);
	return SUCCESS;
}

static void uuid(CUuuid *id, CUdevice device) {
	for (int i = 0; i < 16; i++) id->bytes[i] = 0xF0 + i;
	id->bytes[15] = device;
}

CUresult cuDeviceGetUuid(CUuuid *id, CUdevice device) {
	ENTER("cuDeviceGetUuid", "device=%d", device);
	uuid(id, device);
	return SUCCESS;
}

#ifndef OLD
CUresult cuDeviceGetUuid_v2(CUuuid *id, CUdevice device) {
	ENTER("cuDeviceGetUuid_v2", "device=%d", device);
	uuid(id, device);
	return SUCCESS;
}
#endif

static const size_t memory = (size_t)5 << 30; // more than 32 bits say

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
	ENTER("cuDeviceTotalMem_v2", "device=%d", device);
	*bytes = memory;
	return SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
	ENTER("cuDeviceGetAttribute", "attribute=%d device=%d", attribute, device);
	switch (attribute) {
	case 1: *value = 1024; break;
	case 8: *value = 49152; break;
	case 12: *value = 65536; break;
	case 13: *value = 1980000; break;
	case 16: *value = 132; break;
	case 36: *value = 3201000; break;
	case 37: *value = 6144; break;
	case 38: *value = 62914560; break;
	case 75: *value = 9; break;
	case 76: *value = device; break;
	default: return INVALID_VALUE;
	}
	return SUCCESS;
}

// Contexts.

CUresult cuDevicePrimaryCtxRetain(void **context, CUdevice device) {
	ENTER("cuDevicePrimaryCtxRetain", "device=%d", device);
	if (sticky) return sticky;
	retained++;
	*context = primary;
	return SUCCESS;
}

static void free_everything(void);

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
	ENTER("cuDevicePrimaryCtxRelease_v2", "device=%d", device);
	if (retained == 0) return INVALID_CONTEXT;
	if (--retained == 0) free_everything();
	return SUCCESS;
}

CUresult cuCtxSetCurrent(void *context) {
	ENTER("cuCtxSetCurrent", "primary=%d", context == primary);
	if (context && context != primary) return INVALID_CONTEXT;
	current = context;
	return SUCCESS;
}

CUresult cuCtxGetCurrent(void **context) {
	ENTER("cuCtxGetCurrent");
	*context = current;
	return SUCCESS;
}

CUresult cuCtxSynchronize(void) {
	ENTER("cuCtxSynchronize");
	NEED_CONTEXT();
	return SUCCESS;
}

// Memory: blocks at addresses of their own, a page apart and more.

struct block { CUdeviceptr at; size_t size; char *host; struct block *next; };
static struct block *blocks;
static CUdeviceptr next_address = 0x700000000000;
static size_t used;

static void free_everything(void) {
	while (blocks) {
		struct block *b = blocks;
		blocks = b->next;
		free(b->host);
		free(b);
	}
	used = 0;
}

// host returns where n bytes of device memory lie, or NULL.
static char *host(CUdeviceptr at, size_t n) {
	for (struct block *b = blocks; b; b = b->next)
		if (at >= b->at && n <= b->size && at - b->at <= b->size - n) return b->host + (at - b->at);
	return NULL;
}

CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
	ENTER("cuMemGetInfo_v2");
	NEED_CONTEXT();
	*free = memory - used;
	*total = memory;
	return SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr *at, size_t size) {
	ENTER("cuMemAlloc_v2", "size=%zu", size);
	NEED_CONTEXT();
	if (size == 0) return INVALID_VALUE;
	if (size > memory - used) return OUT_OF_MEMORY;
	struct block *b = malloc(sizeof *b);
	*b = (struct block){next_address, size, malloc(size), blocks};
	blocks = b;
	next_address += (size + 0x1FFF) & ~(size_t)0xFFF;
	used += size;
	*at = b->at;
	return SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr at) {
	ENTER("cuMemFree_v2", "at=%#llx", at);
	NEED_CONTEXT();
	for (struct block **b = &blocks; *b; b = &(*b)->next) {
		if ((*b)->at == at) {
			struct block *gone = *b;
			*b = gone->next;
			used -= gone->size;
			free(gone->host);
			free(gone);
			return SUCCESS;
		}
	}
	return INVALID_VALUE;
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t n) {
	ENTER("cuMemcpyHtoD_v2", "to=%#llx n=%zu", to, n);
	NEED_CONTEXT();
	char *p = host(to, n);
	if (!p || n == 0) return INVALID_VALUE;
	memcpy(p, from, n);
	return SUCCESS;
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t n) {
	ENTER("cuMemcpyDtoH_v2", "from=%#llx n=%zu", from, n);
	NEED_CONTEXT();
	char *p = host(from, n);
	if (!p || n == 0) return INVALID_VALUE;
	memcpy(to, p, n);
	return SUCCESS;
}

CUresult cuMemsetD8_v2(CUdeviceptr at, unsigned char value, size_t n) {
	ENTER("cuMemsetD8_v2", "at=%#llx value=%d n=%zu", at, value, n);
	NEED_CONTEXT();
	char *p = host(at, n);
	if (!p || n == 0) return INVALID_VALUE;
	memset(p, value, n);
	return SUCCESS;
}

// Modules: the text of the image.

enum { MODULE = 0x4D4F4455, FUNCTION = 0x46554E43 };
struct module { int kind; char *text; CUdeviceptr variables[8]; int lengths[8], count; char names[8][64]; };
struct entry { int kind, fused; char name[64]; };

static CUresult load(struct module **module, const char *image, char *log, unsigned int log_size) {
	double version;
	int depth = 0;
	const char *directive = strstr(image, ".version"); // comments may come before it
	if (!directive || sscanf(directive, ".version %lf", &version) != 1) return INVALID_IMAGE;
	if (version > 9) {
		if (log) snprintf(log, log_size, "ptxas fatal   : Unsupported .version %.1f", version);
		return UNSUPPORTED_PTX_VERSION;
	}
	for (const char *c = image; *c; c++) depth += strchr("({", *c) ? 1 : strchr(")}", *c) ? -1 : 0;
	if (depth) {
		if (log) snprintf(log, log_size, "ptxas fatal   : Parsing error near '{': syntax error");
		return INVALID_PTX;
	}
	*module = malloc(sizeof **module);
	**module = (struct module){.kind = MODULE, .text = strdup(image)};
	// Variables are bytes: .visible .global .align 8 .b8 name[8] = {1, 2, ...};
	for (const char *c = image; (c = strstr(c, "\n.visible .")) && (*module)->count < 8; c++) {
		struct module *m = *module;
		int i = m->count, n;
		if (sscanf(c, "\n.visible .%*[a-z] .align %*d .b8 %63[^[][%d]", m->names[i], &n) != 2) continue;
		struct block *b = malloc(sizeof *b);
		*b = (struct block){next_address, n, calloc(1, n), blocks};
		blocks = b;
		next_address += 0x2000;
		m->variables[i] = b->at;
		m->lengths[i] = n;
		m->count++;
		const char *value = strchr(c + 1, '{'), *end = strchr(c + 1, ';');
		for (int k = 0; k < n && value && value < end; k++, value = strchr(value + 1, ',')) b->host[k] = atoi(value + 1);
	}
	return SUCCESS;
}

CUresult cuModuleLoadDataEx(struct module **module, const void *image, unsigned int n, int *options, void **values) {
	char *log = NULL;
	unsigned int log_size = 0;
	ENTER("cuModuleLoadDataEx", "options=%u", n);
	NEED_CONTEXT();
	for (unsigned int i = 0; i < n; i++) {
		note("  option %d%s", options[i], options[i] == 4 || options[i] == 6 ? " (a size)" : "");
		if (options[i] == 5) log = values[i];
		if (options[i] == 6) log_size = (unsigned int)(uintptr_t)values[i];
		// The information log is written too, as a real driver does.
		if (options[i] == 3) strcpy(values[i], "");
	}
	CUresult result = load(module, image, log, log_size);
	// How much was written goes back by the value's own place.
	for (unsigned int i = 0; i < n; i++)
		if (options[i] == 4 || options[i] == 6) *(unsigned int *)&values[i] = options[i] == 6 && log ? strlen(log) : 0;
	return result;
}

CUresult cuModuleLoadData(struct module **module, const void *image) {
	ENTER("cuModuleLoadData");
	NEED_CONTEXT();
	return load(module, image, NULL, 0);
}

CUresult cuModuleUnload(struct module *module) {
	ENTER("cuModuleUnload");
	NEED_CONTEXT();
	if (!module || module->kind != MODULE) return INVALID_HANDLE;
	module->kind = 0;
	for (int i = 0; i < module->count; i++)
		for (struct block **b = &blocks; *b; b = &(*b)->next)
			if ((*b)->at == module->variables[i]) {
				struct block *gone = *b;
				*b = gone->next;
				free(gone->host);
				free(gone);
				break;
			}
	free(module->text);
	free(module);
	return SUCCESS;
}

CUresult cuModuleGetFunction(struct entry **function, struct module *module, const char *name) {
	char line[128];
	ENTER("cuModuleGetFunction", "name=%s", name);
	NEED_CONTEXT();
	if (!module || module->kind != MODULE) return INVALID_HANDLE;
	snprintf(line, sizeof line, ".entry %s(", name);
	if (!*name || !strstr(module->text, line)) return NOT_FOUND;
	*function = malloc(sizeof **function);
	**function = (struct entry){.kind = FUNCTION, .fused = strstr(module->text, "fma.rn.f") != NULL};
	strncpy((*function)->name, name, sizeof (*function)->name - 1);
	return SUCCESS;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *at, size_t *size, struct module *module, const char *name) {
	ENTER("cuModuleGetGlobal_v2", "name=%s", name);
	NEED_CONTEXT();
	if (!module || module->kind != MODULE) return INVALID_HANDLE;
	for (int i = 0; i < module->count; i++)
		if (!strcmp(module->names[i], name)) {
			*at = module->variables[i];
			*size = module->lengths[i];
			return SUCCESS;
		}
	return NOT_FOUND;
}

// Kernels.

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

#define ARGUMENT(type, i) (*(type *)parameters[i])

// struct Matmul of kernels/matmul.
struct strides { long long batch, row, column; };
struct matmul {
	long long batches, rows, terms, columns;
	struct strides left, right, out;
	double divisor, alpha;
	long long accumulate;
};

// at is where an element lies, or NULL if that is no device memory.
static char *at(CUdeviceptr base, size_t size, struct strides s, long long b, long long i, long long j) {
	return host(base + size * (b * s.batch + i * s.row + j * s.column), size);
}

static float from_bfloat16(uint16_t x) {
	uint32_t bits = (uint32_t)x << 16;
	float f;
	memcpy(&f, &bits, 4);
	return f;
}

static uint16_t to_bfloat16(float f) {
	uint32_t bits;
	memcpy(&bits, &f, 4);
	if (f != f) return bits >> 16 | 0x40;
	return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
}

// The contraction of kernels/matmul for one type of sum.
#define MULTIPLY(sum_type, fused_add, element, widen, narrow)                                      \
	for (long long b = 0; b < m->batches; b++)                                                     \
		for (long long i = 0; i < m->rows; i++)                                                    \
			for (long long j = 0; j < m->columns; j++) {                                           \
				volatile sum_type sum = 0, product; /* nothing is kept in more bits */             \
				for (long long k = 0; k < m->terms; k++) {                                         \
					element *x = (element *)at(left, sizeof *x, m->left, b, i, k);                 \
					element *y = (element *)at(right, sizeof *y, m->right, b, k, j);               \
					if (!x || !y) return ILLEGAL_ADDRESS;                                          \
					if (fused) {                                                                   \
						sum = fused_add(widen(*x), widen(*y), sum);                                \
					} else {                                                                       \
						product = widen(*x) * widen(*y);                                           \
						sum = product + sum;                                                       \
					}                                                                              \
				}                                                                                  \
				if (m->divisor != 0) sum = sum / (sum_type)m->divisor;                             \
				sum = (sum_type)m->alpha * sum;                                                    \
				element *cell = (element *)at(out, sizeof *cell, m->out, b, i, j);                 \
				if (!cell) return ILLEGAL_ADDRESS;                                                 \
				if (m->accumulate) sum = sum + widen(*cell);                                       \
				*cell = narrow(sum);                                                               \
			}                                                                                      \
	return SUCCESS

static CUresult multiply(const char *type, int fused, void **parameters) {
	CUdeviceptr left = ARGUMENT(CUdeviceptr, 0), right = ARGUMENT(CUdeviceptr, 1), out = ARGUMENT(CUdeviceptr, 2);
	const struct matmul *m = parameters[3];
	if (!strcmp(type, "f64")) { MULTIPLY(double, fma, double, , ); }
	if (!strcmp(type, "f32")) { MULTIPLY(float, fmaf, float, , ); }
	if (!strcmp(type, "f16")) { MULTIPLY(float, fmaf, _Float16, (float), (_Float16)); }
	if (!strcmp(type, "bf16")) { MULTIPLY(float, fmaf, uint16_t, from_bfloat16, to_bfloat16); }
	return NOT_FOUND;
}

static CUresult run(const char *name, int fused, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
	unsigned shared, void **parameters) {
	if (!strcmp(name, "conform_index")) {
		uint64_t *out;
		uint32_t n = ARGUMENT(uint32_t, 1), i = 0;
		if (!(out = (uint64_t *)host(ARGUMENT(CUdeviceptr, 0), 8 * (size_t)n))) return ILLEGAL_ADDRESS;
		for (uint64_t z = 0; z < gz; z++) for (uint64_t y = 0; y < gy; y++) for (uint64_t x = 0; x < gx; x++)
			for (uint64_t tz = 0; tz < bz; tz++) for (uint64_t ty = 0; ty < by; ty++) for (uint64_t tx = 0; tx < bx; tx++, i++)
				if (i < n) out[i] = x | y << 10 | z << 20 | tx << 30 | ty << 40 | tz << 50;
	} else if (!strcmp(name, "conform_add")) {
		uint32_t n = ARGUMENT(uint32_t, 1), amount = ARGUMENT(uint32_t, 2);
		uint32_t *values = (uint32_t *)host(ARGUMENT(CUdeviceptr, 0), 4 * (size_t)n);
		if (!values) return ILLEGAL_ADDRESS;
		for (uint32_t i = 0; i < n && i < (uint64_t)gx * bx; i++) values[i] += amount;
	} else if (!strcmp(name, "conform_parameters")) {
		uint64_t *out = (uint64_t *)host(ARGUMENT(CUdeviceptr, 5), 8 * 20);
		if (!out) return ILLEGAL_ADDRESS;
		// Each must lie where C can read its type.
		static const int alignment[] = {1, 8, 2, 4, 4, 8, 8, 1};
		for (int i = 0; i < 8; i++)
			if ((uintptr_t)parameters[i] % alignment[i]) return INVALID_VALUE;
		*out++ = ARGUMENT(uint8_t, 0);
		*out++ = ARGUMENT(uint64_t, 1);
		*out++ = ARGUMENT(uint16_t, 2);
		*out++ = ARGUMENT(uint32_t, 3);
		*out++ = ARGUMENT(uint32_t, 4);
		memcpy(out, parameters[6], 112);
		out[14] = ARGUMENT(uint8_t, 7);
	} else if (!strcmp(name, "conform_reverse")) {
		if (shared != 4 * bx) return INVALID_VALUE;
		uint32_t *out = (uint32_t *)host(ARGUMENT(CUdeviceptr, 0), shared), *in = (uint32_t *)host(ARGUMENT(CUdeviceptr, 1), shared);
		if (!out || !in) return ILLEGAL_ADDRESS;
		for (unsigned i = 0; i < bx; i++) out[bx - 1 - i] = in[i];
	} else if (!strcmp(name, "conform_wait")) {
		uint32_t *out = (uint32_t *)host(ARGUMENT(CUdeviceptr, 0), 4);
		double end = now() + ARGUMENT(uint32_t, 1) / 1e3;
		if (!out) return ILLEGAL_ADDRESS;
		while (now() < end) {}
		++*out;
	} else if (!strcmp(name, "conform_print")) {
		printf("conform_print %u\n", ARGUMENT(uint32_t, 0));
	} else if (!strcmp(name, "conform_store")) {
		CUdeviceptr p = ARGUMENT(CUdeviceptr, 0);
		if (!host(p, 4)) sticky = ILLEGAL_ADDRESS;
		else if (p % 4) sticky = MISALIGNED_ADDRESS;
		else *(uint32_t *)host(p, 4) = 1;
	} else if (!strcmp(name, "conform_trap")) {
		sticky = LAUNCH_FAILED;
	} else if (!strncmp(name, "matmul_naive_", 13)) {
		return multiply(name + 13, fused, parameters);
	} else {
		return NOT_FOUND;
	}
	return SUCCESS;
}

CUresult cuLaunchKernel(struct entry *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
	unsigned shared, void *stream, void **parameters, void **extra) {
	ENTER("cuLaunchKernel", "grid=%u,%u,%u block=%u,%u,%u shared=%u stream=%p parameters=%d extra=%p",
		gx, gy, gz, bx, by, bz, shared, stream, parameters != NULL, (void *)extra);
	NEED_CONTEXT();
	if (!f || f->kind != FUNCTION) return INVALID_HANDLE;
	if (!gx || !gy || !gz || !bx || !by || !bz || gx > 0x7FFFFFFF || gy > 65535 || gz > 65535) return INVALID_VALUE;
	if ((uint64_t)bx * by * bz > 1024 || bz > 64 || shared > 49152) return INVALID_VALUE;
	CUresult result = run(f->name, f->fused, gx, gy, gz, bx, by, bz, shared, parameters);
	if (result == ILLEGAL_ADDRESS) {
		sticky = result;
		return SUCCESS;
	}
	return result;
}

// Events.

enum { EVENT = 0x45564E54 };
struct event { int kind, recorded; double at; };

CUresult cuEventCreate(struct event **e, unsigned int flags) {
	ENTER("cuEventCreate", "flags=%u", flags);
	NEED_CONTEXT();
	*e = calloc(1, sizeof **e);
	(*e)->kind = EVENT;
	return SUCCESS;
}

CUresult cuEventRecord(struct event *e, void *stream) {
	ENTER("cuEventRecord", "stream=%p", stream);
	NEED_CONTEXT();
	if (!e || e->kind != EVENT) return INVALID_HANDLE;
	e->recorded = 1;
	e->at = now();
	return SUCCESS;
}

static CUresult elapsed(float *ms, struct event *start, struct event *end) {
	NEED_CONTEXT();
	if (!start || !end || start->kind != EVENT || end->kind != EVENT || !start->recorded || !end->recorded) return INVALID_HANDLE;
	*ms = end->at - start->at;
	return SUCCESS;
}

CUresult cuEventElapsedTime(float *ms, struct event *start, struct event *end) {
	ENTER("cuEventElapsedTime");
	return elapsed(ms, start, end);
}

#ifndef OLD
CUresult cuEventElapsedTime_v2(float *ms, struct event *start, struct event *end) {
	ENTER("cuEventElapsedTime_v2");
	return elapsed(ms, start, end);
}
#endif

CUresult cuEventDestroy_v2(struct event *e) {
	ENTER("cuEventDestroy_v2");
	NEED_CONTEXT();
	if (!e || e->kind != EVENT) return INVALID_HANDLE;
	e->kind = 0;
	free(e);
	return SUCCESS;
}
