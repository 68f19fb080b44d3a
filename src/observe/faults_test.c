// Every way in which a launch can end has a likely cause, and says what to do.
#include "unit.h"

#include "observe/faults.h"

static const char *after(const char *text, const char *words) {
    const char *at = strstr(text, words);
    return at ? at + strlen(words) : "";
}

static void no_kind_is_without_words(void **state) {
    for (int kind = SIM_FAULT_NONE + 1; kind < SIM_FAULT_COUNT; kind++) {
        if (kind == SIM_FAULT_INTERRUPTED) continue; // by whoever runs it
        for (int space = SIM_GLOBAL; space <= SIM_TEXTURE; space++) {
            const sim_fault_info fault = {
                .kind = (sim_fault_kind)kind, .space = (sim_space)space, .address = 1 << 20, .bytes = 4};
            char text[2048];
            observe_explain_fault(&fault, "it failed", text, sizeof text);
            if (strlen(after(text, "likely cause: ")) < 20 || strlen(after(text, "what to do: ")) < 20)
                fail_msg("fault %d in space %d: %s", kind, space, text);
        }
    }
}

// A cause that the machine knows comes after where it happened, and is not told twice.
static void causes_come_last(void **state) {
    const sim_fault_info fault = {.kind = SIM_FAULT_CLUSTER_ENDED};
    char text[2048];
    observe_explain_fault(&fault, "reaches for it\nlikely cause: none\n  instruction: ld", text, sizeof text);
    assert_string_equal(
        text, "reaches for it\n  instruction: ld\nlikely cause: none\nwhat to do: cluster.sync() before "
              "blocks end whose shared memory others use");
}

// For people nothing is left out, and lines are indented alike.
static void all_is_printed(void **state) {
    const sim_fault_info fault = {.kind = SIM_FAULT_CLUSTER_ENDED};
    base_text text = {0};
    observe_print_fault(&fault, "reaches for it\n  by block (0,0,0)\nlikely cause: none", &text);
    assert_string_equal(text.data,
                        "\n  reaches for it\n  by block (0,0,0)\n  likely cause: none\n  what to do: "
                        "cluster.sync() before blocks end whose shared memory others use");
    base_text_free(&text);
}

// A long list of who waits is cut at the end of a line, the causes are not.
static void causes_have_room(void **state) {
    const sim_fault_info fault = {.kind = SIM_FAULT_DEADLOCK};
    char message[4096] = "deadlock", text[512];
    for (int i = 0; i < 64; i++) strcat(message, "\n  warp waits for an mbarrier");
    strcat(message, "\n  likely causes: arrivals that do not add up");
    observe_explain_fault(&fault, message, text, sizeof text);
    assert_non_null(strstr(text, "mbarrier\n  ...\nlikely cause: arrivals that do not add up\nwhat to do: "));
    assert_true(strlen(after(text, "what to do: ")) > 20 && strlen(text) < sizeof text - 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_kind_is_without_words),
        cmocka_unit_test(causes_come_last),
        cmocka_unit_test(all_is_printed),
        cmocka_unit_test(causes_have_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
