// Findings in words: sites, threads, buffers; one line per pair of source lines.

#include <stdio.h>

#include "observe/observe.h"
#include "unit.h"

static const char text[] = ".version 8.0\n"
                           ".target sm_80\n"
                           ".address_size 64\n"
                           ".file 1 \"/home/u/tile x.cu\"\n"
                           ".file 2 \"/usr/include/cuda/helper.h\"\n"
                           ".visible .entry kernel(.param .u64 out)\n"
                           "{\n"
                           "  .reg .b64 %rd<3>;\n"
                           "  .reg .b32 %r<3>;\n"
                           "  .loc 1 10 3\n"
                           "  ld.param.u64 %rd1, [out];\n"
                           "  .loc 1 11 5\n"
                           "  ld.global.u32 %r1, [%rd1];\n"
                           "  .loc 2 70 1, function_name $helper, inlined_at 1 12 9\n"
                           "  st.global.u32 [%rd1], %r1;\n"
                           "  ret;\n"
                           "}\n"
                           ".section .debug_str { $helper: .b8 104,0 }\n";

typedef struct fixture {
    ptx_module *module;
    observe_findings *findings;
    const ptx_inst *load, *store;
    sim_launch launch;
} fixture;

static void open_fixture(fixture *f) {
    kz_error error = {0};
    if (ptx_module_open("tile.ptx", text, strlen(text), &f->module, &error)) fail_msg("%s", error.message);
    f->findings = observe_findings_open();
    f->load = &f->module->functions[0]->insts[1];
    f->store = &f->module->functions[0]->insts[2];
    f->launch = (sim_launch){.grid = {4, 2, 1}, .block = {8, 4, 2}};
    observe_findings_launch(f->findings, &(sim_launch_event){.module = f->module,
                                                             .entry = f->module->functions[0],
                                                             .launch = &f->launch,
                                                             .serial = 2});
}

static void close_fixture(fixture *f) {
    observe_findings_close(f->findings);
    ptx_module_close(f->module);
}

static void expect(const fixture *f, const char *const *parts) {
    base_text out = {0};
    observe_findings_write(f->findings, &out);
    for (; *parts; parts++)
        if (!out.data || !strstr(out.data, *parts))
            fail_msg("no %s in %s", *parts, out.data ? out.data : "nothing");
    base_text_free(&out);
}

static void emit_memory(observe_findings *findings, const sim_memory_event *event) {
    sim_listener *listener = observe_findings_listener(findings);
    listener->memory(listener, event);
}

static void a_race_in_words(void **state) {
    fixture f;
    open_fixture(&f);
    emit_memory(f.findings,
                &(sim_memory_event){.kind = SIM_MEMORY_ALLOC, .address = 0x1000, .bytes = 256, .serial = 3});
    observe_finding finding = {.kind = OBSERVE_RACE,
                               .first = {.inst = f.store, .block = 5, .thread = 43, .is_write = true},
                               .second = {.inst = f.load, .block = 1, .thread = 1},
                               .space = SIM_GLOBAL,
                               .address = 0x1010,
                               .bytes = 4};
    snprintf(finding.text, sizeof finding.text, "two threads\nlikely cause: \"x\"");
    observe_findings_add(f.findings, &finding);
    observe_findings_add(f.findings, &finding);
    observe_site other = finding.first; // the same pair the other way round
    finding.first = finding.second;
    finding.second = other;
    observe_findings_add(f.findings, &finding);
    expect(&f,
           (const char *[]){"{\"type\":\"finding\",\"kind\":\"race\",\"severity\":\"error\"",
                            "\"text\":\"two threads\\nlikely cause: \\\"x\\\"\"",
                            "\"kernel\":\"kernel\",\"module\":\"tile.ptx\",\"launch\":3",
                            "\"first\":{\"file\":\"/home/u/tile x.cu\",\"line\":12,\"column\":9,",
                            "\"block\":[1,1,0],\"thread\":[3,1,1],\"ptx_line\":15",
                            "\"ptx\":\"st.global.u32 [%rd1], %r1;\",\"access\":\"write\"}",
                            "\"line\":11,\"column\":5,\"block\":[1,0,0],\"thread\":[1,0,0]",
                            "\"access\":\"read\"}", "\"space\":\"global\",\"address\":\"0x1010\",\"bytes\":4",
                            "\"buffer\":\"byte 16 of allocation 3 (256 bytes)\"", ",\"count\":3}\n", NULL});
    assert_int_equal(observe_findings_count(f.findings, OBSERVE_NOTE), 1);
    finding.kind = OBSERVE_RACE_SAME_VALUE; // another kind is another finding, and less bad
    observe_findings_add(f.findings, &finding);
    assert_int_equal(observe_findings_count(f.findings, OBSERVE_NOTE), 2);
    assert_int_equal(observe_findings_count(f.findings, OBSERVE_WARNING), 1);
    close_fixture(&f);
}

