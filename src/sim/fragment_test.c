// What the simulator executes is what fragment.def says: matrices are laid into registers and shared memory by its layouts, multiplied by
// every form of matrix.def and moved by ldmatrix and stmatrix, and every element of the result is compared.
#include <stdio.h>
#include <stdlib.h>

#include "base/layout.h"
#include "ptx/layouts.h"
#include "ptx/matrix.h"
#include "sim/tensor.h"
#include "sim/test_machine.h"
#include "unit.h"

enum { SLOT = 8, SLOTS = 160, WARPGROUP = 128, SHARED = 32768, MOST = 256 * 256 };

// ---- a machine and its buffer: slots of 8 bytes for each thread, then what goes to shared memory -----------------------

typedef struct bench {
    unsigned threads;
    uint8_t registers[SLOTS * WARPGROUP * SLOT];
    uint8_t shared[SHARED];
} bench;

static uint8_t *slot_at(bench *b, unsigned slot, unsigned thread) {
    assert_true(slot < SLOTS);
    return &b->registers[(slot * b->threads + thread) * SLOT];
}

static void run(bench *b, const char *text, const char *name) {
    sim_machine *machine;
    sim_program *program = NULL;
    ptx_module *module;
    kz_error error = {0};
    uint64_t buffer;
    sim_config config = test_config(90);
    assert_int_equal(sim_machine_open(&config, &machine, &error), KZ_OK);
    if (ptx_module_open("t.ptx", text, strlen(text), &module, &error) ||
        sim_program_open(machine, module, &program, &error))
        fail_msg("%s: %s", name, error.message);
    assert_int_equal(sim_memory_alloc(machine, sizeof *b, &buffer, &error), KZ_OK);
    assert_int_equal(
        sim_memory_write(machine, buffer, b->registers, sizeof *b - offsetof(bench, registers), &error),
        KZ_OK);
    const void *args[] = {&buffer};
    sim_launch launch = {.grid = {1, 1, 1}, .block = {b->threads, 1, 1}, .args = args, .arg_count = 1};
    if (sim_run(program, "k", &launch, NULL, &error)) fail_msg("%s: %s\n%s", name, error.message, text);
    assert_int_equal(
        sim_memory_read(machine, b->registers, buffer, sizeof *b - offsetof(bench, registers), &error),
        KZ_OK);
    sim_program_close(program);
    sim_machine_close(machine);
}

static void add_head(base_text *t) {
    base_text_add(
        t,
        ".version 9.0\n.target sm_90a\n.address_size 64\n.shared .align 1024 .b8 tile[%d];\n"
        ".visible .entry k(.param .u64 io) {\n.reg .b32 %%r<400>;\n.reg .b64 %%d<200>;\n.reg .pred %%p<4>;\n"
        "ld.param.u64 %%d0, [io];\nmov.u32 %%r0, %%tid.x;\nmul.wide.u32 %%d1, %%r0, %d;\n"
        "add.u64 %%d2, %%d0, %%d1;\n",
        SHARED, SLOT);
}

// Registers %r(10 + first) and on, or %d, between the slots of the same numbers and the thread.
static void add_moves(base_text *t, const bench *b, bool load, unsigned first, unsigned count,
                      unsigned bits) {
    char kind = bits == 64 ? 'd' : 'r';
    for (unsigned i = first; i < first + count; i++) {
        unsigned at = i * b->threads * SLOT;
        if (load)
            base_text_add(t, "ld.global.b%u %%%c%u, [%%d2+%u];\n", bits, kind, 10 + i, at);
        else
            base_text_add(t, "st.global.b%u [%%d2+%u], %%%c%u;\n", bits, at, kind, 10 + i);
    }
}

static void add_list(base_text *t, unsigned first, unsigned count, unsigned bits) {
    for (unsigned i = 0; i < count; i++)
        base_text_add(t, "%s%%%c%u", i ? ", " : "{", bits == 64 ? 'd' : 'r', 10 + first + i);
    base_text_add(t, "}");
}

// ---- small numbers in every type ------------------------------------------------------------------------------------------

static uint64_t drawn;

static int draw(ptx_type type) {
    uint64_t at = drawn++;
    unsigned any = base_philox(90, 3, at / 4).word[at % 4];
    if (type == PTX_B1) return (int)(any % 2);
    return type == PTX_U8 || type == PTX_U4 ? (int)(any % 3) : (int)(any % 5) - 2;
}

