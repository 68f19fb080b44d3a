// What a kernel is made of: instructions counted in its PTX, resources from the device and from machine code (an ELF
// file made by hand), and how much of it a multiprocessor holds.
#include "bench/code.h"

#include <elf.h>
#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "unit.h"

// `wide` has 7 instructions, `narrow` 1, `wide_too` 2.
static const char ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry narrow() {\n    ret;\n}\n"
    ".visible .entry wide_too() {\n    .reg .b32 %r<2>; mov.u32 %r1, 0; ret;\n}\n"
    ".visible .entry wide(.param .u64 in)\n.maxntid 256, 1, 1\n{\n"
    "    .reg .pred %p<2>;\n    .reg .b32 %r<6>; .reg .b64 %rd<3>;\n    .shared .align 4 .b8 tile[1024];\n"
    "    .loc 1 7 9\n    ld.param.u64 %rd1, [in]; // a word; and more\n"
    "    { // a block\n    .reg .b32 there;\n    mov.u32 there, %tid.x;\n    }\n"
    "    mov.u32 %r5, 1;\n    setp.eq.u32 %p1, %r5, 0;\n    @%p1 bra done;\n"
    "    ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];\ndone:\n    ret;\n}\n";
static const kz_image image = {
    .size = sizeof(kz_image), .name = "test.ptx", .ptx = ptx, .ptx_size = sizeof ptx - 1};

static void instructions_are_counted_in_the_text(void **state) {
    assert_int_equal(bench_ptx_instructions(ptx, "wide"), 7);
    assert_int_equal(bench_ptx_instructions(ptx, "wide_too"), 2);
    assert_int_equal(bench_ptx_instructions(ptx, "narrow"), 1);
    assert_int_equal(bench_ptx_instructions(ptx, "wid"), -1);
    assert_int_equal(bench_ptx_instructions(".entry cut() { ret", "cut"), 0);
    assert_int_equal(bench_ptx_instructions("", "cut"), -1);
}

// ---- machine code ---------------------------------------------------------------------------------------

enum { NAMES = 256, SYMBOLS = 512, STRINGS = 768, NOTES = 1024, TEXT = 2048, SECTIONS = 4096, SIZE = 8192 };
enum { INSTRUCTIONS = 40, NOPS = 8, REGISTERS = 96, FRAME = 24 };

static void add_section(uint8_t *file, unsigned index, const char *name, uint32_t type, uint64_t offset,
                        uint64_t size, uint32_t link) {
    char *names = (char *)file + NAMES;
    size_t at = 1 + 16 * index;
    strcpy(names + at, name);
    const Elf64_Shdr section = {
        .sh_name = (uint32_t)at, .sh_type = type, .sh_offset = offset, .sh_size = size, .sh_link = link};
    memcpy(file + SECTIONS + index * sizeof section, &section, sizeof section);
}

static void add_note(uint8_t *at, uint8_t attribute, uint32_t symbol, uint32_t value) {
    const uint8_t head[] = {4, attribute, 8, 0};
    memcpy(at, head, 4);
    memcpy(at + 4, &symbol, 4);
    memcpy(at + 8, &value, 4);
}

// The kernel `wide`: 40 instructions and what fills the last line up, 96 registers, a frame of 24 bytes.
static bool assemble(void *context, const char *name, const char *text, int sm, void **code, size_t *size) {
    uint8_t *file = *code = calloc(1, SIZE);
    ++*(int *)context;
    *size = SIZE;
    assert_string_equal(name, "test.ptx");
    assert_string_equal(text, ptx);
    assert_int_equal(sm, 90);
    Elf64_Ehdr head = {.e_shoff = SECTIONS, .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 6, .e_shstrndx = 1};
    memcpy(head.e_ident, ELFMAG, SELFMAG);
    memcpy(file, &head, sizeof head);
    add_section(file, 1, ".shstrtab", SHT_STRTAB, NAMES, 256, 0);
    add_section(file, 2, ".symtab", SHT_SYMTAB, SYMBOLS, 2 * sizeof(Elf64_Sym), 3);
    add_section(file, 3, ".strtab", SHT_STRTAB, STRINGS, 16, 0);
    add_section(file, 4, ".nv.info", SHT_LOPROC, NOTES, 24, 0);
    add_section(file, 5, ".text.wide", SHT_PROGBITS, TEXT, 16 * (INSTRUCTIONS + NOPS), 0);
    strcpy((char *)file + STRINGS + 1, "wide");
    const Elf64_Sym symbol = {.st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)};
    memcpy(file + SYMBOLS + sizeof symbol, &symbol, sizeof symbol);
    add_note(file + NOTES, 0x2f, 1, REGISTERS);
    add_note(file + NOTES + 12, 0x11, 1, FRAME);
    for (int i = 0; i < INSTRUCTIONS + NOPS; i++) file[TEXT + 16 * i] = i < INSTRUCTIONS ? 0x21 : 0x18;
    for (int i = INSTRUCTIONS; i < INSTRUCTIONS + NOPS; i++) file[TEXT + 16 * i + 1] = 0x09; // NOP is 0x918
    return true;
}

