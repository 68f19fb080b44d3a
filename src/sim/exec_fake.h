// For the tests of the exec_*.c files: a warp without a machine.
//
// A test is a line of PTX and an oracle. The line is parsed, bound by a selector of each
// instruction set to a frame of registers made here, and run on edge values and random ones, with
// all lanes and with some; every lane must be what the oracle says, and no other lane may change.
// Registers: %h0-%h7 16 bits, %r0-%r7 32, %d0-%d7 64, %q0-%q3 128, %p0-%p7 predicates.
#ifndef SIM_EXEC_FAKE_H
#define SIM_EXEC_FAKE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/exec.h"
#include "unit.h"

enum { FAKE_SLOT = 512, FAKE_SLOTS = 64, FAKE_BYTES = FAKE_SLOT * FAKE_SLOTS };

// Stands for the decoder: registers by index, constants after them, the carries last.
struct sim_decoder {
    const ptx_function *function;
    uint8_t *frame;
    uint32_t constants;
};

static unsigned fake_bits(unsigned bits) { return bits == 1 ? 1 : bits < 16 ? 16 : bits; }

uint32_t sim_source(sim_decoder *decoder, const ptx_operand *operand, ptx_type type) {
    if (operand->kind == PTX_OPERAND_REG) return (uint32_t)operand->reg * FAKE_SLOT;
    uint32_t at = (FAKE_SLOTS - 2 - decoder->constants++) * FAKE_SLOT;
    uint64_t value = ptx_immediate(operand, type);
    unsigned bytes = fake_bits(ptx_type_bits(type)) / 8;
    for (unsigned i = 0; i < SIM_LANES; i++) memcpy(decoder->frame + at + i * bytes, &value, bytes);
    return at;
}
uint32_t sim_destination(sim_decoder *decoder, const ptx_operand *operand, ptx_type type) {
    if (operand->kind == PTX_OPERAND_REG) return (uint32_t)operand->reg * FAKE_SLOT;
    return (FAKE_SLOTS - 2 - decoder->constants++) * FAKE_SLOT;
}
unsigned sim_operand_bits(sim_decoder *decoder, const ptx_operand *operand, ptx_type type) {
    if (operand->kind == PTX_OPERAND_REG)
        return fake_bits(ptx_type_bits(decoder->function->regs[operand->reg].type));
    return fake_bits(ptx_type_bits(type));
}
uint32_t sim_carry(sim_decoder *decoder) { return (FAKE_SLOTS - 1) * FAKE_SLOT; }

// ---- instruction sets -------------------------------------------------------------------------------

typedef struct fake_isa {
    const char *name;
    sim_selector *select[3];
} fake_isa;

// NULL past the last one that this CPU can run.
static inline const fake_isa *fake_isa_get(unsigned index) {
    static const fake_isa portable = {
        "portable", {sim_select_arith_portable, sim_select_convert_portable, sim_select_video_portable}};
    if (index == 0) return &portable;
#ifdef SIM_HAS_AVX2
    static const fake_isa avx2 = {"avx2",
                                  {sim_select_arith_avx2, sim_select_convert_avx2, sim_select_video_avx2}};
    if (index == 1 && sim_isa_has_avx2()) return &avx2;
#endif
    return NULL;
}

// ---- one instruction ----------------------------------------------------------------------------------

typedef struct fake_line {
    ptx_module *module;
    const ptx_function *function;
    const ptx_inst *inst;
    const char *text;
} fake_line;

