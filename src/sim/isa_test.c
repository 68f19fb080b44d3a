// The choice of the instruction set.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include "sim/machine.h"

#include <cmocka.h>

static void the_environment_chooses(void **state) {
    unsetenv("KZ_SIM_ISA");
    const sim_isa *best = sim_isa_best();
    setenv("KZ_SIM_ISA", "portable", 1);
    assert_ptr_equal(sim_isa_best(), &sim_isa_portable);
    setenv("KZ_SIM_ISA", "avx2", 1); // where the CPU has it, it is the best; where not, it cannot be had
    assert_ptr_equal(sim_isa_best(), best);
    setenv("KZ_SIM_ISA", "nonsense", 1);
    assert_ptr_equal(sim_isa_best(), best);
    unsetenv("KZ_SIM_ISA");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_environment_chooses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
