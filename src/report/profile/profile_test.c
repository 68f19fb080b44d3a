// Verdicts and reasons from small records: each has one thing wrong, and that is what must be said.
#include "report/profile/profile.h"

#include <stdlib.h>
#include <unistd.h>

#include "report/profile/html.h"
#include "report/profile/listing.h"
#include "report/profile/profile_fixture.h"
#include "report/profile/show.h"

static void test_strided_load(void **state) {
    expect(
        &(kernel_text){
            .blocks = 4096,
            .threads = 256,
            .metrics = INST(655360, 20971520) MODEL(l2_sectors_read, 1048576) MODEL(l1_wavefronts, 262144),
            .access =
                "{\"kind\":\"load\",\"space\":\"global\",\"bytes\":4,\"requests\":32768,\"lanes\":1048576,"
                "\"sectors\":1048576,\"ideal_sectors\":131072,\"patterns\":[{\"kind\":\"stride\","
                "\"stride\":32,\"share\":1}]}"},
        REPORT_PROF_BY_UNCOALESCED,
        "32 sectors per request, 4 would do: neighbouring threads read 32 bytes apart", "float4");
}

static void test_column_store(void **state) {
    expect(
        &(kernel_text){
            .blocks = 4096,
            .threads = 256,
            .metrics =
                INST(655360, 20971520) MODEL(l2_sectors_write, 1048576) MODEL(l2_sectors_partial, 1048576),
            .access =
                "{\"kind\":\"store\",\"space\":\"global\",\"bytes\":4,\"requests\":32768,\"lanes\":1048576,"
                "\"sectors\":1048576,\"ideal_sectors\":131072,\"patterns\":[{\"kind\":\"stride\","
                "\"stride\":-4096,\"share\":1}]}"},
        REPORT_PROF_BY_UNCOALESCED,
        "store: 32 sectors per request, 4 would do: neighbouring threads write 4096 bytes",
        "threadIdx.x run along the row");
}

static void test_bank_conflicts(void **state) {
    expect(
        &(kernel_text){
            .blocks = 4096,
            .threads = 256,
            .metrics =
                INST(655360, 20971520) ",\"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum\":1048576",
            .access =
                "{\"kind\":\"load\",\"space\":\"shared\",\"bytes\":4,\"requests\":32768,\"lanes\":1048576,"
                "\"wavefronts\":1048576,\"ideal_wavefronts\":32768,\"patterns\":[{\"kind\":\"stride\","
                "\"stride\":128,\"share\":1}],\"padding\":{\"row\":128,\"to\":132,\"now\":16.5,\"then\":1,"
                "\"own_now\":32,\"own_then\":1}}"},
        REPORT_PROF_BY_CONFLICTS, "32 wavefronts per request, 1 would do (32-way bank conflict)",
        "rows of 33 words instead of 32: 1 wavefront instead of 32 here, 1 instead of 16.5 over all");
}

static void test_contention(void **state) {
    expect(
        &(kernel_text){.blocks = 4096,
                       .threads = 256,
                       .metrics = INST(655360, 20971520) MODEL(atomic_units, 24117248)
                           MODEL(atomic_units_most, 24117248),
                       .access =
                           "{\"kind\":\"reduction\",\"space\":\"global\",\"bytes\":4,\"requests\":32768,"
                           "\"lanes\":1048576,\"distinct\":32768,\"sectors\":32768,\"ideal_sectors\":32768,"
                           "\"patterns\":[{\"kind\":\"uniform\",\"share\":1}]}"},
        REPORT_PROF_BY_ATOMICS, "32 threads of a warp contend for 1 address", "__shfl_down_sync");
}

// An addition of 1 in shared memory may be no queue at all.
static void test_increments(void **state) {
    kernel_text k = {
        .blocks = 4096,
        .threads = 256,
        .metrics = INST(655360, 20971520) ",\"ptx__wavefronts_shared_atom.sum\":1081344",
        .access = "{\"kind\":\"atomic\",\"space\":\"shared\",\"ptx\":\"atom.shared.add.u32 %r9, [%r8], 1\","
                  "\"bytes\":4,\"requests\":32768,\"lanes\":1048576,\"distinct\":32768,"
                  "\"wavefronts\":1081344,\"ideal_wavefronts\":65536}"};
    expect(&k, REPORT_PROF_BY_CONFLICTS, "32 threads of a warp contend for 1 address", "ATOMS.POPC.INC");
    k.access = "{\"kind\":\"atomic\",\"space\":\"shared\",\"ptx\":\"atom.shared.add.u32 %r9, [%r8], 11\","
               "\"bytes\":4,\"requests\":32768,\"lanes\":1048576,\"distinct\":32768,"
               "\"wavefronts\":1081344,\"ideal_wavefronts\":65536}";
    expect(&k, REPORT_PROF_BY_CONFLICTS, "32 threads of a warp contend for 1 address", "__shfl_down_sync");
}

// No length of rows is advised that was not tried; where none helps, that is said.
static void test_padding_that_does_not_help(void **state) {
    kernel_text k = {
        .blocks = 4096,
        .threads = 256,
        .metrics = INST(655360, 20971520) ",\"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum\":1048576",
        .access =
            "{\"kind\":\"load\",\"space\":\"shared\",\"bytes\":4,\"requests\":32768,\"lanes\":1048576,"
            "\"wavefronts\":1048576,\"ideal_wavefronts\":32768,\"padding\":{\"row\":88,\"to\":88,\"now\":2,"
            "\"then\":2,\"own_now\":2,\"own_then\":2}}"};
    expect(&k, REPORT_PROF_BY_CONFLICTS, "32-way bank conflict",
           "padding does not help: rows of 22 to 54 words were tried");
    k.access = "{\"kind\":\"load\",\"space\":\"shared\",\"bytes\":4,\"requests\":32768,\"lanes\":1048576,"
               "\"wavefronts\":1048576,\"ideal_wavefronts\":32768}";
    expect(&k, REPORT_PROF_BY_CONFLICTS, "32-way bank conflict", "no length of rows could be tried");
}

// Lanes that contend for two addresses: the hardware counts a sector for each pair of them, and it is still the
// contention that costs, no pattern.
static void test_contention_in_sectors(void **state) {
    expect(
        &(kernel_text){.blocks = 4096,
                       .threads = 256,
                       .metrics = INST(655360, 20971520) MODEL(atomic_units, 12058624)
                           MODEL(atomic_units_most, 12058624),
                       .access =
                           "{\"kind\":\"reduction\",\"space\":\"global\",\"bytes\":4,\"requests\":32768,"
                           "\"lanes\":1048576,\"distinct\":65536,\"sectors\":524288,\"ideal_sectors\":32768,"
                           "\"patterns\":[{\"kind\":\"other\",\"share\":1}]}"},
        REPORT_PROF_BY_ATOMICS, "32 threads of a warp contend for 2 addresses", "private copy");
}

// One lane's atomic is no uniform load: there is nothing to hoist, and no whole warp updates the word.
static void test_atomic_of_one_lane(void **state) {
    expect(&(kernel_text){.blocks = 64,
                          .threads = 256,
                          .metrics = INST(655360, 20971520) MODEL(sampled_blocks, 1)
                              MODEL(sampled_clocks, 9000) MODEL(wait_clocks, 9000),
                          .access =
                              "{\"kind\":\"reduction\",\"space\":\"global\",\"bytes\":4,\"requests\":512,"
                              "\"lanes\":512,\"distinct\":512,\"sectors\":512,\"ideal_sectors\":512,"
                              "\"patterns\":[{\"kind\":\"uniform\",\"share\":1}]}"},
           REPORT_PROF_BY_FEW_BLOCKS, "atomic in global memory: 512 requests of 1 thread, one address each",
           "fold within the block first, so that one thread per block does the atomic");
}

