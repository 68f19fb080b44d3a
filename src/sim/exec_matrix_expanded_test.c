// f64 and m8n8k4 products: chains of fused multiply-adds, against the C library's and examples worked out by hand.
#include "base/base.h"
#include "sim/exec_matrix_oracle.h"
#include "sim/exec_oracle.h"
#include "unit.h"

static uint64_t random_f64(void) {
    uint64_t bits = (uint64_t)random_bits() << 32 | random_bits();
    if (one_in(20)) return bits | UINT64_C(0x7ff0000000000000); // NaN
    if (one_in(20))
        return (bits & UINT64_C(0x8000000000000000)) | (one_in(2) ? UINT64_C(0x7ff0000000000000) : 0);
    if (one_in(10)) return bits & UINT64_C(0x800fffffffffffff);
    return (bits & UINT64_C(0x800fffffffffffff)) | (uint64_t)random_in(1003, 1043) << 52;
}

static bool is_nan_f64(uint64_t bits) { return (bits & ~(UINT64_C(1) << 63)) > UINT64_C(0x7ff0000000000000); }

static uint64_t chain_f64(const uint64_t *a, const uint64_t (*b)[8], int k, int j, uint64_t sum, int mode) {
    for (int t = 0; t < k; t++) {
        const uint64_t order[] = {b[t][j], sum, a[t]};
        int nan = 0;
        while (nan < 3 && !is_nan_f64(order[nan])) nan++;
        if (nan < 3) {
            sum = order[nan] | UINT64_C(0x0008000000000000);
            continue;
        }
        volatile double x = oracle_f64(a[t]), y = oracle_f64(b[t][j]), z = oracle_f64(sum);
        fesetround(mode);
        volatile double result = fma(x, y, z);
        fesetround(FE_TONEAREST);
        sum = isnan(result) ? UINT64_C(0xfff8000000000000) : oracle_bits_f64(result);
    }
    return sum;
}

static void f64_is_a_chain(void **state) {
    static const struct {
        ptx_mod rounding;
        int mode, rows, k;
    } rows[] = {{PTX_MOD_RN, FE_TONEAREST, 8, 4},  {PTX_MOD_RZ, FE_TOWARDZERO, 8, 4},
                {PTX_MOD_RM, FE_DOWNWARD, 8, 4},   {PTX_MOD_RP, FE_UPWARD, 8, 4},
                {PTX_MOD_RN, FE_TONEAREST, 16, 8}, {PTX_MOD_RN, FE_TONEAREST, 16, 16}};
    for (const sim_isa *const *set = all_sets(); *set; set++)
        for (size_t r = 0; r < 20 * BASE_COUNT(rows); r++) {
            const int row = (int)(r % BASE_COUNT(rows)), k = rows[row].k;
            uint64_t a[256], b[16][8], old[16][8], sum[16][8];
            for (int i = 0; i < 256; i++) a[i] = random_f64();
            for (int i = 0; i < 128; i++) b[i / 8][i % 8] = random_f64(), old[i / 8][i % 8] = random_f64();
            memcpy(sum, old, sizeof sum);
            (*set)->multiply_f64(rows[row].rows, k, rows[row].rounding, a, (const uint64_t(*)[8])b, sum);
            for (int i = 0; i < rows[row].rows; i++)
                for (int j = 0; j < 8; j++) {
                    uint64_t wanted =
                        chain_f64(a + i * k, (const uint64_t(*)[8])b, k, j, old[i][j], rows[row].mode);
                    if (sum[i][j] != wanted)
                        fail_msg("%s: %016llx, not %016llx", (*set)->name, (unsigned long long)sum[i][j],
                                 (unsigned long long)wanted);
                }
        }
}

// f16 1, 2^-12, 2^-13, -1, infinity and NaN are 3c00 0c00 0800 bc00 7c00 7e00.
static void m8n8k4_rounds_each_step(void **state) {
    static const struct {
        bool f16;
        uint16_t a[4], b[4];
        uint32_t sum, wanted;
    } rows[] = {
        {false, {0x3c00, 0x3c00, 0, 0}, {0x3c00, 0x4000, 0, 0}, 0x3f800000, 0x40800000}, // 1 + 1 + 2
        {false,
         {0x3c00, 0x0c00, 0x0c00, 0},
         {0x3c00, 0x0c00, 0x0c00, 0},
         0,
         0x3f800000}, // 2^-24 is lost, twice
        {false, {0x0c00, 0x0c00, 0x3c00, 0}, {0x0c00, 0x0c00, 0x3c00, 0}, 0, 0x3f800001}, // 2^-23 is not
        {false, {0x0c00, 0, 0, 0}, {0x0c00, 0, 0, 0}, 0x3f800001, 0x3f800002},            // nearest even
        {false, {0x8000, 0, 0, 0}, {0x3c00, 0, 0, 0}, 0x80000000, 0x00000000},            // begins with +0
        {false, {0x7c00, 0, 0, 0}, {0, 0, 0, 0}, 0, 0x7fffffff},
        {true, {0x3c00, 0x3c00, 0, 0}, {0x3c00, 0x4000, 0, 0}, 0x3c00, 0x4400},
        {true,
         {0x8000, 0x8000, 0x8000, 0x8000},
         {0x3c00, 0x3c00, 0x3c00, 0x3c00},
         0x8000,
         0x8000}, // -0 stays
        {true,
         {0x3c00, 0, 0xbc00, 0x0c00},
         {0x3c00, 0, 0x3c00, 0x0800},
         0,
         0x0000}, // 1, then -1 + 2^-25, which is -1
        {true, {0x3c00, 0, 0xbc00, 0x0c00}, {0x3c00, 0, 0x3c00, 0x0c00}, 0, 0x0001}, // and 2^-24 is kept
        {true, {0x7e00, 0, 0, 0}, {0, 0, 0, 0}, 0, 0x7fff},
    };
    for (const sim_isa *const *set = all_sets(); *set; set++)
        for (size_t r = 0; r < BASE_COUNT(rows); r++) {
            uint16_t a[8][4] = {{0}}, b[4][8] = {{0}};
            uint32_t sum[8][8] = {{0}};
            for (int k = 0; k < 4; k++) a[3][k] = rows[r].a[k], b[k][6] = rows[r].b[k];
            sum[3][6] = rows[r].sum;
            (*set)->multiply_m8n8k4(rows[r].f16, (const uint16_t(*)[4])a, (const uint16_t(*)[8])b, sum);
            if (sum[3][6] != rows[r].wanted)
                fail_msg("%s: row %zu is %08x, not %08x", (*set)->name, r, sum[3][6], rows[r].wanted);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(f64_is_a_chain),
                                       cmocka_unit_test(m8n8k4_rounds_each_step)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