static inline void fake_open(fake_line *line, const char *text) {
    char source[1024];
    kz_error error = {0};
    snprintf(source, sizeof source,
             ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k()\n{\n.reg .b16 %%h<8>;\n"
             ".reg .b32 %%r<8>;\n.reg .b64 %%d<8>;\n.reg .b128 %%q<4>;\n.reg .pred %%p<8>;\n%s\nret;\n}\n",
             text);
    if (ptx_module_open("test.ptx", source, strlen(source), &line->module, &error) != KZ_OK)
        fail_msg("%s: %s", text, error.message);
    line->function = ptx_find_function(line->module, "k");
    line->inst = &line->function->insts[0];
    line->text = text;
}

static inline void fake_close(fake_line *line) { ptx_module_close(line->module); }

// Whether some selector knows the instruction; `op` is bound to `frame`.
static inline bool fake_select(const fake_line *line, const fake_isa *isa, uint8_t *frame, sim_op *op) {
    sim_decoder decoder = {line->function, frame, 0};
    *op = (sim_op){
        .inst = line->inst, .guard = -1, .d = UINT32_MAX, .a = UINT32_MAX, .b = UINT32_MAX, .c = UINT32_MAX};
    for (unsigned k = 0; k < BASE_COUNT(isa->select); k++)
        if (isa->select[k](&decoder, line->inst, op)) return true;
    return false;
}

static inline void fake_run(const sim_op *op, uint8_t *frame, uint32_t mask) {
    sim_warp *warp = aligned_alloc(64, (sizeof *warp + 63) / 64 * 64);
    assert_non_null(warp);
    memset(warp, 0, sizeof *warp);
    warp->frame = frame;
    warp->mask = warp->lanes_mask = mask;
    for (unsigned i = 0; i < SIM_LANES; i++) warp->lanes[i] = mask >> i & 1 ? SIM_ALL : 0;
    (mask == SIM_ALL ? op->full : op->masked)(warp, op);
    free(warp);
    volatile float one = 1.0f, little = 0x1p-30f; // the rounding mode is to nearest again
    assert_true(one + little == 1.0f && one - little == 1.0f);
}

// ---- values ---------------------------------------------------------------------------------------------

static inline uint64_t fake_random(uint64_t *counter) {
    base_philox_block block = base_philox(7, 11, (*counter)++);
    return (uint64_t)block.word[0] << 32 | block.word[1];
}

static inline uint64_t fake_value(unsigned bits, uint64_t *counter) {
    static const uint32_t words[] = {
        0,          1,          2,          31,         32,         33,         0x7fffffff, 0x80000000,
        0x80000001, 0xffffffff, 0xfffffffe, 0x0000ffff, 0x00010000, 0x7fff8000, 0x3f800000, 0xbf800000,
        0x3f000000, 0x3fc00000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001, 0x00800000,
        0x80800000, 0x007fffff, 0x807fffff, 0x00000001, 0x7f7fffff, 0xff7fffff, 0x4b800000, 0x4f000000,
        0xcf000000, 0x4f800000, 0x5f000000, 0x3effffff, 0x40200000, 0xc0600000, 0x477fe000, 0x477ff000,
        0x33800000, 0x33000000, 0x33000001, 0x38800000, 0x43e00000,
    };
    static const uint16_t halves[] = {0,      1,      2,      0x7fff, 0x8000, 0x8001, 0xffff, 0x3c00,
                                      0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0x0400, 0x8400, 0x03ff,
                                      0x7bff, 0xfbff, 0x3800, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7f7f,
                                      0x0080, 0x007f, 0x00ff, 0x0f0f, 0x7e7f, 0x3fc0, 0x7ff7, 0xfff7};
    static const uint64_t longs[] = {
        0,
        1,
        63,
        64,
        UINT64_C(0x7fffffffffffffff),
        UINT64_C(0x8000000000000000),
        UINT64_MAX,
        UINT64_C(0xffffffff),
        UINT64_C(0x100000000),
        UINT64_C(0x3ff0000000000000),
        UINT64_C(0xbff0000000000000),
        UINT64_C(0x7ff0000000000000),
        UINT64_C(0xfff0000000000000),
        UINT64_C(0x7ff8000000000000),
        UINT64_C(0x0010000000000000),
        UINT64_C(0x000fffffffffffff),
        UINT64_C(0x7fefffffffffffff),
        UINT64_C(0x41e0000000000000),
        UINT64_C(0x43e0000000000000),
        UINT64_C(0xc3e0000000000000),
        UINT64_C(0x43f0000000000000),
        UINT64_C(0x36a0000000000000),
        UINT64_C(0x47efffffe0000000),
        UINT64_C(0x47effffff0000000),
        UINT64_C(0x3ff0000010000000),
        UINT64_C(0x3ff0000030000000),
    };
    uint64_t random = fake_random(counter), kind = fake_random(counter) % 8;
    if (kind < 3) { // an edge
        if (bits == 64) return longs[random % BASE_COUNT(longs)];
        if (bits == 32) return words[random % BASE_COUNT(words)];
        return halves[random % BASE_COUNT(halves)];
    }
    if (kind == 3) return random % 80; // small
    if (kind == 4 && bits == 32)
        return (uint32_t)halves[random % BASE_COUNT(halves)] << 16 | (random >> 32 & 0xffff);
    if (kind == 5) { // a float near 1
        float single = (float)((double)(int64_t)random * 0x1p-60);
        double real = (double)(int64_t)random * 0x1p-60;
        uint64_t value = 0;
        if (bits == 64)
            memcpy(&value, &real, 8);
        else if (bits == 32)
            memcpy(&value, &single, 4);
        else
            value = random >> 63 ? base_f32_to_f16(single) : base_f32_to_bf16(single);
        return value;
    }
    return bits == 64 ? random : random & ((UINT64_C(1) << bits) - 1);
}

static inline void fake_fill(const fake_line *line, uint8_t *frame, uint64_t *counter) {
    for (uint32_t r = 0; r < line->function->reg_count; r++) {
        unsigned bits = fake_bits(ptx_type_bits(line->function->regs[r].type));
        uint8_t *slot = frame + r * FAKE_SLOT;
        if (bits == 1) {
            uint32_t word = (uint32_t)fake_random(counter);
            memcpy(slot, &word, 4);
            continue;
        }
        unsigned step = bits == 128 ? 64 : bits;
        for (unsigned at = 0; at < SIM_LANES * bits / 8; at += step / 8) {
            uint64_t value = fake_value(step, counter);
            memcpy(slot + at, &value, step / 8);
        }
    }
    uint32_t carries = (uint32_t)fake_random(counter);
    memcpy(frame + (FAKE_SLOTS - 1) * FAKE_SLOT, &carries, 4);
}

static inline uint64_t fake_read(const fake_line *line, const uint8_t *frame, int32_t reg, unsigned lane) {
    unsigned bits = fake_bits(ptx_type_bits(line->function->regs[reg].type));
    uint64_t value = 0;
    if (bits == 1) {
        uint32_t word;
        memcpy(&word, frame + (uint32_t)reg * FAKE_SLOT, 4);
        return word >> lane & 1;
    }
    memcpy(&value, frame + (uint32_t)reg * FAKE_SLOT + lane * bits / 8, bits > 64 ? 8 : bits / 8);
    return value;
}

// ---- an instruction against its oracle --------------------------------------------------------------

// The sources as bits; predicates as 0 or 1, after "!". `carry` is the lane's flag, in and out. The result:
// the destination's bits; for "p|q" bit 0 is p and bit 1 is q.
typedef struct fake_lane {
    uint64_t a, b, c, e, f;
    unsigned carry;
} fake_lane;
typedef uint64_t fake_oracle(fake_lane *lane);

typedef struct fake_row {
    const char *text;
    fake_oracle *oracle;
    // Where given, this says whether a result is good enough, instead of equality.
    bool (*close)(uint64_t got, uint64_t wanted);
} fake_row;

static inline uint64_t fake_operand(const fake_line *line, const uint8_t *frame, unsigned index,
                                    unsigned lane) {
    if (index >= line->inst->operand_count) return 0;
    const ptx_operand *operand = &line->inst->operands[index];
    if (operand->kind == PTX_OPERAND_REG)
        return fake_read(line, frame, operand->reg, lane) ^
               (operand->negated && ptx_type_bits(line->function->regs[operand->reg].type) == 1);
    return (uint64_t)operand->value;
}

static inline void fake_check_lane(const fake_line *line, const fake_row *row, const fake_isa *isa,
                                   const uint8_t *before, const uint8_t *after, uint32_t mask,
                                   unsigned lane) {
    const ptx_operand *d = &line->inst->operands[0];
    uint32_t carries[2];
    memcpy(&carries[0], before + (FAKE_SLOTS - 1) * FAKE_SLOT, 4);
    memcpy(&carries[1], after + (FAKE_SLOTS - 1) * FAKE_SLOT, 4);
    fake_lane x = {0};
    x.a = fake_operand(line, before, 1, lane);
    x.b = fake_operand(line, before, 2, lane);
    x.c = fake_operand(line, before, 3, lane);
    x.e = fake_operand(line, before, 4, lane);
    x.f = fake_operand(line, before, 5, lane);
    x.carry = carries[0] >> lane & 1;
    bool on = mask >> lane & 1;
    fake_lane shown = x;
    uint64_t wanted = row->oracle(&x), got = 0;
    if (d->kind == PTX_OPERAND_REG) got = fake_read(line, after, d->reg, lane);
    if (d->second >= 0) got |= fake_read(line, after, d->second, lane) << 1;
    if (d->kind == PTX_OPERAND_SINK) wanted &= ~UINT64_C(1);
    if (!on) {
        wanted = d->kind == PTX_OPERAND_REG ? fake_read(line, before, d->reg, lane) : 0;
        if (d->second >= 0) wanted |= fake_read(line, before, d->second, lane) << 1;
        x.carry = carries[0] >> lane & 1;
    }
    bool good = got == wanted || (on && row->close != NULL && row->close(got, wanted));
    if (good && (carries[1] >> lane & 1) == x.carry) return;
    fail_msg("%s on %s, lane %u (%s, mask %08x): a %llx b %llx c %llx e %llx carry %u gives %llx carry %u, "
             "wanted %llx carry %u",
             line->text, isa->name, lane, on ? "on" : "off", mask, (unsigned long long)shown.a,
             (unsigned long long)shown.b, (unsigned long long)shown.c, (unsigned long long)shown.e,
             shown.carry, (unsigned long long)got, carries[1] >> lane & 1, (unsigned long long)wanted,
             x.carry);
}

static inline void fake_check(const fake_row *row) {
    enum { ROUNDS = 60 };
    fake_line line;
    fake_open(&line, row->text);
    uint8_t *before = aligned_alloc(64, FAKE_BYTES), *after = aligned_alloc(64, FAKE_BYTES);
    assert_non_null(before);
    assert_non_null(after);
    memset(before, 0, FAKE_BYTES);
    for (unsigned k = 0; fake_isa_get(k) != NULL; k++) {
        const fake_isa *isa = fake_isa_get(k);
        uint64_t counter = 0;
        for (unsigned round = 0; round < ROUNDS; round++) {
            sim_op op;
            fake_fill(&line, before, &counter);
            memcpy(after, before, FAKE_BYTES);
            if (!fake_select(&line, isa, after, &op))
                fail_msg("%s: no selector of %s knows it", row->text, isa->name);
            uint32_t mask = round % 2 == 0 ? SIM_ALL : (uint32_t)fake_random(&counter);
            fake_run(&op, after, mask);
            for (unsigned lane = 0; lane < SIM_LANES; lane++)
                fake_check_lane(&line, row, isa, before, after, mask, lane);
        }
    }
    free(before);
    free(after);
    fake_close(&line);
}

static inline void fake_check_all(const fake_row *rows, size_t count) {
    for (size_t k = 0; k < count; k++) fake_check(&rows[k]);
}

// An oracle that is one expression of the sources, each as the type given.
#define ORACLE_1(name, A, expression)                                                                        \
    static uint64_t name(fake_lane *lane) {                                                                  \
        A a;                                                                                                 \
        memcpy(&a, &lane->a, sizeof a);                                                                      \
        return (uint64_t)(expression);                                                                       \
    }
#define ORACLE_2(name, A, B, expression)                                                                     \
    static uint64_t name(fake_lane *lane) {                                                                  \
        A a;                                                                                                 \
        B b;                                                                                                 \
        memcpy(&a, &lane->a, sizeof a);                                                                      \
        memcpy(&b, &lane->b, sizeof b);                                                                      \
        return (uint64_t)(expression);                                                                       \
    }
#define ORACLE_3(name, A, B, C, expression)                                                                  \
    static uint64_t name(fake_lane *lane) {                                                                  \
        A a;                                                                                                 \
        B b;                                                                                                 \
        C c;                                                                                                 \
        memcpy(&a, &lane->a, sizeof a);                                                                      \
        memcpy(&b, &lane->b, sizeof b);                                                                      \
        memcpy(&c, &lane->c, sizeof c);                                                                      \
        return (uint64_t)(expression);                                                                       \
    }

#endif