static void test_load_of_one_lane(void **state) {
    fixture f;
    open_fixture(
        &f,
        &(kernel_text){.blocks = 4096,
                       .threads = 256,
                       .metrics = INST(32768, 1048576) MODEL(l2_sectors_read, 1048576),
                       .access = "{\"kind\":\"load\",\"space\":\"global\",\"bytes\":4,\"requests\":1048576,"
                                 "\"lanes\":1048576,\"sectors\":1048576,\"ideal_sectors\":1048576,"
                                 "\"patterns\":[{\"kind\":\"uniform\",\"share\":1}]}"},
        20);
    assert_non_null(strstr(f.report.kernels[0].lines[0].reason, "one thread of a warp reads"));
    assert_null(f.report.kernels[0].lines[0].advice);
    close_fixture(&f);
}

// Many addresses per request are no contention worth its name.
static void test_scattered_atomics(void **state) {
    fixture f;
    open_fixture(&f,
                 &(kernel_text){
                     .blocks = 4096,
                     .threads = 256,
                     .metrics = INST(655360, 20971520),
                     .access = "{\"kind\":\"reduction\",\"space\":\"global\",\"bytes\":4,\"requests\":32768,"
                               "\"lanes\":1048576,\"distinct\":1000000,\"sectors\":1000000,"
                               "\"ideal_sectors\":131072,\"patterns\":[{\"kind\":\"other\",\"share\":1}]}"},
                 20);
    assert_int_not_equal(f.report.kernels[0].bound, REPORT_PROF_BY_ATOMICS);
    close_fixture(&f);
}

static void test_divergence(void **state) {
    expect(&(kernel_text){.blocks = 4096, .threads = 256, .metrics = INST(6553600, 13107200)},
           REPORT_PROF_BY_DIVERGENCE, "with 2 of 32 lanes active", "whole warps take the same way");
}

// Lanes that a block was not started with, or that leave the work to one, are no divergence to mend by sorting.
static void test_serial(void **state) {
    expect(&(kernel_text){.blocks = 1, .threads = 1, .metrics = INST(6553600, 6553600)},
           REPORT_PROF_BY_FEW_BLOCKS, "in blocks of 1 thread", "spread this work over the threads");
    expect(&(kernel_text){.blocks = 4096, .threads = 256, .metrics = INST(6553600, 6553600)},
           REPORT_PROF_BY_DIVERGENCE, "of 32 lanes active", "spread this work over the threads");
    fixture f;
    open_fixture(&f, &(kernel_text){.blocks = 4096, .threads = 1, .metrics = INST(6553600, 6553600)}, 20);
    assert_int_not_equal(f.report.kernels[0].bound, REPORT_PROF_BY_DIVERGENCE);
    for (size_t i = 0; i < f.report.kernels[0].note_count; i++)
        assert_null(strstr(f.report.kernels[0].notes[i], "diverge"));
    close_fixture(&f);
}

// An array of a thread's own is no list of indices to sort.
static void test_local_memory(void **state) {
    fixture f;
    open_fixture(&f,
                 &(kernel_text){.blocks = 4096,
                                .threads = 256,
                                .metrics = INST(655360, 20971520) MODEL(l1_wavefronts, 1048576),
                                .access =
                                    "{\"kind\":\"load\",\"space\":\"local\",\"bytes\":4,\"requests\":32768,"
                                    "\"lanes\":1048576,\"sectors\":1048576,\"ideal_sectors\":131072,"
                                    "\"patterns\":[{\"kind\":\"other\",\"share\":1}]}"},
                 20);
    const report_prof_line *line = &f.report.kernels[0].lines[0];
    assert_non_null(line->advice);
    assert_non_null(strstr(line->advice, "unroll the loop"));
    assert_null(strstr(line->advice, "sort"));
    close_fixture(&f);
}

static void test_issue_and_arithmetic(void **state) {
    expect(&(kernel_text){.blocks = 4096, .threads = 256, .metrics = INST(6553600, 209715200)},
           REPORT_PROF_BY_ISSUE, "100% of the instructions", NULL);
    expect(&(kernel_text){.blocks = 4096,
                          .threads = 256,
                          .metrics = INST(6553600, 209715200)
                              MODEL(pipe_fp64, 6000000) ",\"ptx__inst_fp64.sum\":6000000"},
           REPORT_PROF_BY_ARITHMETIC, "mostly fp64 arithmetic", NULL);
}