static uint64_t code_of(ptx_type type, int value) {
    static const uint8_t small[2][3] = {{0, 0x38, 0x40}, {0, 0x3c, 0x40}};
    float f = (float)value;
    double d = value;
    uint32_t bits;
    uint64_t wide;
    memcpy(&bits, &f, sizeof bits);
    memcpy(&wide, &d, sizeof wide);
    switch (type) {
    case PTX_F16: return base_f32_to_f16(f);
    case PTX_BF16: return base_f32_to_bf16(f);
    case PTX_E4M3:
    case PTX_E5M2: return small[type == PTX_E5M2][abs(value)] | (value < 0 ? 0x80u : 0);
    case PTX_F32:
    case PTX_TF32: return bits;
    case PTX_F64: return wide;
    default: return (uint64_t)value & ((UINT64_C(1) << ptx_type_bits(type)) - 1);
    }
}

// ---- a product ------------------------------------------------------------------------------------------------------------

typedef struct product {
    ptx_matrix x;
    char name[96];
    int a[MOST], b[MOST], c[MOST]; // m x stored k, k x n, m x n, row by row
    unsigned stored;
} product;

static unsigned width_of(const product *p, ptx_matrix_part part) {
    return part == PTX_MATRIX_A ? p->stored : p->x.n;
}

static int *matrix_of(product *p, ptx_matrix_part part) {
    return part == PTX_MATRIX_A ? p->a : part == PTX_MATRIX_B ? p->b : p->c;
}

static void fill(product *p) {
    p->stored = p->x.sparse ? p->x.k / 2u : p->x.k;
    for (unsigned i = 0; i < p->x.m * p->stored; i++) p->a[i] = draw(p->x.types[PTX_MATRIX_A]);
    for (unsigned i = 0; i < (unsigned)p->x.k * p->x.n; i++) p->b[i] = draw(p->x.types[PTX_MATRIX_B]);
    for (unsigned i = 0; i < (unsigned)p->x.m * p->x.n; i++) p->c[i] = draw(PTX_S32);
}

// Metadata of 4 in every nibble: the first half of each chunk is stored.
static int dot(const product *p, unsigned row, unsigned column) {
    unsigned half = p->x.sparse ? ptx_matrix_chunk(&p->x) / 2 : 1;
    int sum = p->c[row * p->x.n + column];
    for (unsigned j = 0; j < p->stored; j++) {
        unsigned k = p->x.sparse ? 2 * half * (j / half) + j % half : j;
        sum += p->a[row * p->stored + j] * p->b[k * p->x.n + column];
    }
    return sum;
}

static void pack(bench *b, product *p, ptx_matrix_part part, unsigned first_slot) {
    ptx_fragment f;
    ptx_type type = p->x.types[part];
    unsigned bits = ptx_type_bits(type), in_register = bits == 64 ? 1 : 32 / bits;
    ptx_fragment_of(&p->x, part, &f);
    for (unsigned thread = 0; thread < b->threads; thread++)
        for (unsigned e = 0; e < ptx_matrix_elements(&p->x, part); e++) {
            unsigned row, column;
            ptx_fragment_at(&f, thread, e, &row, &column);
            uint64_t code = code_of(type, matrix_of(p, part)[row * width_of(p, part) + column]), word;
            uint8_t *slot = slot_at(b, first_slot + e / in_register, thread);
            memcpy(&word, slot, sizeof word);
            word |= code << e % in_register * bits;
            memcpy(slot, &word, sizeof word);
        }
}

static void check(bench *b, const product *p, unsigned first_slot) {
    ptx_fragment f;
    ptx_type type = p->x.types[PTX_MATRIX_D];
    unsigned bits = ptx_type_bits(type), in_register = bits == 64 ? 1 : 32 / bits;
    ptx_fragment_of(&p->x, PTX_MATRIX_D, &f);
    for (unsigned thread = 0; thread < b->threads; thread++)
        for (unsigned e = 0; e < ptx_matrix_elements(&p->x, PTX_MATRIX_D); e++) {
            unsigned row, column;
            uint64_t word, mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
            ptx_fragment_at(&f, thread, e, &row, &column);
            memcpy(&word, slot_at(b, first_slot + e / in_register, thread), sizeof word);
            if ((word >> e % in_register * bits & mask) != code_of(type, dot(p, row, column)))
                fail_msg("%s: thread %u, element %u, row %u, column %u is not %d", p->name, thread, e, row,
                         column, dot(p, row, column));
        }
}

