// Tensor maps: what a tensor in global memory looks like, and which box of it a copy takes. 128 bytes that programs
// treat as opaque; cp.async.bulk.tensor reads them.
//
// Rules and bytes are those of an H200's driver (tensor_map_h200.def has them); tensormap.replace writes the same places, so
// that a map made of 128 zero bytes by that instruction alone is one. PTX, "Tensors"; CUDA driver API, "Tensor Map Object
// Management".
#ifndef SIM_TENSOR_MAP_H
#define SIM_TENSOR_MAP_H

#include "sim/sim.h"

enum {
    SIM_TENSOR_MAP_BYTES = KZ_TENSOR_MAP_BYTES,
    SIM_TENSOR_MAP_ALIGN = KZ_TENSOR_MAP_ALIGN,
    SIM_TENSOR_RANK = KZ_TENSOR_RANK,
    SIM_TENSOR_NAN = 0x7ff7, // what NaN fills with, in each 16 bits
};

typedef enum sim_tensor_type {
#define KZ_TENSOR_TYPE(id, ...) SIM_TENSOR_##id,
#include "kz/tensor_types.def"
#undef KZ_TENSOR_TYPE
    SIM_TENSOR_TYPE_COUNT
} sim_tensor_type;

typedef enum sim_tensor_interleave {
    SIM_INTERLEAVE_NONE,
    SIM_INTERLEAVE_16,
    SIM_INTERLEAVE_32,
} sim_tensor_interleave;
typedef enum sim_tensor_swizzle {
    SIM_SWIZZLE_NONE,
    SIM_SWIZZLE_32,
    SIM_SWIZZLE_64,
    SIM_SWIZZLE_128,
} sim_tensor_swizzle;

typedef enum sim_tensor_rule {
    SIM_TENSOR_RULE_NONE,
#define SIM_TENSOR_RULE(id, ...) SIM_TENSOR_RULE_##id,
#include "sim/tensor_rules.def"
#undef SIM_TENSOR_RULE
    SIM_TENSOR_RULE_COUNT
} sim_tensor_rule;

// The numbers are the driver's, and as wide: what it refuses must arrive here. Dimension 0 is contiguous. Interleaved:
// dimension 0 counts a slice's pixels, 16 or 32 bytes each, and the last but one the slices, of which a copy takes one, whatever
// its box or its channels say.
typedef struct sim_tensor_map {
    bool im2col;
    int32_t type; // sim_tensor_type
    uint32_t rank;
    uint64_t address;
    uint64_t dim[SIM_TENSOR_RANK];        // elements
    uint64_t stride[SIM_TENSOR_RANK - 1]; // bytes, of dimension i + 1
    uint32_t box[SIM_TENSOR_RANK];        // tiled: elements traversed
    uint32_t step[SIM_TENSOR_RANK];       // every how manyth element is taken
    int32_t lower[3], upper[3];           // im2col: corners of the bounding box, W first
    uint32_t channels, pixels;            // im2col
    int32_t interleave, swizzle, promotion, fill;
} sim_tensor_map;

// The first rule that the map breaks, NONE where it breaks none. `index` and `value` say where.
typedef struct sim_tensor_breach {
    sim_tensor_rule rule;
    int32_t index; // -1: the argument is no array
    int64_t value;
} sim_tensor_breach;
sim_tensor_breach sim_tensor_map_check(const sim_tensor_map *map);
kz_status sim_tensor_breach_fail(const sim_tensor_breach *breach, kz_error *error); // KZ_INVALID, in words

// KZ_INVALID where the map breaks a rule. `bytes` may lie anywhere, as the driver has it; a copy wants it aligned.
kz_status sim_tensor_map_encode(const sim_tensor_map *map, void *bytes, kz_error *error);
// What a copy takes the bytes for, which may break rules; false where all are zero.
bool sim_tensor_map_decode(const void *bytes, sim_tensor_map *map);
kz_status sim_tensor_map_replace_address(void *bytes, uint64_t address, kz_error *error);

// tensormap.replace: the bits of a field in its 32-bit words.
typedef struct sim_tensor_field {
    uint8_t word, shift, bits;
    bool less_one; // it holds the value less one
} sim_tensor_field;
sim_tensor_field sim_tensor_field_of(ptx_mod field, uint32_t ordinal); // bits 0: no such field
void sim_tensor_field_set(void *bytes, ptx_mod field, uint32_t ordinal, uint64_t value);

uint32_t sim_tensor_type_bytes(sim_tensor_type type);
const char *sim_tensor_type_name(sim_tensor_type type);
ptx_type sim_tensor_type_ptx(sim_tensor_type type);
bool sim_tensor_type_is_float(sim_tensor_type type);

// Of a code that is none, 0: rules look at the bytes before they have looked at the code.
static inline uint32_t sim_swizzle_bytes(int32_t swizzle) {
    return swizzle > 0 && swizzle < 8 ? 16u << swizzle : 0;
}

// Bytes of an element of dimension 0.
static inline uint32_t sim_tensor_unit(const sim_tensor_map *map) {
    bool sliced = map->interleave > 0 && map->interleave < 8;
    return sliced ? 8u << map->interleave : sim_tensor_type_bytes((sim_tensor_type)map->type);
}
// Every how manyth element a tiled copy takes. Without interleave the one of dimension 0 means nothing.
static inline uint32_t sim_tensor_step(const sim_tensor_map *map, uint32_t i) {
    return i || map->interleave ? map->step[i] : 1;
}
// Elements that a tiled copy takes along dimension i.
static inline uint32_t sim_tensor_count(const sim_tensor_map *map, uint32_t i) {
    uint32_t box = map->box[i], step = sim_tensor_step(map, i);
    if (map->interleave && i + 2 == map->rank) return 1; // slice
    return (box + step - 1) / step;
}
// im2col: the dimension that W is. D, H and W come before the slices where there are such, else behind the channels.
static inline uint32_t sim_tensor_space(const sim_tensor_map *map) { return map->interleave ? 0 : 1; }
uint64_t sim_tensor_rows(const sim_tensor_map *map);      // of a copy; im2col: pixels
uint32_t sim_tensor_row_bytes(const sim_tensor_map *map); // of them each
// From a row to the next in shared memory: one that is narrower than the swizzle has all its width to itself, unless it is
// interleaved.
static inline uint32_t sim_tensor_pitch(const sim_tensor_map *map) {
    uint32_t bytes = sim_tensor_row_bytes(map), span = sim_swizzle_bytes(map->swizzle);
    return span && !map->interleave ? (bytes + span - 1) / span * span : bytes;
}
// Bytes of a copy, as an mbarrier counts them: what is filled included, what lies between rows not.
uint32_t sim_tensor_box_bytes(const sim_tensor_map *map);

#endif