static void test_few_blocks_and_launches(void **state) {
    expect(&(kernel_text){.blocks = 2, .threads = 256, .metrics = INST(160000, 5120000)},
           REPORT_PROF_BY_FEW_BLOCKS, NULL, NULL);
    expect(&(kernel_text){.blocks = 2, .threads = 256, .launches = 100, .metrics = INST(16000, 512000)},
           REPORT_PROF_BY_LAUNCH, NULL, NULL);
}

static void test_memory_is_a_good_verdict(void **state) {
    expect(
        &(kernel_text){
            .blocks = 4096,
            .threads = 256,
            .metrics = INST(65536, 2097152) MODEL(dram_bytes_read, 16777216),
            .access =
                "{\"kind\":\"load\",\"space\":\"global\",\"bytes\":16,\"requests\":32768,\"lanes\":1048576,"
                "\"sectors\":524288,\"ideal_sectors\":524288,\"patterns\":[{\"kind\":\"contiguous\","
                "\"share\":1}]}",
            .caches = ",\"caches\":{\"l1\":{\"hit_rate\":0},\"l2\":{\"hit_rate\":0},\"dram\":{\"read_bytes\":"
                      "16777216,\"write_bytes\":0}}"},
        REPORT_PROF_BY_MEMORY, "nothing is wasted", NULL);
}

// Peaks that were measured stand beside the nominal ones: of reading where a kernel writes nothing.
static void test_measured_peaks(void **state) {
    fixture f;
    report_prof_roofline r;
    base_text svg = {0};
    open_fixture(&f,
                 &(kernel_text){.blocks = 4096,
                                .threads = 256,
                                .metrics = INST(65536, 2097152) ",\"ptx__flops_f32.sum\":33554432",
                                .caches = ",\"caches\":{\"l1\":{\"hit_rate\":0},\"l2\":{\"hit_rate\":0},"
                                          "\"dram\":{\"read_bytes\":16777216,\"write_bytes\":0}}"},
                 20);
    const report_prof_kernel *k = &f.report.kernels[0];
    assert_true(report_prof_roofline_of(&f.report, k, &r));
    assert_string_equal(r.origin, "");
    f.report.peaks.of[BENCH_PEAK_dram_read] =
        (bench_known_peak){.value = 4e12, .measured = true, .origin = "measured 2026-11-15"};
    f.report.peaks.of[BENCH_PEAK_dram_copy] =
        (bench_known_peak){.value = 3e12, .measured = true, .origin = "x"};
    f.report.peaks.of[BENCH_PEAK_fma_f32] =
        (bench_known_peak){.value = 6e13, .measured = true, .origin = "x"};
    assert_true(report_prof_roofline_of(&f.report, k, &r));
    assert_true(r.attainable == 2 * 4.8e12 && r.measured_attainable == 2 * 4e12);
    assert_string_equal(r.origin, "measured 2026-11-15");
    report_prof_roofline_svg(&svg, &f.report, k);
    assert_non_null(strstr(svg.data, "dashed: measured 2026-11-15"));
    base_text_free(&svg);
    f.report.peaks.of[BENCH_PEAK_fma_f32].measured = false; // half a peak is none
    assert_true(report_prof_roofline_of(&f.report, k, &r));
    assert_string_equal(r.origin, "");
    close_fixture(&f);
}

static void show_shared(const char *access, base_text *text) {
    fixture f;
    open_fixture(&f,
                 &(kernel_text){
                     .blocks = 4, .threads = 256, .launches = 2, .metrics = INST(64, 2048), .access = access},
                 20);
    size_t which = 0;
    while (strcmp(report_prof_show_label(which), "shared") != 0) which++;
    report_prof_show_fact(text, which, &f.report, &f.report.kernels[0]);
    close_fixture(&f);
}