// ---- mma, wmma ------------------------------------------------------------------------------------------------------------

static void add_opcode(base_text *t, const product *p) {
    const ptx_matrix *x = &p->x;
    const char *d = ptx_type_name(x->types[PTX_MATRIX_D]), *a = ptx_type_name(x->types[PTX_MATRIX_A]);
    bool wmma = x->op == PTX_OP_WMMA, bit = x->types[PTX_MATRIX_A] == PTX_B1;
    base_text_add(t, "%s%s%s.sync.aligned.m%un%uk%u.%s.%s", wmma ? "wmma.mma" : "mma", bit ? ".and.popc" : "",
                  x->sparse ? ".sp" : "", x->m, x->n, x->k, x->a_by_column ? "col" : "row",
                  x->b_by_row ? "row" : "col");
    if (wmma && x->types[PTX_MATRIX_A] == PTX_F16)
        base_text_add(t, ".%s.%s ", d, ptx_type_name(x->types[PTX_MATRIX_C]));
    else
        base_text_add(t, ".%s.%s.%s.%s ", d, a, a, ptx_type_name(x->types[PTX_MATRIX_C]));
}

static void multiply(product *p) {
    static bench b;
    base_text t = {0};
    unsigned first[5] = {0}, count[4], bits[4];
    memset(&b, 0, sizeof b);
    b.threads = 32;
    fill(p);
    for (int i = 0; i < 4; i++) {
        count[i] = ptx_matrix_registers(&p->x, (ptx_matrix_part)i, &bits[i]);
        first[i + 1] = first[i] + count[i];
        if (i < 3) pack(&b, p, (ptx_matrix_part)i, first[i]);
    }
    add_head(&t);
    for (int i = 0; i < 3; i++) add_moves(&t, &b, true, first[i], count[i], bits[i]);
    base_text_add(&t, "mov.b32 %%r1, 0x44444444;\n");
    add_opcode(&t, p);
    static const int order[] = {PTX_MATRIX_D, PTX_MATRIX_A, PTX_MATRIX_B, PTX_MATRIX_C};
    for (int i = 0; i < 4; i++) {
        if (i) base_text_add(&t, ", ");
        add_list(&t, first[order[i]], count[order[i]], bits[order[i]]);
    }
    base_text_add(&t, p->x.sparse ? ", %%r1, 0;\n" : ";\n");
    add_moves(&t, &b, false, first[3], count[3], bits[3]);
    base_text_add(&t, "ret;\n}\n");
    run(&b, t.data, p->name);
    check(&b, p, first[3]);
    base_text_free(&t);
}

static void every_form_of_a_warp(void **state) {
    static product p;
    ptx_matrix_row row;
    unsigned forms = 0;
    for (unsigned i = 0; ptx_matrix_row_at(i, &row); i++)
        for (int type = 1; type < PTX_TYPE_COUNT; type++) {
            p.x = row.matrix;
            p.x.types[PTX_MATRIX_A] = (ptx_type)type;
            if (p.x.op == PTX_OP_WGMMA_MMA_ASYNC || !ptx_matrix_find(&p.x) || p.x.sm != row.matrix.sm)
                continue;
            snprintf(p.name, sizeof p.name, "%s m%un%uk%u of %s", p.x.op == PTX_OP_MMA ? "mma" : "wmma",
                     p.x.m, p.x.n, p.x.k, ptx_type_name((ptx_type)type));
            multiply(&p);
            forms++;
            if (!p.x.quarters) continue;
            p.x.a_by_column = p.x.b_by_row = true;
            multiply(&p);
            p.x.types[PTX_MATRIX_C] = p.x.types[PTX_MATRIX_D] = PTX_F16;
            multiply(&p);
        }
    assert_true(forms >= 60);
}

// ---- wgmma ----------------------------------------------------------------------------------------------------------------

typedef struct shared_matrix {
    const char *swizzle;
    bool across;
    unsigned at;         // in shared memory
    uint64_t descriptor; // filled in
} shared_matrix;

