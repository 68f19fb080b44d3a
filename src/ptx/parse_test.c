// What the parser makes of PTX: opcodes, operands, scopes, variables, calls, source lines.
#include "ptx/ptx.h"

#include <stdio.h>
#include <stdlib.h>

#include "unit.h"

static ptx_module *open_text(const char *text) {
    ptx_module *module;
    kz_error error;
    if (ptx_module_open("test.ptx", text, strlen(text), &module, &error) != KZ_OK)
        fail_msg("%s", error.message);
    return module;
}

#define HEAD ".version 9.0\n.target sm_90a\n.address_size 64\n"
#define REGS                                                                                                 \
    ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .b64 %d<8>; .reg .f32 %f<8>; .reg .b128 "      \
    "%q<2>;\n"
#define KERNEL(body) HEAD ".visible .entry k(.param .u64 p, .param .u32 n) {\n" REGS body "\n}\n"

static const ptx_inst *first_inst(const ptx_module *module) { return &module->functions[0]->insts[0]; }

static void header(void **state) {
    ptx_module *module = open_text(HEAD);
    assert_int_equal(module->version, 90);
    assert_int_equal(module->sm, 90);
    assert_int_equal(module->sm_suffix, 'a');
    assert_int_equal(module->address_bits, 64);
    assert_int_equal(module->function_count, 0);
    ptx_module_close(module);
    ptx_module_close(NULL);
}

static void opcode_parts(void **state) {
    ptx_module *module =
        open_text(KERNEL("ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%f1, %f2, _, %f3}, [%d1+-16];"));
    const ptx_inst *inst = first_inst(module);
    assert_int_equal(inst->op, PTX_OP_LD);
    assert_int_equal(inst->by_category[PTX_CAT_SPACE], PTX_MOD_GLOBAL);
    assert_int_equal(inst->by_category[PTX_CAT_EVICT], PTX_MOD_L1_NO_ALLOCATE);
    assert_int_equal(inst->by_category[PTX_CAT_PREFETCH], PTX_MOD_L2_128B);
    assert_int_equal(inst->by_category[PTX_CAT_VECTOR], PTX_MOD_V4);
    assert_true(inst->flags == PTX_FLAG(NC));
    assert_int_equal(inst->type_count, 1);
    assert_int_equal(inst->types[0], PTX_F32);
    assert_int_equal(inst->mod_count, 6);
    assert_int_equal(inst->guard, -1);
    assert_int_equal(inst->operand_count, 2);
    assert_int_equal(inst->operands[0].kind, PTX_OPERAND_VECTOR);
    assert_int_equal(inst->operands[0].element_count, 4);
    assert_int_equal(inst->operands[0].elements[2].kind, PTX_OPERAND_SINK);
    assert_int_equal(inst->operands[1].kind, PTX_OPERAND_ADDRESS);
    assert_int_equal(inst->operands[1].value, -16);
    assert_string_equal(module->functions[0]->regs[inst->operands[1].reg].name, "%d1");
    ptx_module_close(module);
}

// A module whose kernel has this one instruction.
static ptx_module *open_inst(const char *inst) {
    base_text text = {0};
    base_text_add(&text, "%s%s%s", HEAD ".visible .entry k(.param .u64 p, .param .u32 n) {\n" REGS, inst,
                  "\n}\n");
    ptx_module *module = open_text(text.data);
    base_text_free(&text);
    return module;
}

