// tex, tld4, txq, suld, sust, suq: reading and writing through texture and surface objects, lane by lane.
//
// Coordinates, filters and address modes follow the CUDA programming guide's chapter "Texture Fetching": a
// linear filter weighs neighbours with 8 bits of fraction. Level of detail: tex takes level 0, since threads
// of a kernel have no derivatives; tex.level and tex.grad say theirs.

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sim/decode.h"
#include "sim/exec_memory.h"
#include "sim/floats.h"
#include "sim/formats.h"
#include "sim/texture.h"

typedef enum geometry { PLAIN, LAYERED, CUBE, LAYERED_CUBE } geometry;

typedef struct texture_form {
    uint32_t handle;   // frame offsets; SIM_NOWHERE where absent
    uint32_t value[4]; // registers read or written
    uint32_t coordinate[4];
    uint32_t level, gradient[2][3];
    uint32_t present; // the predicate of d|p
    uint8_t value_count, coordinate_count;
    uint8_t dimensions;
    geometry geometry;
    bool integer_coordinates;
    ptx_type type;     // of a value
    uint8_t component; // tld4
    ptx_mod outside;   // suld, sust: trap, clamp, zero
    ptx_mod query;
} texture_form;

static const texture_form *form_of(const sim_op *op) { return (const texture_form *)(uintptr_t)op->aux; }

// ---- objects ----------------------------------------------------------------------------------------

static const sim_texture *object(sim_warp *w, const sim_op *op, unsigned lane, bool surface) {
    uint64_t handle = SIM_REG(uint64_t, w, form_of(op)->handle)[lane];
    const sim_texture *t = sim_texture_find(w->block->grid->program->machine, handle);
    const char *kind = surface ? "surface" : "texture";
    if (!t)
        sim_fault_here(w, op, lane, SIM_FAULT_TEXTURE,
                       "0x%" PRIx64
                       " is no %s object\nlikely cause: it was never created, or destroyed while "
                       "kernels still use it",
                       handle, kind);
    if (t->is_surface != surface)
        sim_fault_here(w, op, lane, SIM_FAULT_TEXTURE, "a %s object is used as a %s",
                       surface ? "texture" : "surface", kind);
    return t;
}

// Texel memory was allocated by the host; it may have been freed since.
static uint8_t *texel(sim_warp *w, const sim_op *op, unsigned lane, uint64_t address, uint32_t bytes) {
    if (!sim_memory_find(w->block->grid->memory, address, bytes))
        sim_fault_access(w, op, lane, address, bytes, SIM_TEXTURE, NULL);
    return sim_memory_host(w->block->grid->memory, address);
}

static uint64_t texel_address(const sim_texture *t, const sim_texture_level *level, int64_t x, int64_t y,
                              int64_t z) {
    return level->address + (uint64_t)x * t->element_bytes + (uint64_t)y * level->pitch +
           (uint64_t)z * level->slice;
}

// ---- texels as numbers ------------------------------------------------------------------------------

typedef union texel_value {
    float f[4];
    uint32_t u[4];
} texel_value;

static uint32_t channel(const sim_texture *t, const uint8_t *from, unsigned bits) {
    if (bits == 8) return t->kind == SIM_TEXEL_SIGNED ? (uint32_t)(int32_t)(int8_t)from[0] : from[0];
    if (bits == 16) {
        uint16_t half;
        memcpy(&half, from, 2);
        if (t->kind == SIM_TEXEL_FLOAT) return bits_of_f32(f32_of_f16(half));
        return t->kind == SIM_TEXEL_SIGNED ? (uint32_t)(int32_t)(int16_t)half : half;
    }
    uint32_t word;
    memcpy(&word, from, 4);
    return word;
}

static float normalised(const sim_texture *t, uint32_t raw, unsigned bits) {
    if (t->kind == SIM_TEXEL_UNSIGNED) return (float)raw / (bits == 8 ? 255.0f : 65535.0f);
    float value = (float)(int32_t)raw / (bits == 8 ? 127.0f : 32767.0f);
    return value < -1.0f ? -1.0f : value;
}

static bool reads_floats(const sim_texture *t) { return t->kind == SIM_TEXEL_FLOAT || t->normalised_values; }

static texel_value border_value(const sim_texture *t) {
    texel_value v = {.u = {0}};
    for (int c = 0; c < 4; c++) {
        if (reads_floats(t))
            v.f[c] = t->border[c];
        else
            v.u[c] = (uint32_t)(int64_t)t->border[c];
    }
    return v;
}

static texel_value read_texel(sim_warp *w, const sim_op *op, unsigned lane, const sim_texture *t,
                              const sim_texture_level *level, const int64_t at[3]) {
    const uint8_t *from = texel(w, op, lane, texel_address(t, level, at[0], at[1], at[2]), t->element_bytes);
    texel_value v = {.u = {0}};
    for (unsigned c = 0; c < t->channels; c++) {
        v.u[c] = channel(t, from, t->bits[c]);
        if (t->normalised_values && t->kind != SIM_TEXEL_FLOAT) v.f[c] = normalised(t, v.u[c], t->bits[c]);
        from += t->bits[c] / 8;
    }
    return v;
}

// ---- coordinates ------------------------------------------------------------------------------------

// The texel that stands for index i of `size`; -1: the border.
static int64_t resolve_index(const sim_texture *t, unsigned axis, int64_t i, int64_t size) {
    sim_address_mode mode = t->address_mode[axis];
    if (t->is_cubemap) mode = SIM_ADDRESS_CLAMP;
    // Wrapping and mirroring are for normalised coordinates alone.
    if (!t->normalised_coordinates && (mode == SIM_ADDRESS_WRAP || mode == SIM_ADDRESS_MIRROR))
        mode = SIM_ADDRESS_CLAMP;
    if (i >= 0 && i < size) return i;
    switch (mode) {
    case SIM_ADDRESS_WRAP: return (i % size + size) % size;
    case SIM_ADDRESS_MIRROR: {
        int64_t m = (i % (2 * size) + 2 * size) % (2 * size);
        return m < size ? m : 2 * size - 1 - m;
    }
    case SIM_ADDRESS_CLAMP: return i < 0 ? 0 : size - 1;
    default: return -1;
    }
}

static int64_t whole(double x) {
    return x >= 9e15 ? (int64_t)9e15 : x <= -9e15 ? -(int64_t)9e15 : (int64_t)x;
}

typedef struct sample_point {
    double at[3];
    int64_t layer;
    unsigned dimensions;
} sample_point;

static int64_t size_of(const sim_texture_level *level, unsigned axis) {
    return (int64_t)(axis == 0 ? level->width : axis == 1 ? level->height : level->depth);
}

static texel_value at_index(sim_warp *w, const sim_op *op, unsigned lane, const sim_texture *t,
                            const sim_texture_level *level, const sample_point *p, const int64_t index[3]) {
    int64_t at[3] = {0, 0, 0};
    for (unsigned axis = 0; axis < p->dimensions; axis++) {
        at[axis] = resolve_index(t, axis, index[axis], size_of(level, axis));
        if (at[axis] < 0) return border_value(t);
    }
    if (t->is_layered || t->is_cubemap) at[2] = p->layer;
    return read_texel(w, op, lane, t, level, at);
}

// Coordinates in texels of this level.
static double scaled(const sim_texture *t, const sim_texture_level *level, const sample_point *p,
                     unsigned axis) {
    double x = p->at[axis];
    if (!(x == x)) return 0; // NaN reads texel 0
    return t->normalised_coordinates || t->is_cubemap ? x * (double)size_of(level, axis) : x;
}

// Shares of the neighbours, in 256ths: an H200 rounds each product, so that every share has 8 bits and all
// together make 256. Its planes are met but for ties; how it rounds in volumes is not known, and there a share
// can be one off.
static void share_out(unsigned dimensions, const uint32_t weight[3], uint32_t share[8]) {
    share[0] = 256;
    for (unsigned axis = 0; axis < dimensions; axis++)
        for (unsigned corner = 0; corner < 1u << axis; corner++) {
            uint32_t next = (share[corner] * weight[axis] + 127) / 256;
            share[corner | 1u << axis] = next;
            share[corner] -= next;
        }
}

static texel_value filter_linear(sim_warp *w, const sim_op *op, unsigned lane, const sim_texture *t,
                                 const sim_texture_level *level, const sample_point *p) {
    int64_t index[3] = {0};
    uint32_t weight[3] = {0}, share[8];
    for (unsigned axis = 0; axis < p->dimensions; axis++) {
        int64_t fixed = whole(floor((scaled(t, level, p, axis) - 0.5) * 256 + 0.5));
        index[axis] = fixed >> 8;
        weight[axis] = (uint32_t)(fixed & 255);
    }
    // With a border, a row is a plane one texel high that is read at its edge: half of it is border.
    bool edge = p->dimensions == 1 && t->address_mode[0] == SIM_ADDRESS_BORDER && !t->is_layered;
    if (edge) weight[1] = 128;
    unsigned dimensions = edge ? 2 : p->dimensions;
    share_out(dimensions, weight, share);
    double sum[4] = {0};
    for (unsigned corner = 0; corner < 1u << dimensions; corner++) {
        if (!share[corner]) continue; // a neighbour that counts nothing may be an infinity
        int64_t at[3] = {0};
        for (unsigned axis = 0; axis < p->dimensions; axis++) at[axis] = index[axis] + (corner >> axis & 1);
        texel_value v = edge && !(corner >> 1) ? border_value(t) : at_index(w, op, lane, t, level, p, at);
        for (int c = 0; c < 4; c++) sum[c] += share[corner] / 256.0 * (double)v.f[c];
    }
    texel_value out;
    for (int c = 0; c < 4; c++) out.f[c] = (float)sum[c];
    return out;
}

static texel_value filter(sim_warp *w, const sim_op *op, unsigned lane, const sim_texture *t,
                          const sim_texture_level *level, const sample_point *p) {
    if (t->filter_linear && reads_floats(t)) return filter_linear(w, op, lane, t, level, p);
    int64_t index[3] = {0};
    for (unsigned axis = 0; axis < p->dimensions; axis++)
        index[axis] = whole(floor(scaled(t, level, p, axis)));
    return at_index(w, op, lane, t, level, p, index);
}

// The face of a cube that a direction meets, and where ("Cubemap Textures" of the programming guide).
static void cube_point(const double d[3], sample_point *p) {
    double x = d[0], y = d[1], z = d[2], ax = fabs(x), ay = fabs(y), az = fabs(z), m, s, t;
    int face;
    if (ax >= ay && ax >= az) {
        face = x >= 0 ? 0 : 1;
        m = ax, s = x >= 0 ? -z : z, t = -y;
    } else if (ay >= az) {
        face = y >= 0 ? 2 : 3;
        m = ay, s = x, t = y >= 0 ? z : -z;
    } else {
        face = z >= 0 ? 4 : 5;
        m = az, s = z >= 0 ? x : -x, t = -y;
    }
    if (m == 0) m = 1;
    p->at[0] = (s / m + 1) / 2;
    p->at[1] = (t / m + 1) / 2;
    p->layer = p->layer * 6 + face;
}

static double float_at(const sim_warp *w, uint32_t at, unsigned lane) {
    return (double)SIM_REG(float, w, at)[lane];
}

static sample_point point_of(const sim_warp *w, const sim_texture *t, const texture_form *f, unsigned lane) {
    sample_point p = {.dimensions = f->dimensions};
    unsigned next = 0;
    if (f->geometry == LAYERED || f->geometry == LAYERED_CUBE) {
        p.layer = (int64_t)SIM_REG(uint32_t, w, f->coordinate[next++])[lane];
        int64_t count = t->is_cubemap ? t->layers / 6 : t->layers;
        if (p.layer >= count) p.layer = count ? count - 1 : 0; // layers are clamped
    }
    double at[3] = {0};
    unsigned wanted = f->geometry == CUBE || f->geometry == LAYERED_CUBE ? 3 : f->dimensions;
    for (unsigned axis = 0; axis < wanted; axis++)
        at[axis] = f->integer_coordinates ? (double)SIM_REG(int32_t, w, f->coordinate[next + axis])[lane]
                                          : float_at(w, f->coordinate[next + axis], lane);
    memcpy(p.at, at, sizeof at);
    if (wanted == 3 && f->dimensions == 2) cube_point(at, &p);
    return p;
}

static double level_of(const sim_warp *w, const sim_texture *t, const texture_form *f, unsigned lane) {
    double level = 0;
    if (f->level != SIM_NOWHERE) level = float_at(w, f->level, lane);
    if (f->gradient[0][0] != SIM_NOWHERE) {
        double longest = 0;
        for (int side = 0; side < 2; side++) {
            double length = 0;
            for (unsigned axis = 0; axis < f->dimensions; axis++) {
                double step = float_at(w, f->gradient[side][axis], lane);
                if (t->normalised_coordinates) step *= (double)size_of(&t->levels[0], axis);
                length += step * step;
            }
            if (length > longest) longest = length;
        }
        level = longest > 0 ? log2(longest) / 2 : 0;
    }
    level += (double)t->level_bias;
    if (t->level_count > 1 && t->max_level > t->min_level) {
        if (level < (double)t->min_level) level = (double)t->min_level;
        if (level > (double)t->max_level) level = (double)t->max_level;
    }
    return level < 0 || !(level == level) ? 0 : level;
}

static texel_value sample(sim_warp *w, const sim_op *op, unsigned lane, const sim_texture *t,
                          const sample_point *p, double level) {
    unsigned last = t->level_count - 1;
    bool blend = t->mipmap_linear && reads_floats(t) && last > 0;
    if (!blend) {
        double nearest = floor(level + 0.5);
        return filter(w, op, lane, t, &t->levels[nearest > last ? last : (unsigned)nearest], p);
    }
    unsigned low = level >= last ? last : (unsigned)level, high = low < last ? low + 1 : last;
    double share = level >= last ? 0 : floor((level - low) * 256 + 0.5) / 256;
    texel_value a = filter(w, op, lane, t, &t->levels[low], p),
                b = filter(w, op, lane, t, &t->levels[high], p);
    for (int c = 0; c < 4; c++) a.f[c] = (float)((double)a.f[c] * (1 - share) + (double)b.f[c] * share);
    return a;
}

// ---- the instructions -------------------------------------------------------------------------------

static void emit(sim_warp *w, const sim_op *op, unsigned lane, sim_access_kind kind, uint64_t address,
                 uint32_t bytes) {
    sim_listener *listener = w->block->worker->listener;
    if (!listener || !listener->access) return;
    uint64_t addresses[SIM_LANES] = {0};
    addresses[lane] = address;
    listener->access(listener, &(sim_access){.at = sim_event_of(w, op->inst, UINT32_C(1) << lane),
                                             .kind = kind,
                                             .space = SIM_TEXTURE,
                                             .bytes = bytes,
                                             .addresses = addresses});
}

static void put(sim_warp *w, const texture_form *f, unsigned lane, const texel_value *v) {
    for (unsigned c = 0; c < f->value_count; c++)
        if (f->value[c] != SIM_NOWHERE) {
            if (ptx_type_bits(f->type) == 16) // f16 results of a float texture
                SIM_REG(uint16_t, w, f->value[c])[lane] = f16_of_f32(v->f[c]);
            else
                SIM_REG(uint32_t, w, f->value[c])[lane] = v->u[c];
        }
    if (f->present != SIM_NOWHERE) SIM_PRED(w, f->present) |= UINT32_C(1) << lane;
}

// Plain memory has no edge to clamp to: outside it reads zero.
static bool fetches_outside(const sim_texture *t, const texture_form *f, const sample_point *p) {
    if (!t->is_linear || !f->integer_coordinates) return false;
    for (unsigned axis = 0; axis < f->dimensions; axis++)
        if (p->at[axis] < 0 || p->at[axis] >= (double)size_of(&t->levels[0], axis)) return true;
    return false;
}