// What goes by the cluster's window has no wavefronts, and must not make the others' look fewer.
static void test_distributed_shared_memory(void **state) {
    static const char own[] =
        "{\"kind\":\"load\",\"space\":\"shared\",\"bytes\":4,\"requests\":10,\"lanes\":320,"
        "\"wavefronts\":20,\"ideal_wavefronts\":10}";
    static const char others[] =
        "{\"kind\":\"reduction\",\"space\":\"distributed\",\"bytes\":4,\"requests\":90000,\"lanes\":2880000}";
    base_text both = {0}, text = {0};
    base_text_add(&both, "%s,%s", own, others);
    show_shared(own, &text);
    assert_string_equal(text.data,
                        "2.00 wavefronts per request, ideal 1.00; bank conflicts cost 50% of them");
    base_text_free(&text);
    show_shared(both.data, &text);
    assert_string_equal(text.data,
                        "2.00 wavefronts per request, ideal 1.00; bank conflicts cost 50% of them; "
                        "45.0 k requests a launch by the cluster's window, whose wavefronts are not "
                        "counted");
    base_text_free(&text);
    show_shared(others, &text);
    assert_string_equal(text.data,
                        "45.0 k requests a launch by the cluster's window, whose wavefronts are not counted");
    base_text_free(&text);
    base_text_free(&both);
}

// A bulk copy is one thread's request for whole lines: nothing is wasted, and no lane should have done otherwise.
static void test_bulk_copies(void **state) {
    static const char store[] =
        "{\"kind\":\"store\",\"space\":\"global\",\"agent\":\"bulk\",\"bytes\":4096,\"requests\":65536,"
        "\"sectors\":8388608,\"ideal_sectors\":8388608}";
    kernel_text k = {.blocks = 4096,
                     .threads = 256,
                     .metrics = INST(65536, 65536)
                         MODEL(l2_sectors_write, 8388608) ",\"ptx__bulk_bytes_global_st.sum\":268435456",
                     .access = store};
    expect(&k, REPORT_PROF_BY_CACHE, "bulk copies write 268 MB, 4.10 kB each: one thread asks", NULL);

    fixture f;
    open_fixture(&f, &k, 20);
    const report_prof_kernel *kernel = &f.report.kernels[0];
    assert_null(kernel->lines[0].advice);
    double l2 = kernel->lines[0].seconds[OBSERVE_BY_L2], l1 = kernel->lines[0].seconds[OBSERVE_BY_L1];
    report_prof_traffic t = report_prof_traffic_of(kernel);
    assert_true(t.used_bytes == 65536.0 * 4096);
    assert_true(l1 <= l2);
    close_fixture(&f);

    // Sectors that are written by halves cost more: those of a bulk copy are whole.
    k.access = "{\"kind\":\"store\",\"space\":\"global\",\"bytes\":4,\"requests\":65536,\"lanes\":65536,"
               "\"sectors\":8388608,\"ideal_sectors\":8388608}";
    k.metrics = INST(65536, 65536) MODEL(l2_sectors_write, 8388608) MODEL(l2_sectors_partial, 8388608);
    open_fixture(&f, &k, 20);
    assert_true(f.report.kernels[0].lines[0].seconds[OBSERVE_BY_L2] > 1.5 * l2);
    close_fixture(&f);
}

static void test_occupancy(void **state) {
    const kernel_text k = {.blocks = 4096, .threads = 256, .metrics = INST(6553600, 209715200)};
    const struct {
        int registers, warps;
        const char *limiter;
    } cases[] = {{32, 64, ""}, {128, 16, "registers"}, {-1, 64, ""}};
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        fixture f;
        open_fixture(&f, &k, cases[i].registers);
        assert_int_equal(f.report.kernels[0].occupancy.warps, cases[i].warps);
        assert_string_equal(f.report.kernels[0].occupancy.limiter, cases[i].limiter);
        assert_int_equal(report_prof_has_metric(f.report.kernels[0].metrics, "launch__registers_per_thread"),
                         cases[i].registers > 0);
        close_fixture(&f);
    }
}

#define SHAPE(name, blocks, launches, metrics)                                                               \
    "{\"type\":\"kernel\",\"name\":\"" name "\",\"short\":\"" name                                           \
    "\",\"module\":\"m\",\"launches\":" launches ",\"grid\":[" blocks                                        \
    ",1,1],\"block\":[256,1,1],\"metrics\":{" metrics "},\"lines\":[{\"file\":\"b.cu\",\"line\":1,"          \
    "\"metrics\":{" metrics "},\"accesses\":[]}]}\n"

