// The choice of the instruction set and of the schedule by variables.
#include <stdlib.h>

#include "sim/machine.h"
#include "sim/sim.h"
#include "unit.h"

static void the_environment_chooses(void **state) {
    unsetenv("KZ_SIM_ISA");
    const sim_isa *best = sim_isa_best();
    setenv("KZ_SIM_ISA", "portable", 1);
    assert_ptr_equal(sim_isa_best(), &sim_isa_portable);
#ifdef SIM_HAS_AVX2
    setenv("KZ_SIM_ISA", "avx2", 1); // less than the best, where there is AVX-512
    assert_ptr_equal(sim_isa_best(), sim_isa_has_avx2() ? &sim_isa_avx2 : best);
    setenv("KZ_SIM_ISA", "avx512", 1);
    assert_ptr_equal(sim_isa_best(), best);
#endif
    setenv("KZ_SIM_ISA", "nonsense", 1);
    assert_ptr_equal(sim_isa_best(), best);
    unsetenv("KZ_SIM_ISA");
}

static void nonsense_is_reported(void **state) {
    kz_error error = {0};
    sim_machine *machine = NULL;
    const sim_config config = {.sm = 90, .memory_bytes = 1 << 20};
    setenv("KZ_SIM_ISA", "avx9000", 1);
    assert_int_equal(sim_machine_open(&config, &machine, &error), KZ_INVALID);
    assert_non_null(strstr(error.message, "KZ_SIM_ISA is \"avx9000\""));
    assert_non_null(strstr(error.message, "portable"));
    static const char *const good[] = {"portable", "", NULL};
    for (size_t i = 0; good[i]; i++) {
        setenv("KZ_SIM_ISA", good[i], 1);
        assert_int_equal(sim_isa_check(&error), KZ_OK);
    }
    unsetenv("KZ_SIM_ISA");
    assert_int_equal(sim_isa_check(&error), KZ_OK);
}

static void a_seed_is_a_number(void **state) {
    static const char *const wrong[] = {"abc", "-3", "9223372036854775808", "7x", " 7", "0x", NULL};
    kz_error error = {0};
    uint64_t seed = 5;
    for (size_t i = 0; wrong[i]; i++) {
        setenv("KZ_SEED", wrong[i], 1);
        assert_int_equal(sim_seed_asked(&seed, &error), KZ_INVALID);
        assert_non_null(strstr(error.message, wrong[i]));
    }
    setenv("KZ_SEED", "0x11", 1);
    assert_int_equal(sim_seed_asked(&seed, &error), KZ_OK);
    assert_int_equal(seed, 17);
    setenv("KZ_SEED", "", 1);
    assert_int_equal(sim_seed_asked(&seed, &error), KZ_OK);
    assert_int_equal(seed, 0);
    unsetenv("KZ_SEED");
    assert_int_equal(sim_seed_asked(&seed, &error), KZ_OK);
    assert_int_equal(seed, 0);
}

static void a_timeout_is_a_time(void **state) {
    static const char *const wrong[] = {"abc", "-1", "0", "nan", "inf", "3x", NULL};
    kz_error error = {0};
    double seconds = 5;
    for (size_t i = 0; wrong[i]; i++) {
        setenv("KZ_TIMEOUT", wrong[i], 1);
        assert_int_equal(sim_timeout_asked(&seconds, &error), KZ_INVALID);
        assert_non_null(strstr(error.message, wrong[i]));
    }
    setenv("KZ_TIMEOUT", "2.5", 1);
    assert_int_equal(sim_timeout_asked(&seconds, &error), KZ_OK);
    assert_true(seconds == 2.5);
    unsetenv("KZ_TIMEOUT");
    assert_int_equal(sim_timeout_asked(&seconds, &error), KZ_OK);
    assert_true(seconds == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_environment_chooses), cmocka_unit_test(nonsense_is_reported),
        cmocka_unit_test(a_seed_is_a_number), cmocka_unit_test(a_timeout_is_a_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