static void roots_of_several_parts(void **state) {
    static const struct {
        const char *text;
        ptx_op op;
    } cases[] = {
        {"bar.sync 0;", PTX_OP_BAR_SYNC},
        {"bar.warp.sync -1;", PTX_OP_BAR_WARP},
        {"barrier.cta.sync.aligned 1;", PTX_OP_BARRIER_SYNC},
        {"barrier.cluster.arrive.release.aligned;", PTX_OP_BARRIER_CLUSTER_ARRIVE},
        {"barrier.cluster.wait.aligned;", PTX_OP_BARRIER_CLUSTER_WAIT},
        {"cp.async.commit_group;", PTX_OP_CP_ASYNC_COMMIT_GROUP},
        {"cp.async.ca.shared.global [%r1], [%d1], 4;", PTX_OP_CP_ASYNC},
        {"cp.async.bulk.wait_group.read 0;", PTX_OP_CP_ASYNC_BULK_WAIT_GROUP},
        {"fence.acq_rel.gpu;", PTX_OP_FENCE},
        {"fence.proxy.async;", PTX_OP_FENCE_PROXY},
        {"cvt.pack.sat.s8.s32.b32 %r1, %r2, %r3, %r4;", PTX_OP_CVT_PACK},
        {"cvt.pack.sat.u2.s32.b32 %r1, %r2, %r3, %r4;", PTX_OP_CVT_PACK},
        {"membar.proxy.alias;", PTX_OP_MEMBAR_PROXY},
        {"cvt.rn.f16x2.e4m3x2 %r1, %h1;", PTX_OP_CVT},
        {"vabsdiff4.u32.u32.u32.add %r1, %r2, %r3, %r4;", PTX_OP_VABSDIFF4},
    };
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        ptx_module *module = open_inst(cases[i].text);
        if (first_inst(module)->op != cases[i].op) fail_msg("%s", cases[i].text);
        assert_null(first_inst(module)->unknown);
        ptx_module_close(module);
    }
}

static void hints_and_pairs_are_read(void **state) {
    static const char *const cases[] = {
        "ld.mmio.relaxed.sys.global.u32 %r1, [%d1];",
        "st.mmio.relaxed.sys.global.u32 [%d1], %r1;",
        "ld.global.u32 %r1, [%d1].unified;",
        "tex.2d.v4.u32.s32 {%r1, %r2, %r3, %r4}|%p1, [%d1, {%r1, %r2}];",
    };
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        ptx_module *module = open_inst(cases[i]);
        if (first_inst(module)->unknown) fail_msg("%s: %s", cases[i], first_inst(module)->unknown);
        ptx_module_close(module);
    }
}

static void modifiers_by_opcode(void **state) {
    ptx_module *module = open_inst("setp.lo.u32 %p1, %r1, %r2;");
    assert_int_equal(first_inst(module)->by_category[PTX_CAT_COMPARE], PTX_MOD_LO);
    assert_int_equal(first_inst(module)->by_category[PTX_CAT_HALF], PTX_MOD_NONE);
    ptx_module_close(module);
    module = open_inst("vote.sync.uni.pred %p1, !%p2, -1;");
    assert_int_equal(first_inst(module)->by_category[PTX_CAT_MODE], PTX_MOD_UNI);
    assert_true(first_inst(module)->flags & PTX_FLAG(UNI));
    assert_true(first_inst(module)->operands[1].negated);
    ptx_module_close(module);
    module = open_inst("membar.gl;");
    assert_int_equal(first_inst(module)->by_category[PTX_CAT_SCOPE], PTX_MOD_GPU);
    assert_int_equal(first_inst(module)->mods[0], PTX_MOD_GL);
    ptx_module_close(module);
}

static void guards_and_pairs(void **state) {
    ptx_module *module = open_inst("@!%p3 setp.lt.and.s32 %p1|%p2, %r1, 5, !%p1;");
    const ptx_function *function = module->functions[0];
    const ptx_inst *inst = first_inst(module);
    assert_true(inst->guard_negated);
    assert_string_equal(function->regs[inst->guard].name, "%p3");
    assert_string_equal(function->regs[inst->operands[0].reg].name, "%p1");
    assert_string_equal(function->regs[inst->operands[0].second].name, "%p2");
    assert_int_equal(inst->operands[2].value, 5);
    assert_true(inst->operands[3].negated);
    ptx_module_close(module);
}

static void registers_are_made_when_used(void **state) {
    ptx_module *module = open_inst("add.s32 %r7, %r7, %r2;");
    assert_int_equal(module->functions[0]->reg_count, 2);
    assert_string_equal(module->functions[0]->regs[0].name, "%r7");
    assert_int_equal(module->functions[0]->regs[0].type, PTX_B32);
    ptx_module_close(module);
}

static int64_t value_of(const char *expression) {
    char text[200];
    snprintf(text, sizeof text, "mov.u64 %%d1, %s;", expression);
    ptx_module *module = open_inst(text);
    int64_t value = first_inst(module)->operands[1].value;
    assert_int_equal(first_inst(module)->operands[1].kind, PTX_OPERAND_INT);
    ptx_module_close(module);
    return value;
}

static void constant_expressions(void **state) {
    assert_int_equal(value_of("0x1F"), 31);
    assert_int_equal(value_of("017"), 15);
    assert_int_equal(value_of("0b101"), 5);
    assert_int_equal(value_of("42U"), 42);
    assert_int_equal(value_of("-1"), -1);
    assert_int_equal(value_of("0xFFFFFFFFFFFFFFFF"), -1);
    assert_int_equal(value_of("1 + 2 * 3"), 7);
    assert_int_equal(value_of("(1 + 2) * 3"), 9);
    assert_int_equal(value_of("10 - 2 - 3"), 5);
    assert_int_equal(value_of("1 << 4 | 3"), 19);
    assert_int_equal(value_of("~0 & 0xff"), 255);
    assert_int_equal(value_of("!5"), 0);
    assert_int_equal(value_of("7 / 2"), 3);
    assert_int_equal(value_of("-7 / 2"), -3);
    assert_int_equal(value_of("3 >= 3 && 2 < 1"), 0);
    assert_int_equal(value_of("1 == 1 ? 10 : 20"), 10);
    assert_int_equal(value_of("WARP_SZ * 2"), 64);
    assert_int_equal(value_of("(.u64)-1 >> 60"), 15);
    assert_int_equal(value_of("-1 >> 60"), -1);
}

static void float_literals(void **state) {
    ptx_module *module = open_inst("mov.f32 %f1, 0f3FC00000;");
    const ptx_operand *single = &first_inst(module)->operands[1];
    assert_int_equal(single->kind, PTX_OPERAND_FLOAT);
    assert_true(single->real == 1.5);
    assert_int_equal(ptx_immediate(single, PTX_F32), 0x3FC00000);
    assert_int_equal(ptx_immediate(single, PTX_B32), 0x3FC00000);
    assert_int_equal(ptx_immediate(single, PTX_F64), 0x3FF8000000000000);
    assert_int_equal(ptx_immediate(single, PTX_F16), 0x3E00);
    assert_int_equal(ptx_immediate(single, PTX_BF16), 0x3FC0);
    ptx_module_close(module);
    module = open_inst("mov.f32 %f1, 0fFFA00001;"); // a signalling NaN keeps its bits
    assert_int_equal(ptx_immediate(&first_inst(module)->operands[1], PTX_F32), 0xFFA00001);
    ptx_module_close(module);
    module = open_inst("mov.f64 %d1, -0d3FF8000000000000;");
    assert_true(first_inst(module)->operands[1].real == -1.5);
    assert_int_equal(ptx_immediate(&first_inst(module)->operands[1], PTX_F64), (int64_t)0xBFF8000000000000);
    ptx_module_close(module);
    ptx_operand minus = {.kind = PTX_OPERAND_INT, .value = -1};
    assert_int_equal(ptx_immediate(&minus, PTX_U16), 0xffff);
    assert_int_equal(ptx_immediate(&minus, PTX_S64), -1);
    assert_int_equal(ptx_immediate(&minus, PTX_PRED), 1);
}

static void scopes_hide_names(void **state) {
    ptx_module *module = open_text(KERNEL("{ .reg .b32 x; mov.u32 x, 1; L: bra L; }\n"
                                          "{ .reg .b64 x; mov.u64 x, 2; L: bra L; { bra L; } }\n"
                                          "mov.u32 %r1, 3;"));
    const ptx_function *function = module->functions[0];
    assert_int_equal(function->inst_count, 6);
    assert_int_equal(function->regs[function->insts[0].operands[0].reg].type, PTX_B32);
    assert_int_equal(function->regs[function->insts[2].operands[0].reg].type, PTX_B64);
    assert_int_equal(function->insts[1].operands[0].value, 1);
    assert_int_equal(function->insts[3].operands[0].value, 3);
    assert_int_equal(function->insts[4].operands[0].value, 3);
    assert_string_not_equal(function->regs[0].name, function->regs[1].name);
    ptx_module_close(module);
}

static void an_inner_range_hides_an_outer_one(void **state) {
    ptx_module *module =
        open_text(KERNEL("mov.u32 %r1, 1; { .reg .b64 %r<2>; mov.u64 %r1, 1; mov.u32 %r5, 2; }\n"
                         "mov.u32 %r5, 1;"));
    const ptx_inst *insts = module->functions[0]->insts;
    assert_int_not_equal(insts[0].operands[0].reg, insts[1].operands[0].reg);
    assert_int_equal(insts[2].operands[0].reg, insts[3].operands[0].reg); // made inside, the outer one's
    ptx_module_close(module);
}

// As ptxas does it: accumulators go to local memory behind each product there.
static void products_of_debug_code_are_done_one_by_one(void **state) {
    static const char *const body =
        ".visible .entry k() { .reg .f32 %f<4>; .reg .b64 %d<2>; .reg .pred %p<2>;\n"
        "bra L; L: @%p1 wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %d0, %d1, 1, 1, "
        "1, 0, 0;\n"
        "ret; }\n";
    char text[512];
    snprintf(text, sizeof text, ".version 9.0\n.target sm_90a\n.address_size 64\n%s", body);
    ptx_module *module = open_text(text);
    assert_false(module->is_debug);
    assert_int_equal(module->functions[0]->inst_count, 3);
    ptx_module_close(module);
    snprintf(text, sizeof text, ".version 9.0\n.target sm_90a, debug\n.address_size 64\n%s", body);
    module = open_text(text);
    const ptx_inst *insts = module->functions[0]->insts;
    assert_true(module->is_debug);
    assert_int_equal(module->functions[0]->inst_count, 6);
    assert_int_equal(insts[0].operands[0].value, 1); // who jumps to the product comes by its fence
    assert_int_equal(insts[1].op, PTX_OP_WGMMA_FENCE);
    assert_int_equal(insts[2].op, PTX_OP_WGMMA_MMA_ASYNC);
    assert_int_equal(insts[3].op, PTX_OP_WGMMA_COMMIT_GROUP);
    assert_int_equal(insts[4].op, PTX_OP_WGMMA_WAIT_GROUP);
    assert_int_equal(insts[4].operands[0].kind, PTX_OPERAND_INT);
    assert_int_equal(insts[4].operands[0].value, 0);
    assert_int_equal(insts[4].guard, insts[2].guard);
    ptx_module_close(module);
}

static void calls(void **state) {
    ptx_module *module = open_text(HEAD ".func (.param .b32 r) f(.param .b32 a);\n.func g;\n"
                                        ".visible .entry k() { .reg .b64 %d<2>; .reg .b32 %r<2>;\n"
                                        "{ .param .b32 in; .param .b32 out; st.param.b32 [in], 7;\n"
                                        "call.uni (out), f, (in); ld.param.b32 %r1, [out]; }\n"
                                        "{ .param .b32 in; pr: .callprototype ()_ (.param .b32 _);\n"
                                        "call %d1, (in), pr; } call g; }\n"
                                        ".func (.param .b32 r) f(.param .b32 a) { ret; }\n");
    const ptx_function *kernel = ptx_find_function(module, "k"), *f = ptx_find_function(module, "f");
    assert_true(kernel->is_entry && f->has_body);
    assert_int_equal(module->function_count, 3);
    assert_int_equal(f->param_count, 1);
    const ptx_inst *direct = &kernel->insts[1], *indirect = &kernel->insts[3], *bare = &kernel->insts[4];
    assert_int_equal(direct->operand_count, 3);
    assert_string_equal(direct->operands[0].elements[0].variable->name, "out");
    assert_ptr_equal(direct->operands[1].function, f); // the declaration became the definition
    assert_int_equal(direct->operands[2].element_count, 1);
    assert_int_equal(indirect->operands[1].kind, PTX_OPERAND_REG);
    assert_true(indirect->operands[3].function->is_prototype);
    assert_int_equal(indirect->operands[3].function->param_count, 1);
    assert_int_equal(bare->operands[0].element_count + bare->operands[2].element_count, 0);
    assert_null(ptx_find_function(module, "nobody"));
    ptx_module_close(module);
}

static void branch_tables(void **state) {
    ptx_module *module = open_text(KERNEL("ts: .branchtargets A, B, A;\nbrx.idx %r1, ts;\nA: exit;\nB:"));
    const ptx_function *function = module->functions[0];
    assert_int_equal(function->insts[0].operands[1].kind, PTX_OPERAND_TABLE);
    const ptx_table *table = &function->tables[function->insts[0].operands[1].value];
    assert_int_equal(table->count, 3);
    assert_int_equal(table->labels[0], 1);
    assert_int_equal(table->labels[1], 2); // at the end of the body
    assert_int_equal(table->labels[2], 1);
    ptx_module_close(module);
}

