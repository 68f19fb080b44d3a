// Texture and surface objects: what tex, tld4, suld, sust and txq look at.
//
// A handle is what a program passes to its kernels as cudaTextureObject_t or cudaSurfaceObject_t. Texels lie
// in simulated global memory, row after row: element (x, y, z) of level 0 is at
// address + x * element_bytes + y * pitch + z * slice. Layers and faces of cubes are slices.
#ifndef SIM_TEXTURE_H
#define SIM_TEXTURE_H

#include "sim/sim.h"

typedef enum sim_texel_kind { SIM_TEXEL_SIGNED, SIM_TEXEL_UNSIGNED, SIM_TEXEL_FLOAT } sim_texel_kind;
typedef enum sim_address_mode {
    SIM_ADDRESS_WRAP,
    SIM_ADDRESS_CLAMP,
    SIM_ADDRESS_MIRROR,
    SIM_ADDRESS_BORDER,
} sim_address_mode;

enum { SIM_TEXTURE_LEVELS = 16 };

typedef struct sim_texture_level {
    uint64_t address;
    uint64_t width, height, depth; // elements; 1 where the texture has no such dimension
    uint64_t pitch, slice;         // bytes from row to row, from slice to slice
} sim_texture_level;

typedef struct sim_texture {
    bool is_surface;
    unsigned dimensions; // 1, 2, 3; a cube map has 2
    bool is_layered, is_cubemap;
    bool is_linear; // plain memory (tex1Dfetch), or pitched memory: no array
    uint32_t layers;
    sim_texel_kind kind;
    uint8_t channels; // 1, 2, 4
    uint8_t bits[4];  // per channel: 8, 16, 32
    uint32_t element_bytes;
    uint32_t level_count; // at least 1
    sim_texture_level levels[SIM_TEXTURE_LEVELS];
    // How it is read; surfaces have none of these.
    sim_address_mode address_mode[3];
    bool filter_linear, mipmap_linear;
    bool normalised_coordinates;
    bool normalised_values; // integers are read as floats in [0, 1] or [-1, 1]
    float border[4];
    float level_bias, min_level, max_level;
    uint32_t max_anisotropy;
} sim_texture;

// Keeps a copy; the handle is never 0.
kz_status sim_texture_create(sim_machine *machine, const sim_texture *texture, uint64_t *handle,
                             kz_error *error);
kz_status sim_texture_destroy(sim_machine *machine, uint64_t handle, kz_error *error);
// NULL where the handle means no live object.
const sim_texture *sim_texture_find(const sim_machine *machine, uint64_t handle);
void sim_texture_close_all(sim_machine *machine);

#endif
