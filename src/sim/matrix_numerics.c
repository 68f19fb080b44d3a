// How tensor cores of an architecture add: a look into matrix_numerics.def.
#include "sim/matrix.h"

typedef struct numerics_row {
    int sm;
    bool wgmma;
    ptx_type a, d;
    matrix_numerics how;
} numerics_row;

enum { UNIT_MMA, UNIT_WGMMA };
enum { COMPARED_DOCUMENTED, COMPARED_H200 };
enum { FIRST_UNKNOWN = 100 }; // an architecture without rows, which adds 8-bit floats otherwise than Hopper

static const numerics_row rows[] = {
#define MATRIX_NUMERICS(sm, unit, a, d, terms, fraction, floor, rounding, apart, compared)                   \
    {sm,                                                                                                     \
     UNIT_##unit,                                                                                            \
     PTX_##a,                                                                                                \
     PTX_##d,                                                                                                \
     {terms, fraction, floor, MATRIX_##rounding, apart, COMPARED_##compared}},
#include "sim/matrix_numerics.def"
#undef MATRIX_NUMERICS
};

bool sim_matrix_is_tiled(const matrix_product *product) {
    const matrix_numerics *how = &product->how;
    unsigned step = how->terms < product->k ? how->terms : product->k;
    bool halves = product->a == PTX_F16 || product->a == PTX_BF16, words = product->a == PTX_TF32;
    if (!(halves && (product->k == 8 || product->k == 16)) && !(words && product->k == 8)) return false;
    return how->rounding == MATRIX_F32 && !product->sparse && !how->apart && (step == 8 || step == 16) &&
           (uint64_t)step << (how->fraction + 2) <= UINT64_C(1) << 31;
}

// The architecture whose rows hold for this one: 86 is as 80.
static int generation_of(int sm) {
    int generation = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].sm <= sm && rows[i].sm > generation) generation = rows[i].sm;
    return generation;
}

bool sim_matrix_numerics(int sm, bool wgmma, ptx_type a, ptx_type d, matrix_numerics *how) {
    int generation = sm < FIRST_UNKNOWN ? generation_of(sm) : 0;
    if (a == PTX_E5M2) a = PTX_E4M3;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].sm == generation && rows[i].wgmma == wgmma && rows[i].a == a && rows[i].d == d) {
            *how = rows[i].how;
            return true;
        }
    return false;
}
