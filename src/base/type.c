// The element types of the public interface.
#include "base/base.h"

static const struct {
    const char *name;
    size_t size;
} types[KZ_TYPE_COUNT] = {
    [KZ_F32] = {"f32", 4}, [KZ_F16] = {"f16", 2}, [KZ_BF16] = {"bf16", 2},
    [KZ_F64] = {"f64", 8}, [KZ_I32] = {"i32", 4}, [KZ_U8] = {"u8", 1},
    [KZ_U32] = {"u32", 4}, [KZ_I64] = {"i64", 8}, [KZ_U16] = {"u16", 2},
};

size_t kz_type_size(kz_type type) { return (unsigned)type < KZ_TYPE_COUNT ? types[type].size : 0; }
const char *kz_type_name(kz_type type) { return (unsigned)type < KZ_TYPE_COUNT ? types[type].name : "?"; }
