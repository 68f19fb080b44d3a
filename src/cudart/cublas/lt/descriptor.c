// Handles and descriptors of cuBLASLt, and the attributes of each.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "lt.h"

// ---- attributes -----------------------------------------------------------------------------------------

typedef struct attribute {
    int number;
    size_t offset, bytes;
} attribute;

#define FIELD(structure, number, field)                                                                      \
    { number, offsetof(structure, field), sizeof((structure *)0)->field }

static const attribute layout_attributes[] = {
#define ROW(number, field) FIELD(lt_layout, number, field)
    ROW(0, type),  ROW(1, order),  ROW(2, rows),  ROW(3, columns),     ROW(4, ld),
    ROW(5, batch), ROW(6, stride), ROW(7, plane), ROW(8, by_pointers),
#undef ROW
};

static const attribute matmul_attributes[] = {
#define ROW(number, field) FIELD(lt_matmul_desc, number, field)
    ROW(0, compute),
    ROW(1, scale_type),
    ROW(2, pointer_mode),
    ROW(3, ta),
    ROW(4, tb),
    ROW(5, tc),
    ROW(6, fill),
    ROW(7, epilogue),
    ROW(8, bias),
    ROW(10, bias_stride),
    ROW(11, aux),
    ROW(12, aux_ld),
    ROW(13, aux_stride),
    ROW(14, alpha_stride),
    ROW(15, sm_count),
    ROW(17, scales[LT_OF_A]),
    ROW(18, scales[LT_OF_B]),
    ROW(19, scales[LT_OF_C]),
    ROW(20, scales[LT_OF_D]),
    ROW(21, amax),
    ROW(22, aux_type),
    ROW(23, scales[LT_OF_AUX]),
    ROW(24, aux_amax),
    ROW(25, fast),
    ROW(26, bias_type),
    ROW(31, scale_modes[LT_OF_A]),
    ROW(32, scale_modes[LT_OF_B]),
    ROW(33, scale_modes[LT_OF_C]),
    ROW(34, scale_modes[LT_OF_D]),
    ROW(35, scale_modes[LT_OF_AUX]),
    ROW(36, d_out_scale),
    ROW(37, d_out_mode),
    ROW(38, emulation),
#undef ROW
};

static const attribute transform_attributes[] = {
#define ROW(number, field) FIELD(lt_transform_desc, number, field)
    ROW(0, scale_type),
    ROW(1, pointer_mode),
    ROW(2, ta),
    ROW(3, tb),
#undef ROW
};

static const attribute preference_attributes[] = {
#define ROW(number, field) FIELD(lt_preference, number, field)
    ROW(0, search),        ROW(1, workspace_bytes), ROW(3, reductions),
    ROW(5, alignments[0]), ROW(6, alignments[1]),   ROW(7, alignments[2]),
    ROW(8, alignments[3]), ROW(9, waves),           ROW(12, implementations),
#undef ROW
};

static const attribute algorithm_attributes[] = {
#define ROW(number, field) FIELD(lt_algorithm, number, field)
    ROW(0, id),     ROW(1, tile),   ROW(2, splits), ROW(3, reduction), ROW(4, swizzle),
    ROW(5, custom), ROW(6, stages), ROW(7, inner),  ROW(8, cluster),
#undef ROW
};

static const attribute *find(const attribute *table, size_t count, int number) {
    for (size_t i = 0; i < count; i++)
        if (table[i].number == number) return &table[i];
    return NULL;
}

static cublas_status set(const attribute *table, size_t count, void *object, int number, const void *from,
                         size_t bytes) {
    const attribute *a = find(table, count, number);
    if (!object || !from || !a || bytes != a->bytes) return CUBLAS_INVALID_VALUE;
    memcpy((char *)object + a->offset, from, bytes);
    return CUBLAS_SUCCESS;
}

// With 0 bytes to write to, only their number is asked for.
static cublas_status get(const attribute *table, size_t count, const void *object, int number, void *to,
                         size_t bytes, size_t *written) {
    const attribute *a = find(table, count, number);
    if (!object || !a || (bytes ? !to || bytes < a->bytes : !written)) return CUBLAS_INVALID_VALUE;
    if (bytes) memcpy(to, (const char *)object + a->offset, a->bytes);
    if (written) *written = a->bytes;
    return CUBLAS_SUCCESS;
}

#define ATTRIBUTES(name, type, table)                                                                        \
    CUBLAS_FUNCTION(cublasLt##name##SetAttribute, type *object, int number, const void *from,                \
                    size_t bytes) {                                                                          \
        return set(table, BASE_COUNT(table), object, number, from, bytes);                                   \
    }                                                                                                        \
    CUBLAS_FUNCTION(cublasLt##name##GetAttribute, const type *object, int number, void *to, size_t bytes,    \
                    size_t *written) {                                                                       \
        return get(table, BASE_COUNT(table), object, number, to, bytes, written);                            \
    }
ATTRIBUTES(MatrixLayout, lt_layout, layout_attributes)
ATTRIBUTES(MatmulDesc, lt_matmul_desc, matmul_attributes)
ATTRIBUTES(MatrixTransformDesc, lt_transform_desc, transform_attributes)
ATTRIBUTES(MatmulPreference, lt_preference, preference_attributes)

// An algorithm's number is what it is.
CUBLAS_FUNCTION(cublasLtMatmulAlgoConfigSetAttribute, lt_algorithm *algorithm, int number, const void *from,
                size_t bytes) {
    if (number == 0) return CUBLAS_INVALID_VALUE;
    return set(algorithm_attributes, BASE_COUNT(algorithm_attributes), algorithm, number, from, bytes);
}