static const ptx_variable *find_variable(const ptx_module *module, const char *name) {
    for (uint32_t i = 0; i < module->variable_count; i++)
        if (strcmp(module->variables[i]->name, name) == 0) return module->variables[i];
    fail_msg("no variable %s", name);
    return NULL;
}

static void variables(void **state) {
    ptx_module *module = open_text(HEAD ".extern .shared .align 16 .b8 dynamic[];\n"
                                        ".const .align 8 .f64 doubles[3] = {0d3FF0000000000000, -2.5};\n"
                                        ".visible .global .v4 .f32 four = {1.0, 2.0, 3.0, 4.0};\n"
                                        ".global .s16 grid[2][3] = {{1, -1}, {3}};\n"
                                        ".global .u64 pointers[3] = {four, generic(grid)+4, 5};\n"
                                        ".global .b8 bytes[2] = {0xff00(four), 0xff(generic(four))};\n"
                                        ".weak .global .u32 weak;\n");
    assert_int_equal(find_variable(module, "dynamic")->size, 0);
    assert_int_equal(find_variable(module, "dynamic")->align, 16);
    const ptx_variable *doubles = find_variable(module, "doubles");
    double values[3];
    assert_int_equal(doubles->size, sizeof values);
    memcpy(values, doubles->data, sizeof values);
    assert_true(values[0] == 1.0 && values[1] == -2.5 && values[2] == 0.0);
    assert_int_equal(find_variable(module, "four")->size, 16);
    assert_int_equal(find_variable(module, "four")->align, 16);
    const ptx_variable *grid = find_variable(module, "grid");
    const uint8_t expected[12] = {1, 0, 0xff, 0xff, 3, 0};
    assert_int_equal(grid->size, 12);
    assert_memory_equal(grid->data, expected, 12);
    const ptx_variable *pointers = find_variable(module, "pointers");
    assert_int_equal(pointers->relocation_count, 2);
    assert_ptr_equal(pointers->relocations[0].variable, find_variable(module, "four"));
    assert_true(pointers->relocations[1].generic);
    assert_int_equal(pointers->relocations[1].addend, 4);
    assert_int_equal(pointers->relocations[1].offset, 8);
    assert_int_equal(pointers->data[16], 5);
    assert_int_equal(find_variable(module, "bytes")->relocations[0].mask, 0xff00);
    assert_true(find_variable(module, "bytes")->relocations[1].generic);
    assert_true(find_variable(module, "weak")->is_weak);
    assert_null(find_variable(module, "weak")->data);
    ptx_module_close(module);
}

static void function_heads(void **state) {
    ptx_module *module =
        open_text(HEAD ".visible .entry k(.param .u64 .ptr .global .align 16 a, .param .align 8 .b8 b[24])\n"
                       ".maxntid 256\n.reqntid 8, 4, 2\n.minnctapersm 3\n.maxnreg 40\n"
                       ".reqnctapercluster 2, 1, 1\n.explicitcluster { exit; }\n");
    const ptx_function *function = module->functions[0];
    assert_int_equal(function->params[0]->pointer_space, PTX_MOD_GLOBAL);
    assert_int_equal(function->params[0]->pointer_align, 16);
    assert_int_equal(function->params[0]->size, 8);
    assert_int_equal(function->params[1]->size, 24);
    assert_int_equal(function->params[1]->align, 8);
    assert_int_equal(function->max_threads[0], 256);
    assert_int_equal(function->max_threads[1], 1);
    assert_int_equal(function->required_threads[2], 2);
    assert_int_equal(function->min_blocks, 3);
    assert_int_equal(function->max_registers, 40);
    assert_int_equal(function->cluster[0], 2);
    assert_true(function->explicit_cluster);
    ptx_module_close(module);
}