static bool nobody(void *context, const char *name, const char *text, int sm, void **code, size_t *size) {
    return false;
}

// ---- a plan ---------------------------------------------------------------------------------------------

static bench_code describe(const kz_image *from, const bench_assembler *assembler) {
    kz_device *device;
    kz_module *module;
    kz_error error = {0};
    assert_int_equal(kz_device_open("sim:h200", &device, NULL), KZ_OK);
    if (kz_module_load(device, from, &module, &error)) fail_msg("%s", error.message);
    kz_plan plan = {0};
    const kz_launch small = {.size = sizeof small, .grid = {1, 1, 1}, .block = {32, 1, 1}};
    const kz_launch large = {
        .size = sizeof large, .grid = {100, 2, 1}, .block = {128, 2, 1}, .dynamic_shared_bytes = 30000};
    kz_plan_add_kernel(&plan, 0, "wide", &large, NULL, 0);
    kz_plan_add_kernel(&plan, 0, "narrow", &small, NULL, 0);
    for (int i = 0; from->others && i < 2; i++) plan.steps[i].image = image.name;
    bench_code code = bench_code_of(device, module, from, &plan, assembler);
    kz_module_close(module);
    kz_device_close(device);
    return code;
}

static void the_widest_launch_is_described(void **state) {
    bench_code code = describe(&image, NULL);
    assert_int_equal(code.launches, 2);
    assert_int_equal(code.threads, 256);
    assert_int_equal(code.shared_bytes, 31024);
    assert_int_equal(code.ptx_instructions, 7);
    // The simulator has no registers and no machine code: seven blocks by shared memory (227 KB) are an upper bound.
    assert_int_equal(code.registers, -1);
    assert_int_equal(code.local_bytes, -1);
    assert_int_equal(code.code_bytes, -1);
    assert_int_equal(code.blocks, 7);
    assert_int_equal(code.warps, 56);
    assert_float_equal(code.occupancy, 56.0 / 64, 1e-9);
    assert_string_equal(code.limit, "shared memory");
    const bench_assembler none = {nobody, NULL};
    assert_int_equal(describe(&image, &none).registers, -1);
}

static void machine_code_tells_the_rest(void **state) {
    int asked = 0;
    const bench_assembler assembler = {assemble, &asked};
    bench_code code = describe(&image, &assembler);
    assert_int_equal(asked, 1);
    assert_int_equal(code.registers, REGISTERS);
    assert_int_equal(code.local_bytes, FRAME);
    assert_int_equal(code.code_bytes, 16 * INSTRUCTIONS);
    assert_int_equal(code.blocks, 2); // 96 registers for 256 threads: 24576 of 65536
    assert_string_equal(code.limit, "registers");
}

static void kernels_of_other_families_are_described(void **state) {
    static const char empty[] = ".version 7.0\n.target sm_75\n.address_size 64\n";
    const kz_image_set set = {&image, 1}, *const others[] = {&set, NULL};
    const kz_image whole = {
        .size = sizeof whole, .name = "whole", .ptx = empty, .ptx_size = sizeof empty - 1, .others = others};
    int asked = 0;
    const bench_assembler assembler = {assemble, &asked};
    bench_code code = describe(&whole, &assembler);
    assert_int_equal(code.ptx_instructions, 7);
    assert_int_equal(code.registers, REGISTERS);
}

static void nothing_is_known_without_a_launch(void **state) {
    kz_device *device;
    kz_module *module;
    const kz_plan plan = {0};
    assert_int_equal(kz_device_open("sim:h200", &device, NULL), KZ_OK);
    assert_int_equal(kz_module_load(device, &image, &module, NULL), KZ_OK);
    bench_code code = bench_code_of(device, module, &image, &plan, NULL);
    assert_int_equal(code.launches, 0);
    assert_int_equal(code.threads, -1);
    assert_true(isnan(code.occupancy));
    kz_module_close(module);
    kz_device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_are_counted_in_the_text),
        cmocka_unit_test(the_widest_launch_is_described),
        cmocka_unit_test(machine_code_tells_the_rest),
        cmocka_unit_test(kernels_of_other_families_are_described),
        cmocka_unit_test(nothing_is_known_without_a_launch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
