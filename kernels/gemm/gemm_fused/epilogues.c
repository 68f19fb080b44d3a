// gemm_fused: epilogues.def and extras.def as the host sees them.
#include <string.h>

#include "private.h"

// In extras.def and epilogues.def: T is the operands' type.
#define TYPE_T       c->type
#define TYPE_float   KZ_F32
#define TYPE_uint8_t KZ_U8
#define TYPE_kz_e4m3 KZ_U8
#define TYPE_kz_e5m2 KZ_U8
#define TYPE_int8_t  KZ_U8

// What c's bytes are.
#define BYTE_T       GEMM_NO_BYTE
#define BYTE_float   GEMM_NO_BYTE
#define BYTE_kz_e4m3 GEMM_BYTE_E4M3
#define BYTE_kz_e5m2 GEMM_BYTE_E5M2
#define BYTE_int8_t  GEMM_BYTE_INT8

typedef enum extra_id {
#define EXTRA(id, name, role, Type, count, fold) EXTRA_##id,
#include "extras.def"
#undef EXTRA
} extra_id;

static fused_extra extra_of(const kz_case *c, extra_id which) {
    uint64_t m = (uint64_t)c->axes[M], n = (uint64_t)c->axes[N];
    switch (which) {
#define EXTRA(id, name, role, Type, count, fold)                                                             \
    case EXTRA_##id:                                                                                         \
        return (fused_extra){name, role, TYPE_##Type, count, FOLD_##fold};
#include "extras.def"
#undef EXTRA
    }
    return (fused_extra){0};
}

#define STEPS(...)                                                                                           \
    { __VA_ARGS__, NULL }
#define EPILOGUE(name, Out, X, Y, steps, ...) static gemm_step *const name##_steps[] = STEPS steps;
#include "epilogues.def"
#undef EPILOGUE

fused_epilogue fused_epilogue_of(const kz_case *c) {
    enum {
#define EPILOGUE(name, ...) IS_##name,
#include "epilogues.def"
#undef EPILOGUE
    };
    switch (c->operation / 2) {
#define EPILOGUE(name, Out, X, Y, steps, ...)                                                                \
    case IS_##name:                                                                                          \
        return (fused_epilogue){#name,                                                                       \
                                TYPE_##Out,                                                                  \
                                BYTE_##Out,                                                                  \
                                IS_##name == IS_swiglu || IS_##name == IS_geglu,                             \
                                extra_of(c, EXTRA_##X),                                                      \
                                extra_of(c, EXTRA_##Y),                                                      \
                                name##_steps};
#include "epilogues.def"
#undef EPILOGUE
    }
    return (fused_epilogue){0};
}