CUBLAS_FUNCTION(cublasLtMatmulAlgoConfigGetAttribute, const lt_algorithm *algorithm, int number, void *to,
                size_t bytes, size_t *written) {
    return get(algorithm_attributes, BASE_COUNT(algorithm_attributes), algorithm, number, to, bytes, written);
}

// ---- descriptors ----------------------------------------------------------------------------------------

static cublas_status put(void *object, size_t room, const void *initial, size_t bytes) {
    if (!object || room < bytes) return CUBLAS_INVALID_VALUE;
    memcpy(object, initial, bytes);
    return CUBLAS_SUCCESS;
}

static cublas_status create(void **object, const void *initial, size_t bytes) {
    if (!object) return CUBLAS_INVALID_VALUE;
    *object = malloc(bytes);
    return *object ? put(*object, bytes, initial, bytes) : CUBLAS_ALLOC_FAILED;
}

#define DESCRIPTOR(name, type, initial, ...)                                                                 \
    CUBLAS_FUNCTION(cublasLt##name##Init_internal, type *object, size_t room __VA_OPT__(, ) __VA_ARGS__) {   \
        type first = initial;                                                                                \
        return put(object, room, &first, sizeof first);                                                      \
    }                                                                                                        \
    CUBLAS_FUNCTION(cublasLt##name##Create, type **object __VA_OPT__(, ) __VA_ARGS__) {                      \
        type first = initial;                                                                                \
        return create((void **)object, &first, sizeof first);                                                \
    }                                                                                                        \
    CUBLAS_FUNCTION(cublasLt##name##Destroy, type *object) {                                                 \
        free(object);                                                                                        \
        return CUBLAS_SUCCESS;                                                                               \
    }

static lt_layout first_layout(int type, uint64_t rows, uint64_t columns, int64_t ld) {
    return (lt_layout){.type = type, .rows = rows, .columns = columns, .ld = ld, .batch = 1};
}

static lt_matmul_desc first_matmul(int compute, int scale_type) {
    return (lt_matmul_desc){.compute = compute,
                            .scale_type = scale_type,
                            .fill = LT_FULL,
                            .epilogue = 1,
                            .bias_type = -1,
                            .aux_type = -1};
}

static lt_preference first_preference(void) {
    return (lt_preference){
        .implementations = UINT64_MAX, .reductions = 7, .alignments = {256, 256, 256, 256}};
}

DESCRIPTOR(MatrixLayout, lt_layout, first_layout(type, rows, columns, ld), int type, uint64_t rows,
           uint64_t columns, int64_t ld)
DESCRIPTOR(MatmulDesc, lt_matmul_desc, first_matmul(compute, scale_type), int compute, int scale_type)
DESCRIPTOR(MatrixTransformDesc, lt_transform_desc, {.scale_type = scale_type}, int scale_type)
DESCRIPTOR(MatmulPreference, lt_preference, first_preference())

// ---- the library ----------------------------------------------------------------------------------------

// A handle of cuBLAS is one of cuBLASLt too.
CUBLAS_FUNCTION(cublasLtCreate, cublas_handle **handle) { return cublas_handle_open(handle); }
CUBLAS_FUNCTION(cublasLtDestroy, cublas_handle *handle) { return cublas_handle_close(handle); }

size_t cublasLtGetVersion(void);
size_t cublasLtGetVersion(void) { return CUBLAS_VERSION; }
size_t cublasLtGetCudartVersion(void);
size_t cublasLtGetCudartVersion(void) { return CUDART_VERSION; }
CUBLAS_FUNCTION(cublasLtGetProperty, int which, int *value) { return cublas_property(which, value); }
const char *cublasLtGetStatusName(cublas_status status);
const char *cublasLtGetStatusName(cublas_status status) { return cublas_status_name(status); }
const char *cublasLtGetStatusString(cublas_status status);
const char *cublasLtGetStatusString(cublas_status status) { return cublas_status_text(status); }

// What is kept of heuristics, what the CPU may use and what is logged changes no result: there is nothing to set.
CUBLAS_FUNCTION(cublasLtHeuristicsCacheGetCapacity, size_t *capacity) {
    if (!capacity) return CUBLAS_INVALID_VALUE;
    *capacity = 0;
    return CUBLAS_SUCCESS;
}
CUBLAS_FUNCTION(cublasLtHeuristicsCacheSetCapacity, size_t capacity) { return CUBLAS_SUCCESS; }
unsigned cublasLtDisableCpuInstructionsSetMask(unsigned mask);
unsigned cublasLtDisableCpuInstructionsSetMask(unsigned mask) { return 0; }
CUBLAS_FUNCTION(cublasLtLoggerSetCallback, void *callback) { return CUBLAS_SUCCESS; }
CUBLAS_FUNCTION(cublasLtLoggerSetFile, void *file) { return CUBLAS_SUCCESS; }
CUBLAS_FUNCTION(cublasLtLoggerOpenFile, const char *path) { return CUBLAS_SUCCESS; }
CUBLAS_FUNCTION(cublasLtLoggerSetLevel, int level) { return CUBLAS_SUCCESS; }
CUBLAS_FUNCTION(cublasLtLoggerSetMask, int mask) { return CUBLAS_SUCCESS; }
CUBLAS_FUNCTION(cublasLtLoggerForceDisable, void) { return CUBLAS_SUCCESS; }
