// The tables of the instruction sets, and the choice among them: the best that this CPU can run, or what
// KZ_SIM_ISA asks for ("portable", "avx2"), so that the sets can be compared.
#include <stdlib.h>
#include <string.h>

#include "sim/exec.h"

#define ISA(set, isa, ...)                                                                                   \
    const sim_isa sim_isa_##set = {.name = #set,                                                             \
                                   .select_arith = sim_select_arith_##isa,                                   \
                                   .select_convert = sim_select_convert_##isa,                               \
                                   .select_video = sim_select_video_##isa,                                   \
                                   .select_memory = sim_select_memory_##isa,                                 \
                                   .can_share_base = sim_can_share_base_##isa,                               \
                                   .share_base = sim_share_base_##isa,                                       \
                                   .unpack_side = sim_unpack_side_##isa,                                     \
                                   .multiply_sides = sim_multiply_sides_##isa,                               \
                                   .multiply_f64 = sim_multiply_f64_##isa,                                   \
                                   .multiply_m8n8k4 = sim_multiply_m8n8k4_##isa,                             \
                                   __VA_ARGS__};

#define TILES(isa)                                                                                           \
    .unpack_rows = sim_unpack_rows_##isa, .unpack_columns = sim_unpack_columns_##isa,                        \
    .multiply_tile = sim_multiply_tile_##isa

ISA(portable, portable, )
#ifdef SIM_HAS_AVX2
ISA(avx2, avx2, TILES(avx2))
ISA(avx512, avx2, TILES(avx512))
#endif

const sim_isa *sim_isa_best(void) {
    const char *asked = getenv("KZ_SIM_ISA");
    if (asked && !strcmp(asked, sim_isa_portable.name)) return &sim_isa_portable;
#ifdef SIM_HAS_AVX2
    bool narrow = asked && !strcmp(asked, sim_isa_avx2.name);
    if (sim_isa_has_avx512() && !narrow) return &sim_isa_avx512;
    if (sim_isa_has_avx2()) return &sim_isa_avx2;
#endif
    return &sim_isa_portable;
}