// Lays a side (64 rows of A, n columns of B) into shared memory by the named tile, side by side, first along m or n.
static void lay(bench *b, product *p, ptx_matrix_part part, shared_matrix *s) {
    static const char *const modes[] = {"none", "sw128", "sw64", "sw32"};
    ptx_layout tile;
    base_layout whole;
    kz_error error = {0};
    char name[PTX_LAYOUT_NAME];
    unsigned bytes = ptx_type_bits(p->x.types[part]) / 8, side = part == PTX_MATRIX_A ? p->x.m : p->x.n,
             mode = 0;
    unsigned k = part == PTX_MATRIX_A ? p->stored : p->x.k;
    snprintf(name, sizeof name, "smem.%s.%s.b%u", s->across ? "mn" : "k", s->swizzle, 8 * bytes);
    assert_int_equal(ptx_layout_named(name, &tile, &error), KZ_OK);
    unsigned down = (side + tile.rows - 1) / tile.rows, along = (k + tile.columns - 1) / tile.columns,
             tile_bytes = tile.rows * tile.columns * bytes;
    base_layout tiler = {.count = 3, .span = {3, 1, 1}, .shape = {0, down, along}, .stride = {0, 1, down}};
    assert_int_equal(base_layout_blocked_product(&tile.layout.layout, &tiler, &whole, &error), KZ_OK);
    base_composed placed = {tile.layout.swizzle, s->at / bytes, whole};
    for (unsigned i = 0; i < side; i++)
        for (unsigned j = 0; j < k; j++) {
            int64_t at = base_composed_at(&placed, i + (int64_t)down * tile.rows * j) * bytes;
            int value = part == PTX_MATRIX_A ? p->a[i * p->stored + j] : p->b[j * p->x.n + i];
            uint64_t code = code_of(p->x.types[part], value);
            assert_true(at + bytes <= SHARED);
            memcpy(&b->shared[at], &code, bytes);
        }
    while (strcmp(modes[mode], s->swizzle) != 0) mode++;
    // PTX ISA, "Strides": from 8 rows to the next; with no swizzle, and across, from one tile to the next the other way.
    uint64_t next_side = tile_bytes, next_k = (uint64_t)down * tile_bytes;
    uint64_t leading = mode && s->across ? next_side : next_k,
             stride = mode && s->across ? next_k : next_side;
    s->descriptor = s->at >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | (uint64_t)mode << 62;
}

static void add_wgmma(base_text *t, const product *p, bool a_in_registers, unsigned a_count,
                      const shared_matrix *a, const shared_matrix *b, unsigned d_first, unsigned d_count) {
    const ptx_matrix *x = &p->x;
    const char *type = ptx_type_name(x->types[PTX_MATRIX_A]);
    bool is_float = ptx_type_class(x->types[PTX_MATRIX_A]) == 'f',
         halves = ptx_type_bits(x->types[PTX_MATRIX_A]) == 16;
    base_text_add(t, "mov.b64 %%d4, 0x%llx;\nmov.b64 %%d5, 0x%llx;\nmov.b32 %%r1, 0x44444444;\n",
                  (unsigned long long)a->descriptor, (unsigned long long)b->descriptor);
    base_text_add(t, "wgmma.fence.sync.aligned;\nwgmma.mma_async%s.sync.aligned.m64n%uk%u.%s.%s.%s%s ",
                  x->sparse ? ".sp" : "", x->n, x->k, ptx_type_name(x->types[PTX_MATRIX_D]), type, type,
                  x->types[PTX_MATRIX_A] == PTX_B1 ? ".and.popc" : "");
    add_list(t, d_first, d_count, 32);
    base_text_add(t, ", ");
    if (a_in_registers)
        add_list(t, 0, a_count, 32);
    else
        base_text_add(t, "%%d4");
    base_text_add(t, x->sparse ? ", %%d5, %%r1, 0, 1" : ", %%d5, 1");
    if (is_float) base_text_add(t, ", 1, 1");
    if (halves && !a_in_registers) base_text_add(t, ", %d", a->across);
    if (halves) base_text_add(t, ", %d", b->across);
    base_text_add(t, ";\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n");
}

