// What this CPU can run. A file of its own: tests of single instructions want the answer without the tables.
#include "sim/machine.h"

#ifdef SIM_HAS_AVX2
#include <cpuid.h>

// The compilers differ in the features that __builtin_cpu_supports knows by name: F16C is asked of the CPU.
bool sim_isa_has_avx2(void) {
    unsigned a, b, c = 0, d;
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2") && __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}

bool sim_isa_has_avx512(void) {
    return sim_isa_has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif
