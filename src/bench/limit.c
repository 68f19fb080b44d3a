// bench/limit: see limit.h.
#include "bench/limit.h"

#include <math.h>
#include <stddef.h>

#include "base/base.h"

static bool is_known(const bench_known_peak *peak) { return peak->origin[0] && peak->value > 0; }

// f32 and f64 stay what they are: a product that rounds f32 to TF32 says so.
static bench_peak_name compute_name(const kz_work *work, kz_type type) {
    switch (work->products) {
    case KZ_PRODUCTS_NONE: break;
    case KZ_PRODUCTS_OF_TYPE:
        if (base_type_is_float(type) && kz_type_size(type) == 2) return BENCH_PEAK_tensor_f16;
        break;
    case KZ_PRODUCTS_TF32: return BENCH_PEAK_tensor_tf32;
    case KZ_PRODUCTS_F8: return BENCH_PEAK_tensor_f8;
    case KZ_PRODUCTS_I8: return BENCH_PEAK_tensor_i8;
    case KZ_PRODUCTS_F64: return BENCH_PEAK_tensor_f64;
    }
    switch (type) {
    case KZ_F32: return BENCH_PEAK_fma_f32;
    case KZ_F64: return BENCH_PEAK_fma_f64;
    case KZ_F16: return BENCH_PEAK_fma_f16;
    case KZ_BF16: return BENCH_PEAK_fma_bf16;
    default: return BENCH_PEAK_NAMES;
    }
}

const bench_known_peak *bench_compute_peak(const bench_peaks *peaks, const kz_work *work, kz_type type) {
    bench_peak_name name = compute_name(work, type);
    return name == BENCH_PEAK_NAMES || !is_known(&peaks->of[name]) ? NULL : &peaks->of[name];
}

// The greatest that was measured, for some kernels only read; else the nominal one.
static bench_peak_name memory_name(const bench_peaks *peaks) {
    static const bench_peak_name names[] = {BENCH_PEAK_dram_copy, BENCH_PEAK_dram_read,
                                            BENCH_PEAK_dram_write};
    bench_peak_name best = BENCH_PEAK_NAMES;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const bench_known_peak *one = &peaks->of[names[i]];
        if (!is_known(one)) continue;
        const bench_known_peak *other = best == BENCH_PEAK_NAMES ? NULL : &peaks->of[best];
        if (!other || one->measured > other->measured ||
            (one->measured == other->measured && one->value > other->value))
            best = names[i];
    }
    return best;
}

bench_limit bench_limit_of(const bench_peaks *peaks, const kz_work *work, kz_type type) {
    bench_limit r = {
        .intensity = NAN, .ridge = NAN, .name = "", .peak = {.value = NAN, .nominal = NAN, .origin = ""}};
    if (work->bytes > 0) r.intensity = work->flops / work->bytes;
    if (!peaks || !(work->bytes > 0)) return r;
    bench_peak_name memory = memory_name(peaks), chosen = memory;
    const bench_known_peak *compute = bench_compute_peak(peaks, work, type);
    if (compute && memory != BENCH_PEAK_NAMES) {
        r.ridge = compute->value / peaks->of[memory].value;
        r.computes = r.intensity > r.ridge;
        if (r.computes) chosen = compute_name(work, type);
    }
    if (chosen == BENCH_PEAK_NAMES) return r;
    r.name = bench_peak_text(chosen);
    r.peak = peaks->of[chosen];
    return r;
}

double bench_of_peak(const bench_limit *r, const kz_work *work, double seconds) {
    return (r->computes ? work->flops : work->bytes) / seconds / r->peak.value;
}