static void exec_tex(sim_warp *w, const sim_op *op) {
    const texture_form *f = form_of(op);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        const sim_texture *t = object(w, op, lane, false);
        sample_point p = point_of(w, t, f, lane);
        texel_value v = {.u = {0}};
        if (f->integer_coordinates && !fetches_outside(t, f, &p)) {
            int64_t index[3] = {(int64_t)p.at[0], (int64_t)p.at[1], (int64_t)p.at[2]};
            v = at_index(w, op, lane, t, &t->levels[0], &p, index);
        } else if (!f->integer_coordinates)
            v = sample(w, op, lane, t, &p, level_of(w, t, f, lane));
        emit(w, op, lane, SIM_LOAD, t->levels[0].address, t->element_bytes);
        put(w, f, lane, &v);
    }
}

// One component of the four texels that a linear filter would weigh.
static void exec_tld4(sim_warp *w, const sim_op *op) {
    static const uint8_t corner[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    const texture_form *f = form_of(op);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        const sim_texture *t = object(w, op, lane, false);
        sample_point p = point_of(w, t, f, lane);
        const sim_texture_level *level = &t->levels[0];
        int64_t x = whole(floor(scaled(t, level, &p, 0) - 0.5)),
                y = whole(floor(scaled(t, level, &p, 1) - 0.5));
        texel_value v = {.u = {0}};
        for (int i = 0; i < 4; i++) {
            int64_t index[3] = {x + corner[i][0], y + corner[i][1], 0};
            v.u[i] = at_index(w, op, lane, t, level, &p, index).u[f->component];
        }
        emit(w, op, lane, SIM_LOAD, level->address, t->element_bytes);
        put(w, f, lane, &v);
    }
}

// Where a surface access goes; false: nowhere. x counts bytes.
static bool surface_address(sim_warp *w, const sim_op *op, unsigned lane, const sim_texture *t,
                            uint32_t bytes, uint64_t *address) {
    const texture_form *f = form_of(op);
    const sim_texture_level *level = &t->levels[0];
    int64_t at[3] = {0}, limit[3] = {(int64_t)(level->width * t->element_bytes) - bytes,
                                     (int64_t)level->height - 1, (int64_t)level->depth - 1};
    unsigned next = 0;
    if (f->geometry == LAYERED) {
        at[2] = (int64_t)SIM_REG(int32_t, w, f->coordinate[next++])[lane];
        limit[2] = (int64_t)(t->layers ? t->layers : 1) - 1;
    }
    for (unsigned axis = 0; axis < f->dimensions; axis++)
        at[axis] = SIM_REG(int32_t, w, f->coordinate[next + axis])[lane];
    for (int axis = 0; axis < 3; axis++) {
        if (at[axis] >= 0 && at[axis] <= limit[axis]) continue;
        if (f->outside == PTX_MOD_ZERO) return false;
        if (f->outside != PTX_MOD_CLAMP)
            sim_fault_here(
                w, op, lane, SIM_FAULT_SURFACE,
                "surface access at %c = %" PRId64 ", where %" PRId64
                " is the last\nlikely cause: x of a surface counts bytes, not elements; or the edge "
                "is not guarded (cudaBoundaryModeTrap)",
                'x' + axis, at[axis], limit[axis]);
        at[axis] = at[axis] < 0 ? 0 : limit[axis];
    }
    if (at[0] % bytes)
        sim_fault_here(w, op, lane, SIM_FAULT_MISALIGNED,
                       "surface access of %u bytes at x = %" PRId64 " is misaligned: x counts bytes", bytes,
                       at[0]);
    *address =
        level->address + (uint64_t)at[0] + (uint64_t)at[1] * level->pitch + (uint64_t)at[2] * level->slice;
    return true;
}

static void exec_surface(sim_warp *w, const sim_op *op) {
    const texture_form *f = form_of(op);
    bool store = op->inst->op == PTX_OP_SUST;
    uint32_t element = ptx_type_bits(f->type) / 8, bytes = element * f->value_count;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        const sim_texture *t = object(w, op, lane, true);
        uint64_t address, zero[4] = {0};
        bool inside = surface_address(w, op, lane, t, bytes, &address);
        if (store && !inside) continue;
        uint8_t *at = inside ? texel(w, op, lane, address, bytes) : (uint8_t *)zero;
        if (inside) emit(w, op, lane, store ? SIM_STORE : SIM_LOAD, address, bytes);
        if (store) w->block->worker->changes++;
        for (unsigned c = 0; c < f->value_count; c++, at += element) {
            if (f->value[c] == SIM_NOWHERE) continue;
            uint8_t *reg = w->frame + f->value[c] + lane * (element < 2 ? 2 : element);
            if (store)
                memcpy(at, reg, element);
            else {
                memset(reg, 0, element < 2 ? 2 : element); // bytes sit in 16-bit registers
                memcpy(reg, at, element);
            }
        }
    }
}