static void add_copy_to_shared(base_text *t, const bench *b) {
    base_text_add(
        t,
        "mov.u32 %%r2, tile;\nmov.u32 %%r3, %%r0;\n"
        "again:\nmul.wide.u32 %%d6, %%r3, 16;\nadd.u64 %%d6, %%d6, %%d0;\n"
        "ld.global.v2.b64 {%%d7, %%d8}, [%%d6+%u];\nmad.lo.u32 %%r4, %%r3, 16, %%r2;\n"
        "st.shared.v2.b64 [%%r4], {%%d7, %%d8};\nadd.u32 %%r3, %%r3, %u;\nsetp.lt.u32 %%p1, %%r3, %d;\n"
        "@%%p1 bra again;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n",
        (unsigned)(offsetof(bench, shared) - offsetof(bench, registers)), b->threads, SHARED / 16);
}

static void multiply_group(product *p, bool a_in_registers, const char *swizzle, bool a_across,
                           bool b_across) {
    static bench b;
    base_text t = {0};
    unsigned bits, a_count = ptx_matrix_registers(&p->x, PTX_MATRIX_A, &bits),
                   d_count = ptx_matrix_registers(&p->x, PTX_MATRIX_D, &bits);
    shared_matrix of_a = {swizzle, a_across, 0, 0}, of_b = {swizzle, b_across, 16384, 0};
    memset(&b, 0, sizeof b);
    b.threads = WARPGROUP;
    fill(p);
    pack(&b, p, PTX_MATRIX_C, a_count);
    if (a_in_registers)
        pack(&b, p, PTX_MATRIX_A, 0);
    else
        lay(&b, p, PTX_MATRIX_A, &of_a);
    lay(&b, p, PTX_MATRIX_B, &of_b);
    add_head(&t);
    add_moves(&t, &b, true, 0, a_count + d_count, 32);
    add_copy_to_shared(&t, &b);
    add_wgmma(&t, p, a_in_registers, a_count, &of_a, &of_b, a_count, d_count);
    add_moves(&t, &b, false, a_count, d_count, 32);
    base_text_add(&t, "ret;\n}\n");
    snprintf(p->name, sizeof p->name, "wgmma%s n%u k%u of %s, %s, A %s, B %s", p->x.sparse ? ".sp" : "",
             p->x.n, p->x.k, ptx_type_name(p->x.types[PTX_MATRIX_A]), swizzle,
             a_in_registers ? "in registers"
             : a_across     ? "across"
                            : "along",
             b_across ? "across" : "along");
    run(&b, t.data, p->name);
    check(&b, p, a_count);
    base_text_free(&t);
}

static void every_form_of_a_warpgroup(void **state) {
    static product p;
    static const char *const swizzles[] = {"none", "sw32", "sw64", "sw128"};
    static const uint16_t columns[] = {8, 64, 80, 128};
    ptx_matrix_row row;
    unsigned forms = 0;
    for (unsigned i = 0; ptx_matrix_row_at(i, &row); i++)
        for (int type = 1; type < PTX_TYPE_COUNT; type++) {
            p.x = row.matrix;
            p.x.types[PTX_MATRIX_A] = (ptx_type)type;
            p.x.n = columns[forms % BASE_COUNT(columns)];
            if (p.x.op != PTX_OP_WGMMA_MMA_ASYNC || type == PTX_B1 || !ptx_matrix_find(&p.x)) continue;
            bool halves = ptx_type_bits((ptx_type)type) == 16;
            forms++;
            for (size_t s = 0; s < BASE_COUNT(swizzles); s++)
                for (int across = 0; across < (halves ? 2 : 1); across++) {
                    // A row of 64 bytes along k does not fit into a swizzle of 32.
                    if (p.x.sparse && !across && !strcmp(swizzles[s], "sw32")) continue;
                    multiply_group(&p, true, swizzles[s], false, across);
                    if (!p.x.sparse || !across) multiply_group(&p, false, swizzles[s], across, across);
                }
        }
    assert_true(forms >= 12);
}

// ---- ldmatrix, stmatrix ---------------------------------------------------------------------------------------------------

static base_layout layout_of(const char *format, const char *what, unsigned count, const char *suffix) {
    char name[PTX_LAYOUT_NAME];
    ptx_layout l;
    kz_error error = {0};
    snprintf(name, sizeof name, format, what, count, suffix);
    if (ptx_layout_named(name, &l, &error)) fail_msg("%s", error.message);
    return l.layout.layout;
}

