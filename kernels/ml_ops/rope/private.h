// What the C files of rope share.
#ifndef ROPE_PRIVATE_H
#define ROPE_PRIVATE_H

#include "kz/family.h"
#include "detail.h"

enum { Q, K, POSITIONS, Q_OUT, K_OUT };                    // the buffers, in order
enum { BATCH, SEQUENCE, Q_HEADS, K_HEADS, DIM, ROTARY };   // axes[]
enum { ROPE_LAYOUT_HALVES = 1, ROPE_LAYOUT_BACKWARD = 2 }; // the bits of an operation

KZ_DECLARE_FAMILY(rope);
extern const kz_native_entry rope_natives[];

static inline bool rope_is_halves(const kz_case *c) { return c->operation & ROPE_LAYOUT_HALVES; }
static inline bool rope_is_backward(const kz_case *c) { return c->operation & ROPE_LAYOUT_BACKWARD; }
float rope_theta(const kz_case *c);
// Elements of a token, and from one to the next, of q and q_out or of k and k_out.
uint64_t rope_token(const kz_case *c, size_t which);
uint64_t rope_stride(const kz_case *c, size_t which);
uint64_t rope_count(const kz_case *c, size_t which); // from the first to the last

// Element `index` of a buffer: which one it is turned with, and by what.
typedef struct rope_place {
    uint64_t token, pair;
    uint64_t other; // the other element of its pair
    bool between;   // it lies between two tokens
    bool turns;     // false: it lies past `rotary`
    bool second;    // of its pair
} rope_place;
rope_place rope_find_place(const kz_case *c, size_t which, uint64_t index);

// The angle in radians: position * theta^(-2 pair / rotary), negative for the backward pass.
double rope_angle(const kz_case *c, int64_t position, uint64_t pair);

kz_status rope_reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                         kz_error *error);

#endif