static void exec_query(sim_warp *w, const sim_op *op) {
    const texture_form *f = form_of(op);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        const sim_texture *t = object(w, op, lane, op->inst->op == PTX_OP_SUQ);
        uint32_t lod = f->level == SIM_NOWHERE ? 0 : SIM_REG(uint32_t, w, f->level)[lane];
        const sim_texture_level *level = &t->levels[lod < t->level_count ? lod : t->level_count - 1];
        uint64_t value = f->query == PTX_MOD_WIDTH    ? level->width
                         : f->query == PTX_MOD_HEIGHT ? level->height
                                                      : level->depth;
        SIM_REG(uint32_t, w, f->value[0])[lane] = (uint32_t)value;
    }
}

// ---- decoding ---------------------------------------------------------------------------------------

static bool has_mod(const ptx_inst *inst, ptx_mod mod) {
    for (unsigned i = 0; i < inst->mod_count; i++)
        if (inst->mods[i] == mod) return true;
    return false;
}

static bool find_geometry(const ptx_inst *inst, texture_form *f) {
    static const struct {
        ptx_mod mod;
        uint8_t dimensions;
        geometry geometry;
        uint8_t coordinates;
    } table[] = {
        {PTX_MOD_D1, 1, PLAIN, 1},           {PTX_MOD_D2, 2, PLAIN, 2},    {PTX_MOD_D3, 3, PLAIN, 3},
        {PTX_MOD_A1D, 1, LAYERED, 2},        {PTX_MOD_A2D, 2, LAYERED, 3}, {PTX_MOD_CUBE, 2, CUBE, 3},
        {PTX_MOD_ACUBE, 2, LAYERED_CUBE, 4},
    };
    for (size_t i = 0; i < BASE_COUNT(table); i++)
        if (has_mod(inst, table[i].mod)) {
            f->dimensions = table[i].dimensions;
            f->geometry = table[i].geometry;
            f->coordinate_count = table[i].coordinates;
            return true;
        }
    return false;
}

static void find_values(sim_decoder *d, const ptx_operand *list, texture_form *f, bool read) {
    unsigned bits = ptx_type_bits(f->type);
    ptx_type slot = bits <= 16 ? PTX_B16 : bits == 64 ? PTX_B64 : PTX_B32;
    uint32_t count = list->kind == PTX_OPERAND_VECTOR ? list->element_count : 1;
    f->value_count = (uint8_t)(count > 4 ? 4 : count);
    for (unsigned i = 0; i < f->value_count; i++) {
        const ptx_operand *one = list->kind == PTX_OPERAND_VECTOR ? &list->elements[i] : list;
        if (one->kind == PTX_OPERAND_SINK)
            f->value[i] = SIM_NOWHERE;
        else
            f->value[i] = read ? sim_source(d, one, slot) : sim_destination(d, one, slot);
    }
}

// [handle, {x, y, ...}]; false where it is of another shape ([texture, sampler, {...}]).
static bool find_address(sim_decoder *d, const ptx_operand *address, texture_form *f) {
    if (address->kind != PTX_OPERAND_ADDRESS || address->reg < 0) return false;
    f->handle = d->code->reg_at[address->reg];
    if (!f->coordinate_count) return true;
    if (address->element_count != 1) return false;
    const ptx_operand *list = &address->elements[0];
    uint32_t count = list->kind == PTX_OPERAND_VECTOR ? list->element_count : 1;
    if (count < f->coordinate_count) return false;
    for (unsigned i = 0; i < f->coordinate_count; i++)
        f->coordinate[i] =
            sim_source(d, list->kind == PTX_OPERAND_VECTOR ? &list->elements[i] : list, PTX_B32);
    return true;
}