static void unknown_instructions_are_kept(void **state) {
    ptx_module *module =
        open_text(KERNEL("frob.x.y {%r1, what?}, [%d1];\n"
                         "@%p1 add.quickly.u32 %r1, %r2, %r3;\nadd.b32 %r1, %r2, %r3;\nret;"));
    const ptx_inst *insts = module->functions[0]->insts;
    assert_int_equal(module->functions[0]->inst_count, 4);
    assert_int_equal(insts[0].op, PTX_OP_NONE);
    assert_string_equal(insts[0].text, "frob.x.y {%r1, what?}, [%d1]");
    assert_string_equal(insts[0].unknown, "'frob' is not a known instruction");
    assert_string_equal(insts[1].unknown, "'.quickly' is not a modifier known of 'add'");
    assert_true(insts[1].guard >= 0);
    assert_int_equal(insts[2].op, PTX_OP_ADD);
    assert_string_equal(insts[2].unknown, "'add' has no form with the type '.b32'");
    const char *why;
    assert_false(ptx_is_simulated(&insts[2], &why));
    assert_true(ptx_is_simulated(&insts[3], &why));
    ptx_module_close(module);
}

static void source_lines(void **state) {
    char *text;
    size_t size;
    assert_int_equal(base_file_read("fuzz/corpus/ptx_fuzz/vector_add.ptx", &text, &size, NULL), KZ_OK);
    ptx_module *module = open_text(text);
    const ptx_function *function = module->functions[0];
    base_text out = {0};
    for (uint32_t i = 0; i < function->inst_count; i++) {
        const ptx_inst *inst = &function->insts[i];
        out.length = 0;
        ptx_print_source(module, inst, &out);
        if (inst->flags & PTX_FLAG(NC)) {
            assert_string_equal(out.data, "load.cuh:30 (inlined into add.cu:6)");
            assert_string_equal(module->locations[inst->source].function, "load");
        }
    }
    assert_string_equal(out.data, "add.cu:7");
    ptx_inst nowhere = {.line = 12, .source = -1};
    out.length = 0;
    ptx_print_source(module, &nowhere, &out);
    assert_string_equal(out.data, "line 12 of test.ptx");
    base_text_free(&out);
    ptx_module_close(module);
    free(text);
}

// A header of the toolkit is not the user's line.
static void source_lines_in_headers(void **state) {
    ptx_module *module =
        open_text(HEAD ".file 1 \"/home/u/a.cu\"\n.file 2 \"/usr/local/cuda/include/sm_60.hpp\"\n"
                       ".entry k() { .loc 1 9 3\n.loc 2 88 1, function_name $s, inlined_at 1 9 3\nexit; }\n");
    base_text out = {0};
    ptx_print_source(module, first_inst(module), &out);
    assert_string_equal(out.data, "a.cu:9 (in sm_60.hpp:88)");
    base_text_free(&out);
    ptx_module_close(module);
}

static void video_parts(void **state) {
    ptx_module *module = open_inst("vadd2.s32.s32.s32.sat %r1.h10, %r2.h32, %r3, %r4;");
    assert_string_equal(first_inst(module)->operands[0].select, "h10");
    assert_string_equal(first_inst(module)->operands[1].select, "h32");
    assert_string_equal(first_inst(module)->operands[2].select, "");
    ptx_module_close(module);
}

static void aliases(void **state) {
    ptx_module *module =
        open_text(HEAD ".func a; .func b { ret; } .entry k() { call a; exit; } .alias a, b;\n");
    const ptx_inst *call = &ptx_find_function(module, "k")->insts[0];
    assert_ptr_equal(call->operands[1].function, ptx_find_function(module, "b"));
    ptx_module_close(module);
}