// One kernel in three shapes, two of which have too few blocks: these are one entry, where not all are asked for.
static void test_shapes_are_folded(void **state) {
    static const char kernels[] = SHAPE("a", "2", "1", INST(160000, 5120000))
        SHAPE("b", "2", "1", INST(160000, 5120000)) SHAPE("a", "3", "2", INST(480000, 15360000))
            SHAPE("a", "4096", "1", INST(6553600, 209715200)) "{\"type\":\"end\",\"status\":\"ok\"}\n";
    base_text text = {0}, shape = {0};
    base_text_add(&text, "%s%s", head, kernels);
    for (size_t top = 0; top < 3; top += 2) {
        fixture f;
        report_prof_options options = {.top = top};
        assert_int_equal(report_record_parse("test", text.data, text.length, &f.record, NULL), KZ_OK);
        assert_int_equal(device_gpu_load("h200", &options.gpu, NULL), KZ_OK);
        assert_int_equal(report_prof_open(&f.record, &options, &f.report, NULL), KZ_OK);
        double parts = 0;
        size_t others = 0;
        for (size_t i = 0; i < f.report.kernel_count; i++) {
            parts += report_prof_show_part(&f.report, &f.report.kernels[i]);
            others += f.report.kernels[i].other_shapes;
            if (f.report.kernels[i].other_shapes) report_prof_show_shape(&shape, &f.report.kernels[i]);
        }
        assert_int_equal(f.report.kernel_count, top ? 2 : 4);
        assert_int_equal(f.report.hidden_count, top ? 1 : 0);
        assert_int_equal(others, top ? 1 : 0);
        assert_true(top ? parts < 1 : parts > 0.999); // of all, those that are not shown too
        close_fixture(&f);
    }
    assert_non_null(strstr(shape.data, "; 2 launches; 1 launch more in 1 other shape with the same verdict"));
    base_text_free(&text);
    base_text_free(&shape);
}

#define INSTANCE(name)                                                                                       \
    "{\"type\":\"kernel\",\"name\":\"" name                                                                  \
    "\",\"short\":\"fold\",\"module\":\"m\",\"launches\":1,\"grid\":[1,1,1],"                                \
    "\"block\":[256,1,1],\"metrics\":{" INST(160000, 5120000) "},\"lines\":[]}\n"

static void test_instances_are_told_apart(void **state) {
    static const char *const names[][2] = {{"_Z4foldILi256EfEvPT0_", "fold<256, float>"},
                                           {"_ZN2ns4foldILin1E6__halfLb1EEEvPf", "fold<-1, __half, true>"},
                                           {"_Z4foldIN2ns1aEEvPf", "fold<...>"},
                                           {"fold", "fold"}};
    static const char all[] = INSTANCE("_Z4foldILi256EfEvPT0_") INSTANCE("_ZN2ns4foldILin1E6__halfLb1EEEvPf")
        INSTANCE("_Z4foldIN2ns1aEEvPf") INSTANCE("fold") "{\"type\":\"end\",\"status\":\"ok\"}\n";
    for (size_t alone = 0; alone < 2; alone++) {
        base_text text = {0};
        fixture f;
        report_prof_options options = {0};
        base_text_add(&text, "%s%s", head, alone ? INSTANCE("_Z4foldILi256EfEvPT0_") : all);
        assert_int_equal(report_record_parse("test", text.data, text.length, &f.record, NULL), KZ_OK);
        assert_int_equal(device_gpu_load("h200", &options.gpu, NULL), KZ_OK);
        assert_int_equal(report_prof_open(&f.record, &options, &f.report, NULL), KZ_OK);
        for (size_t i = 0; i < f.report.kernel_count; i++)
            for (size_t j = 0; j < BASE_COUNT(names); j++)
                if (strcmp(f.report.kernels[i].name, names[j][0]) == 0)
                    assert_string_equal(f.report.kernels[i].title, alone ? "fold" : names[j][1]);
        close_fixture(&f);
        base_text_free(&text);
    }
}