static void find_level(sim_decoder *d, const ptx_inst *inst, texture_form *f) {
    if (has_mod(inst, PTX_MOD_LEVEL) && inst->operand_count > 2)
        f->level = sim_source(d, &inst->operands[2], PTX_F32);
    if (!has_mod(inst, PTX_MOD_GRAD) || inst->operand_count < 4) return;
    for (int side = 0; side < 2; side++) {
        const ptx_operand *list = &inst->operands[2 + side];
        for (unsigned axis = 0; axis < f->dimensions; axis++) {
            bool vector = list->kind == PTX_OPERAND_VECTOR && axis < list->element_count;
            f->gradient[side][axis] = sim_source(d, vector ? &list->elements[axis] : list, PTX_F32);
        }
    }
}

// Further ones are offsets and a depth to compare with, which are not there.
static uint32_t texture_operands(const ptx_inst *inst) {
    return has_mod(inst, PTX_MOD_GRAD) ? 4 : has_mod(inst, PTX_MOD_LEVEL) ? 3 : 2;
}

bool sim_select_texture(sim_decoder *d, const ptx_inst *inst, sim_op *op) {
    texture_form *f = sim_keep(d, sizeof *f);
    if (!f) return false;
    memset(f, 0xff, sizeof *f); // SIM_NOWHERE everywhere
    f->value_count = f->coordinate_count = f->component = 0;
    f->query = PTX_MOD_NONE;
    f->type = inst->type_count ? (ptx_type)inst->types[0] : PTX_B32;
    op->aux = (uint64_t)(uintptr_t)f;
    const ptx_operand *o = inst->operands;
    switch (inst->op) {
    case PTX_OP_TEX:
    case PTX_OP_TLD4:
        f->integer_coordinates = inst->type_count > 1 && inst->types[1] == PTX_S32;
        if (inst->type_count < 2 || inst->operand_count != texture_operands(inst)) return false;
        if (!find_geometry(inst, f) || !find_address(d, &o[1], f)) return false;
        f->component = has_mod(inst, PTX_MOD_G)   ? 1
                       : has_mod(inst, PTX_MOD_B) ? 2
                       : has_mod(inst, PTX_MOD_A) ? 3
                                                  : 0;
        if (o[0].second >= 0) f->present = d->code->reg_at[o[0].second];
        find_values(d, &o[0], f, false);
        find_level(d, inst, f);
        op->full = op->masked = inst->op == PTX_OP_TEX ? exec_tex : exec_tld4;
        return true;
    case PTX_OP_SULD:
    case PTX_OP_SUST: {
        bool store = inst->op == PTX_OP_SUST;
        if (!has_mod(inst, PTX_MOD_B) || inst->operand_count < 2 || !find_geometry(inst, f)) return false;
        f->outside = has_mod(inst, PTX_MOD_ZERO)    ? PTX_MOD_ZERO
                     : has_mod(inst, PTX_MOD_CLAMP) ? PTX_MOD_CLAMP
                                                    : PTX_MOD_TRAP;
        if (!find_address(d, &o[store ? 0 : 1], f)) return false;
        find_values(d, &o[store ? 1 : 0], f, store);
        op->full = op->masked = exec_surface;
        return true;
    }
    case PTX_OP_TXQ:
    case PTX_OP_SUQ:
        f->query = has_mod(inst, PTX_MOD_WIDTH)    ? PTX_MOD_WIDTH
                   : has_mod(inst, PTX_MOD_HEIGHT) ? PTX_MOD_HEIGHT
                   : has_mod(inst, PTX_MOD_DEPTH)  ? PTX_MOD_DEPTH
                                                   : PTX_MOD_NONE;
        if (f->query == PTX_MOD_NONE || inst->operand_count != texture_operands(inst)) return false;
        if (!find_address(d, &o[1], f)) return false;
        f->type = PTX_B32;
        find_values(d, &o[0], f, false);
        if (has_mod(inst, PTX_MOD_LEVEL)) f->level = sim_source(d, &o[2], PTX_B32);
        op->full = op->masked = exec_query;
        return true;
    default: return false;
    }
}