static void debugging_sections(void **state) {
    ptx_module *module = open_text(
        HEAD ".func a() { ret; }\n.entry k(.param .u64 p) { .local .b8 depot[8]; .reg .b32 %r<3>;\n"
             "$begin: mov.u32 %r1, 1; { $inner: mov.u32 %r2, 2; } $end: exit; }\n"
             ".section .debug_info {\n.b32 .debug_abbrev\n.b8 1,2, 3\n.b64 $inner\n.b64 depot+4\n.b32 "
             "$text+1\n"
             ".b32 $end-$begin\n.b16 unheard_of\n.b64 p\n}\n.section .debug_str {\n.b8 7\n$text:\n.b8 "
             "65,0\n}\n");
    assert_int_equal(module->section_count, 2);
    const ptx_section *info = ptx_find_section(module, 0, ".debug_info");
    static const uint8_t wanted[] = {0, 0, 0, 0, 1, 2, 3, 2, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0,
                                     0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    assert_int_equal(info->size, sizeof wanted);
    assert_memory_equal(info->data, wanted, sizeof wanted);
    assert_int_equal(info->reference_count, 2);
    assert_int_equal(info->references[0].offset, 15);
    assert_string_equal(info->references[0].variable->name, "depot");
    assert_int_equal(info->references[1].offset, 33);
    assert_ptr_equal(info->references[1].variable, ptx_find_function(module, "k")->params[0]);
    const ptx_section *strings = ptx_find_section(module, 0, ".debug_str");
    assert_int_equal(strings->size, 3);
    assert_memory_equal(strings->data, "\7A", 3);
    assert_null(ptx_find_section(module, 0, ".debug_line"));
    ptx_module_close(module);
}

// Which files are the user's: the toolkit's and the system's headers are not, by whatever path.
static void whose_file(void **state) {
    assert_true(
        ptx_is_foreign("/usr/local/cuda/bin/../targets/x86_64-linux/include/sm_20_atomic_functions.hpp"));
    assert_true(ptx_is_foreign("cuda/include/sm_20_atomic_functions.hpp")); // in the zoo
    assert_true(ptx_is_foreign("/usr/include/c++/12/cmath"));
    assert_false(ptx_is_foreign("/home/ada/src/reduce.cu"));
    assert_false(ptx_is_foreign("kernels/primitives/reduce/reduce.cuh"));
}

// What a linker leaves: texts one behind the other, with the same labels and numbers of files.
static void several_texts(void **state) {
    ptx_module *module = open_text(
        HEAD
        ".entry a() {\n.loc 1 7 0\n$L: ret; }\n.file 1 \"a.cu\"\n.section .debug_info { .b64 $L }\n"
        ".version 7.0\n.target sm_75\n.address_size 64\n"
        ".entry b() {\n.loc 1 9 0\n ret; $L: ret; }\n.file 1 \"b.cu\"\n.section .debug_info { .b64 $L }\n");
    assert_int_equal(module->file_count, 2);
    const ptx_location *first = &module->locations[ptx_find_function(module, "a")->insts[0].source];
    const ptx_location *second = &module->locations[ptx_find_function(module, "b")->insts[0].source];
    assert_string_equal(module->files[first->file].path, "a.cu");
    assert_string_equal(module->files[second->file].path, "b.cu");
    assert_int_equal(ptx_find_section(module, 0, ".debug_info")->data[0], 0);
    assert_int_equal(ptx_find_section(module, 1, ".debug_info")->data[0], 2);
    assert_null(ptx_find_section(module, 2, ".debug_info"));
    ptx_module_close(module);
}

// Line 0 is no line: what the compiler adds counts to what stands before it.
static void source_line_zero(void **state) {
    ptx_module *module = open_text(
        HEAD
        ".file 1 \"/home/me/a.cu\"\n"
        ".entry k() { .reg .b32 %r<3>; .loc 1 9 3\nmov.u32 %r1, 1; .loc 1 0 0\nmov.u32 %r2, 2; exit; }\n");
    const ptx_function *k = ptx_find_function(module, "k");
    assert_int_equal(k->insts[0].source, k->insts[1].source);
    assert_int_equal(module->locations[k->insts[1].source].line, 9);
    ptx_module_close(module);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whose_file),
        cmocka_unit_test(header),
        cmocka_unit_test(opcode_parts),
        cmocka_unit_test(roots_of_several_parts),
        cmocka_unit_test(hints_and_pairs_are_read),
        cmocka_unit_test(modifiers_by_opcode),
        cmocka_unit_test(guards_and_pairs),
        cmocka_unit_test(registers_are_made_when_used),
        cmocka_unit_test(constant_expressions),
        cmocka_unit_test(float_literals),
        cmocka_unit_test(scopes_hide_names),
        cmocka_unit_test(an_inner_range_hides_an_outer_one),
        cmocka_unit_test(products_of_debug_code_are_done_one_by_one),
        cmocka_unit_test(calls),
        cmocka_unit_test(branch_tables),
        cmocka_unit_test(variables),
        cmocka_unit_test(function_heads),
        cmocka_unit_test(unknown_instructions_are_kept),
        cmocka_unit_test(source_lines),
        cmocka_unit_test(source_lines_in_headers),
        cmocka_unit_test(source_line_zero),
        cmocka_unit_test(video_parts),
        cmocka_unit_test(aliases),
        cmocka_unit_test(debugging_sections),
        cmocka_unit_test(several_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