// Of two with the same lines the one that reaches further is told, whichever came first.
static void the_widest_is_reported(void **state) {
    fixture f;
    open_fixture(&f);
    observe_finding finding = {.kind = OBSERVE_RACE, .first = {.inst = f.store}, .second = {.inst = f.load}};
    snprintf(finding.text, sizeof finding.text, "lanes");
    observe_findings_add(f.findings, &finding);
    finding.reach = 1;
    snprintf(finding.text, sizeof finding.text, "warps");
    observe_findings_add(f.findings, &finding);
    finding.reach = 0;
    snprintf(finding.text, sizeof finding.text, "lanes");
    observe_findings_add(f.findings, &finding);
    expect(&f, (const char *[]){"\"text\":\"warps\"", ",\"count\":3}\n", NULL});
    assert_int_equal(observe_findings_count(f.findings, OBSERVE_NOTE), 1);
    close_fixture(&f);
}

// Words outlive the module they are about.
static void words_stay(void **state) {
    fixture f;
    open_fixture(&f);
    const observe_words *words =
        observe_findings_words(f.findings, &(observe_site){.inst = f.load, .block = 0, .thread = 2});
    assert_non_null(words);
    ptx_module_close(f.module);
    f.module = NULL;
    observe_finding finding = {.kind = OBSERVE_UNDEFINED_OUTPUT, .second_words = words, .text = "undefined"};
    observe_findings_add(f.findings, &finding);
    expect(&f, (const char *[]){"\"kernel\":\"kernel\"", "\"launch\":3",
                                "\"second\":{\"file\":", "\"thread\":[2,0,0]", NULL});
    close_fixture(&f);
}

static void buffers_come_and_go(void **state) {
    observe_findings *findings = observe_findings_open();
    sim_memory_event alloc = {.kind = SIM_MEMORY_ALLOC, .address = 0x2000, .bytes = 64, .serial = 1};
    emit_memory(findings, &alloc);
    emit_memory(findings, &(sim_memory_event){.kind = SIM_MEMORY_ALLOC,
                                              .address = 0x1000,
                                              .bytes = 64,
                                              .serial = 2,
                                              .label = "global variable table"});
    base_text out = {0};
    assert_true(observe_findings_buffer(findings, 0x203f, &out));
    assert_string_equal(out.data, "byte 63 of allocation 1 (64 bytes)");
    assert_false(observe_findings_buffer(findings, 0x2040, &out));
    assert_false(observe_findings_buffer(findings, 0xfff, &out));
    base_text_free(&out);
    out = (base_text){0};
    assert_true(observe_findings_buffer(findings, 0x1000, &out));
    assert_string_equal(out.data, "byte 0 of global variable table (64 bytes)");
    base_text_free(&out);
    out = (base_text){0};
    alloc.kind = SIM_MEMORY_FREE;
    emit_memory(findings, &alloc);
    assert_true(observe_findings_buffer(findings, 0x2000, &out));
    assert_string_equal(out.data, "byte 0 of allocation 1 (64 bytes, freed)");
    base_text_free(&out);
    out = (base_text){0};
    // Something larger in the freed one's place.
    emit_memory(findings, &(sim_memory_event){
                              .kind = SIM_MEMORY_ALLOC, .address = 0x1f00, .bytes = 0x1000, .serial = 3});
    assert_true(observe_findings_buffer(findings, 0x2000, &out));
    assert_string_equal(out.data, "byte 256 of allocation 3 (4096 bytes)");
    base_text_free(&out);
    observe_findings_close(findings);
}

static void names_are_plain(void **state) {
    char name[OBSERVE_NAME];
    assert_string_equal(observe_plain_name("_ZZ5scalePKfPfiPKiE4tile", name), "tile");
    assert_string_equal(observe_plain_name("_ZZ6kernelILi16EEvPfE6buffer_0", name), "buffer");
    assert_string_equal(observe_plain_name("_ZN3lab5tableE", name), "table");
    assert_string_equal(observe_plain_name("table12", name), "table12");
    assert_string_equal(observe_plain_name("buffer out", name), "buffer out");
}

static void too_many_are_not_kept_and_it_says_so(void **state) {
    fixture f;
    open_fixture(&f);
    observe_finding finding = {.kind = OBSERVE_INVALID_CALL};
    for (int i = 0; i < 1200; i++) {
        snprintf(finding.text, sizeof finding.text, "call %d", i);
        observe_findings_add(f.findings, &finding);
    }
    assert_int_equal(observe_findings_count(f.findings, OBSERVE_ERROR), 1000);
    expect(&f, (const char *const[]){"\"call 999\"",
                                     "{\"type\":\"unchecked\",\"text\":\"there were more than 1000 different",
                                     NULL});
    close_fixture(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_race_in_words), cmocka_unit_test(the_widest_is_reported),
        cmocka_unit_test(words_stay),      cmocka_unit_test(buffers_come_and_go),
        cmocka_unit_test(names_are_plain), cmocka_unit_test(too_many_are_not_kept_and_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