static void test_html_escapes(void **state) {
    base_text text = {0};
    report_prof_html_text(&text, "a < b && \"c\" > d\n\001");
    assert_string_equal(text.data, "a &lt; b &amp;&amp; &quot;c&quot; &gt; d ");
    base_text_free(&text);
}

static void test_listing_of_a_missing_file(void **state) {
    fixture f;
    size_t count;
    open_fixture(&f, &(kernel_text){.blocks = 1, .threads = 32, .metrics = INST(10, 320)}, 20);
    report_prof_sources *sources = report_prof_sources_open(NULL, 0);
    report_prof_row *rows = report_prof_listing(&f.report.kernels[0], "b.cu", sources, &count);
    assert_int_equal(count, 1);
    assert_int_equal(rows[0].line, 14);
    assert_true(rows[0].counted);
    free(rows);
    report_prof_sources_close(sources);
    close_fixture(&f);
}

static void test_sources_are_found_by_root(void **state) {
    const char *roots[] = {"tests"};
    size_t length = 0;
    report_prof_sources *sources = report_prof_sources_open(roots, 1);
    const char *text = report_prof_sources_line(sources, "prof/lessons.cu", 4, &length);
    assert_non_null(text);
    assert_int_equal(strncmp(text, "struct particle {", length), 0);
    assert_null(report_prof_sources_line(sources, "prof/lessons.cu", 100000, &length));
    assert_null(report_prof_sources_line(sources, "prof/no_such.cu", 1, &length));
    report_prof_sources_close(sources);
}

// nvcc gives an asm statement the line of its end.
static void test_asm_begins_above(void **state) {
    static const char text[] = "int a = 1;\n"
                               "if (a)\n"
                               "    asm volatile(\"mma.sync.aligned.m16n8k16 {%0}, \"\n"
                               "                 \"{%1};\"\n"
                               "                 : \"+f\"(d[0])\n"
                               "                 : \"r\"(b));\n"
                               "a = f(b,\n"
                               "      c);\n"
                               "plasma(a,\n"
                               "       b);\n";
    char path[] = "/tmp/kz-asm-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, sizeof text - 1), sizeof text - 1);
    close(file);
    report_prof_sources *sources = report_prof_sources_open(NULL, 0);
    assert_int_equal(report_prof_sources_asm(sources, path, 6), 3);
    assert_int_equal(report_prof_sources_asm(sources, path, 3), 3);
    assert_int_equal(report_prof_sources_asm(sources, path, 2), 2);
    assert_int_equal(report_prof_sources_asm(sources, path, 8), 8);
    assert_int_equal(report_prof_sources_asm(sources, path, 10), 10);
    assert_int_equal(report_prof_sources_asm(sources, path, 99), 99);
    assert_int_equal(report_prof_sources_asm(sources, "/no/such.cu", 6), 6);
    report_prof_sources_close(sources);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_asm_begins_above),
        cmocka_unit_test(test_strided_load),
        cmocka_unit_test(test_column_store),
        cmocka_unit_test(test_bank_conflicts),
        cmocka_unit_test(test_padding_that_does_not_help),
        cmocka_unit_test(test_contention),
        cmocka_unit_test(test_increments),
        cmocka_unit_test(test_contention_in_sectors),
        cmocka_unit_test(test_atomic_of_one_lane),
        cmocka_unit_test(test_load_of_one_lane),
        cmocka_unit_test(test_scattered_atomics),
        cmocka_unit_test(test_divergence),
        cmocka_unit_test(test_serial),
        cmocka_unit_test(test_local_memory),
        cmocka_unit_test(test_issue_and_arithmetic),
        cmocka_unit_test(test_few_blocks_and_launches),
        cmocka_unit_test(test_memory_is_a_good_verdict),
        cmocka_unit_test(test_measured_peaks),
        cmocka_unit_test(test_distributed_shared_memory),
        cmocka_unit_test(test_bulk_copies),
        cmocka_unit_test(test_occupancy),
        cmocka_unit_test(test_shapes_are_folded),
        cmocka_unit_test(test_instances_are_told_apart),
        cmocka_unit_test(test_html_escapes),
        cmocka_unit_test(test_listing_of_a_missing_file),
        cmocka_unit_test(test_sources_are_found_by_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