static void move_matrices(bool store, unsigned count, bool transposed) {
    static bench b;
    base_text t = {0};
    const char *what = store ? "stmatrix" : "ldmatrix";
    base_layout held = layout_of("%s.x%u%s", what, count, transposed ? ".trans" : ""),
                address = layout_of("%s.x%u%s", what, count, ".address"),
                threads = base_layout_mode(&held, 0), values = base_layout_mode(&held, 1),
                givers = base_layout_mode(&address, 0);
    memset(&b, 0, sizeof b);
    b.threads = 32;
    for (unsigned lane = 0; lane < 32; lane++) {
        uint32_t at = lane < base_layout_size(&givers) ? (uint32_t)base_layout_at(&givers, lane) * 2 : 0;
        memcpy(slot_at(&b, 0, lane), &at, sizeof at);
        for (unsigned v = 0; store && v < 2 * count; v++) {
            uint16_t value = (uint16_t)(base_layout_at(&threads, lane) + base_layout_at(&values, v) + 1000);
            memcpy(slot_at(&b, 1 + v / 2, lane) + v % 2 * 2, &value, sizeof value);
        }
    }
    for (unsigned i = 0; !store && i < 64 * count; i++) {
        uint16_t value = (uint16_t)(i + 1000);
        memcpy(&b.shared[2 * i], &value, sizeof value);
    }
    add_head(&t);
    add_copy_to_shared(&t, &b);
    add_moves(&t, &b, true, 0, 1 + count, 32);
    base_text_add(&t, "add.u32 %%r10, %%r10, %%r2;\n%s.sync.aligned.m8n8.x%u%s.shared.b16 ", what, count,
                  transposed ? ".trans" : "");
    if (store) base_text_add(&t, "[%%r10], ");
    add_list(&t, 1, count, 32);
    base_text_add(&t, store ? ";\n" : ", [%%r10];\n");
    add_moves(&t, &b, false, 1, count, 32);
    // What lies in shared memory goes back where it came from.
    base_text_add(
        &t,
        "bar.sync 0;\nmad.lo.u32 %%r4, %%r0, 16, %%r2;\nld.shared.v2.b64 {%%d7, %%d8}, [%%r4];\n"
        "mul.wide.u32 %%d6, %%r0, 16;\nadd.u64 %%d6, %%d6, %%d0;\nst.global.v2.b64 [%%d6+%u], {%%d7, %%d8};\n"
        "ret;\n}\n",
        (unsigned)(offsetof(bench, shared) - offsetof(bench, registers)));
    run(&b, t.data, what);
    for (unsigned i = 0; store && i < 64 * count; i++) {
        uint16_t value;
        memcpy(&value, &b.shared[2 * i], sizeof value);
        if (value != i + 1000) fail_msg("%s x%u: element %u is %u", what, count, i, value - 1000u);
    }
    for (unsigned lane = 0; !store && lane < 32; lane++)
        for (unsigned v = 0; v < 2 * count; v++) {
            uint16_t value;
            memcpy(&value, slot_at(&b, 1 + v / 2, lane) + v % 2 * 2, sizeof value);
            assert_int_equal(value - 1000, base_layout_at(&threads, lane) + base_layout_at(&values, v));
        }
    base_text_free(&t);
}

static void matrices_that_move(void **state) {
    for (unsigned count = 1; count <= 4; count *= 2)
        for (int way = 0; way < 4; way++) move_matrices(way & 1, count, way & 2);
}

// ---- boxes of tensor maps -------------------------------------------------------------------------------------------------

static void boxes(void **state) {
    static const char *const names[] = {"tma.none.b8", "tma.sw32.b8", "tma.sw64.b8", "tma.sw128.b8"};
    for (int swizzle = 0; swizzle < 4; swizzle++) {
        ptx_layout l;
        kz_error error = {0};
        assert_int_equal(ptx_layout_named(names[swizzle], &l, &error), KZ_OK);
        tensor_copy copy = {.map = {.swizzle = swizzle}};
        for (unsigned row = 0; row < l.rows; row++)
            for (unsigned byte = 0; byte < l.columns; byte++)
                assert_int_equal(sim_tensor_place(&copy, row * l.columns + byte),
                                 base_composed_at(&l.layout, row + (int64_t)l.rows * byte));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_of_a_warp),
        cmocka_unit_test(every_form_of_a_warpgroup),
        cmocka_unit_test(matrices_that_move),
        cmocka_unit_test(boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
