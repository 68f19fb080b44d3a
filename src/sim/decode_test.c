// Each instruction that ops.def says is simulated has an executor: a form of every one of them is decoded, as it would be
// for a launch. A new row needs a line here, and an executor that takes it.
#include <stdio.h>
#include <stdlib.h>

#include "sim/sim.h"
#include "unit.h"

static const char *const forms[] = {
    "add.s32 %r1, %r2, %r3;",
    "sub.s32 %r1, %r2, %r3;",
    "mul.lo.s32 %r1, %r2, %r3;",
    "mad.lo.s32 %r1, %r2, %r3, %r4;",
    "fma.rn.f32 %f1, %f2, %f3, %f4;",
    "div.s32 %r1, %r2, %r3;",
    "rem.s32 %r1, %r2, %r3;",
    "abs.s32 %r1, %r2;",
    "neg.s32 %r1, %r2;",
    "min.s32 %r1, %r2, %r3;",
    "max.s32 %r1, %r2, %r3;",
    "addc.s32 %r1, %r2, %r3;",
    "subc.s32 %r1, %r2, %r3;",
    "madc.lo.s32 %r1, %r2, %r3, %r4;",
    "mul24.lo.s32 %r1, %r2, %r3;",
    "mad24.lo.s32 %r1, %r2, %r3, %r4;",
    "sad.s32 %r1, %r2, %r3, %r4;",
    "dp4a.s32.s32 %r1, %r2, %r3, %r4;",
    "dp2a.lo.s32.s32 %r1, %r2, %r3, %r4;",
    "testp.finite.f32 %p1, %f1;",
    "copysign.f32 %f1, %f2, %f3;",
    "rcp.rn.f32 %f1, %f2;",
    "sqrt.rn.f32 %f1, %f2;",
    "rsqrt.approx.f32 %f1, %f2;",
    "sin.approx.f32 %f1, %f2;",
    "cos.approx.f32 %f1, %f2;",
    "lg2.approx.f32 %f1, %f2;",
    "ex2.approx.f32 %f1, %f2;",
    "tanh.approx.f32 %f1, %f2;",
    "set.lt.u32.s32 %r1, %r2, %r3;",
    "setp.lt.s32 %p1, %r1, %r2;",
    "selp.b32 %r1, %r2, %r3, %p1;",
    "slct.b32.s32 %r1, %r2, %r3, %r4;",
    "and.b32 %r1, %r2, %r3;",
    "or.b32 %r1, %r2, %r3;",
    "xor.b32 %r1, %r2, %r3;",
    "not.b32 %r1, %r2;",
    "cnot.b32 %r1, %r2;",
    "lop3.b32 %r1, %r2, %r3, %r4, 0x96;",
    "shf.l.wrap.b32 %r1, %r2, %r3, %r4;",
    "shl.b32 %r1, %r2, %r3;",
    "shr.b32 %r1, %r2, %r3;",
    "popc.b32 %r1, %r2;",
    "clz.b32 %r1, %r2;",
    "bfind.u32 %r1, %r2;",
    "fns.b32 %r1, %r2, %r3, %r4;",
    "brev.b32 %r1, %r2;",
    "bfe.u32 %r1, %r2, %r3, %r4;",
    "bfi.b32 %r1, %r2, %r3, %r4, %r5;",
    "bmsk.clamp.b32 %r1, %r2, %r3;",
    "szext.clamp.u32 %r1, %r2, %r3;",
    "prmt.b32 %r1, %r2, %r3, %r4;",
    "mov.u32 %r1, %r2;",
    "cvt.rn.f32.s32 %f1, %r1;",
    "cvt.pack.sat.u16.s32 %r1, %r2, %r3;",
    "cvta.global.u64 %d1, %d2;",
    "isspacep.global %p1, %d1;",
    "ld.global.u32 %r1, [%d1];",
    "ldu.global.u32 %r1, [%d1];",
    "st.global.u32 [%d1], %r1;",
    "atom.global.add.u32 %r1, [%d1], %r2;",
    "red.global.add.u32 [%d1], %r1;",
    "createpolicy.fractional.L2::evict_last.b64 %d1, 1.0;",
    "membar.gl;",
    "griddepcontrol.wait;",
    "griddepcontrol.launch_dependents;",
    "fence.sc.gpu;",
    "fence.proxy.async;",
    "fence.mbarrier_init.release.cluster;",
    "alloca.u64 %d1, %d2;",
    "stacksave.u64 %d1;",
    "stackrestore.u64 %d1;",
    "bar.sync 0;",
    "bar.arrive 0, 64;",
    "bar.red.popc.u32 %r1, 0, %p1;",
    "bar.warp.sync 0xffffffff;",
    "barrier.sync 0;",
    "barrier.arrive 0, 64;",
    "barrier.red.popc.u32 %r1, 0, %p1;",
    "barrier.cluster.arrive;",
    "barrier.cluster.wait;",
    "shfl.sync.idx.b32 %r1, %r2, %r3, 31, 0xffffffff;",
    "vote.sync.ballot.b32 %r1, %p1, 0xffffffff;",
    "match.any.sync.b32 %r1, %r2, 0xffffffff;",
    "activemask.b32 %r1;",
    "redux.sync.add.u32 %r1, %r2, 0xffffffff;",
    "elect.sync %r1|%p1, 0xffffffff;",
    "mapa.shared::cluster.u32 %r1, %r2, %r3;",
    "getctarank.shared::cluster.u32 %r1, %r2;",
    "bra done;",
    "brx.idx %r1, table;",
    "call twice;",
    "ret;",
    "exit;",
    "trap;",
    "nanosleep.u32 20;",
    "vadd.s32.s32.s32 %r1, %r2, %r3;",
    "vsub.s32.s32.s32 %r1, %r2, %r3;",
    "vabsdiff.s32.s32.s32 %r1, %r2, %r3;",
    "vmin.s32.s32.s32 %r1, %r2, %r3;",
    "vmax.s32.s32.s32 %r1, %r2, %r3;",
    "vshl.s32.s32.u32.clamp %r1, %r2, %r3;",
    "vshr.s32.s32.u32.clamp %r1, %r2, %r3;",
    "vmad.s32.s32.s32 %r1, %r2, %r3, %r4;",
    "vset.s32.s32.lt %r1, %r2, %r3;",
    "vadd2.s32.s32.s32 %r1, %r2, %r3, %r4;",
    "vsub2.s32.s32.s32 %r1, %r2, %r3, %r4;",
    "vavrg2.s32.s32.s32 %r1, %r2, %r3, %r4;",
    "vabsdiff2.s32.s32.s32 %r1, %r2, %r3, %r4;",
    "vmin2.s32.s32.s32 %r1, %r2, %r3, %r4;",
    "vmax2.s32.s32.s32 %r1, %r2, %r3, %r4;",
    "vset2.s32.s32.lt %r1, %r2, %r3, %r4;",
    "vadd4.s32.s32.s32 %r1, %r2, %r3, %r4;",
    "vsub4.s32.s32.s32 %r1, %r2, %r3, %r4;",
    "vavrg4.s32.s32.s32 %r1, %r2, %r3, %r4;",
    "vabsdiff4.s32.s32.s32 %r1, %r2, %r3, %r4;",
    "vmin4.s32.s32.s32 %r1, %r2, %r3, %r4;",
    "vmax4.s32.s32.s32 %r1, %r2, %r3, %r4;",
    "vset4.s32.s32.lt %r1, %r2, %r3, %r4;",
    "cp.async.ca.shared.global [%r1], [%d1], 4;",
    "cp.async.commit_group;",
    "cp.async.wait_group 0;",
    "cp.async.wait_all;",
    "cp.async.mbarrier.arrive.shared.b64 [%r1];",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%d1], %r2, [%r3];",
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%d1, {%r2, "
    "3}], [%r3];",
    "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster"
    " [%r1], [%d1, {%r2, 3, 4, %r4}], [%r3], {1, 2}, 3;",
    "cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group [%d1, {%r2, 3, 4}], [%r1];",
    "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%d1, {%r2}], [%r1];",
    "cp.async.bulk.prefetch.tensor.3d.L2.global.im2col [%d1, {%r2, 3, 4}], {7};",
    "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r1], 4, %r2;",
    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%d1], [%r1], "
    "128;",
    "cp.async.bulk.commit_group;",
    "cp.async.bulk.wait_group 0;",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d1], [%r1], %r2;",
    "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r2, [%r3];",
    "st.bulk.weak.shared::cta [%r1], %d1, 0;",
    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r1], %r2, [%r3];",
    "mbarrier.init.shared.b64 [%r1], %r2;",
    "mbarrier.inval.shared.b64 [%r1];",
    "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], %r2;",
    "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r1], %r2;",
    "mbarrier.arrive.shared.b64 %d1, [%r1];",
    "mbarrier.arrive_drop.shared.b64 %d1, [%r1];",
    "mbarrier.test_wait.shared.b64 %p1, [%r1], %d1;",
    "mbarrier.try_wait.shared.b64 %p1, [%r1], %d1;",
    "mbarrier.pending_count.b64 %r1, %d1;",
    "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;",
    "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r1, %r2}, [%r3];",
    "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%r2};",
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, "
    "%r6}, "
    "{%f1, %f2, %f3, %f4};",
    "wmma.load.a.sync.aligned.row.m16n16k16.global.bf16 {%r1, %r2, %r3, %r4}, [%d1], %r5;",
    "setmaxnreg.dec.sync.aligned.u32 40;",
    "wgmma.fence.sync.aligned;",
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %d1, %d2, %p1, 1, 1, 0, 0;",
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %d1, %d2, 1, 1, 1, 0, 0;",
    "wgmma.commit_group.sync.aligned;",
    "wgmma.wait_group.sync.aligned 0;",
    "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f5, %f6}];",
    "tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f5, %f6}];",
    "txq.width.b32 %r1, [%d1];",
    "suld.b.2d.b32.trap %r1, [%d1, {%r2, %r3}];",
    "sust.b.2d.b32.trap [%d1, {%r2, %r3}], %r1;",
    "suq.width.b32 %r1, [%d1];",
    "brkpt;",
};

enum { WHY = 200 };

static void note(void *context, const ptx_inst *inst, const char *why) { snprintf(context, WHY, "%s", why); }

// Decodes a kernel of this one instruction; gives what instruction it is.
static ptx_op decode(const char *form) {
    base_text text = {0};
    base_text_add(&text,
                  ".version 8.6\n.target sm_100\n.address_size 64\n"
                  ".func twice() {\n    ret;\n}\n"
                  ".visible .entry form() {\n"
                  "    .reg .pred %%p<3>; .reg .b32 %%r<7>; .reg .f32 %%f<7>; .reg .b64 %%d<4>;\n"
                  "    table: .branchtargets done, done;\n"
                  "    %s\n"
                  "done:\n    ret;\n}\n",
                  form);
    ptx_module *module;
    kz_error error = {0};
    char why[WHY] = "";
    if (ptx_module_open("form.ptx", text.data, text.length, &module, &error)) fail_msg("%s", error.message);
    if (sim_module_check(module, 0, note, why, &error)) fail_msg("%s: %s", form, error.message);
    if (why[0]) fail_msg("%s is not decoded: %s", form, why);
    ptx_op op = ptx_find_function(module, "form")->insts[0].op;
    ptx_module_close(module);
    base_text_free(&text);
    return op;
}

static void every_simulated_row_has_an_executor(void **state) {
    static bool decoded[PTX_OP_COUNT];
    for (size_t i = 0; i < BASE_COUNT(forms); i++) decoded[decode(forms[i])] = true;
    for (int op = 1; op < PTX_OP_COUNT; op++)
        if (ptx_op_get((ptx_op)op)->support == PTX_SUPPORT_SIMULATED && !decoded[op])
            fail_msg("ops.def says that %s is simulated: decode_test.c has no form of it",
                     ptx_op_root((ptx_op)op));
}

// What the table takes and the decoder does not is told: a form without an executor, in a function that a kernel calls.
static void the_decoder_has_the_word(void **state) {
    static const char text[] = ".version 8.6\n.target sm_100\n.address_size 64\n"
                               ".func (.param .b32 out) strange(.param .b32 in);\n"
                               ".visible .entry form() {\n"
                               "    .param .b32 a; .param .b32 b;\n"
                               "    call (a), strange, (b);\n"
                               "    ret;\n}\n";
    ptx_module *module;
    kz_error error = {0};
    char why[WHY] = "";
    assert_int_equal(ptx_module_open("strange.ptx", text, sizeof text - 1, &module, &error), KZ_OK);
    assert_true(ptx_is_simulated(&ptx_find_function(module, "form")->insts[0], NULL));
    assert_int_equal(sim_module_check(module, 0, note, why, &error), KZ_OK);
    assert_has(why, "has no body");
    ptx_module_close(module);
}

// Shapes that no GPU has and lists of another length are told with the rule.
static void wrong_matrices_are_reported(void **state) {
    static const struct {
        const char *form, *why;
    } wrong[] = {
        {"wgmma.mma_async.sync.aligned.m64n60k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, %d1, %d2, 1, 1, 1, 0, 0;",
         "no GPU up to sm_90 has the shape m64n60k16"},
        {"wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, %d1, %d2, 1, 1, 1, 0, 0;",
         "D has 8 registers of 32 bits in each thread, and 4 are given"},
        {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, {%r1,%r2}, %d2, 1, 1, 1, 0;",
         "A has 4 registers of 32 bits in each thread, and 2 are given"},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, %r5, "
         "{%f1,%f2,%f3,%f4};",
         "B has 2 registers of 32 bits in each thread, and 1 is given"},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%d1}, {%r1,%r2}, "
         "{%f1,%f2,%f3,%f4};",
         "one of those given has another width"},
        {"mma.sync.aligned.m16n8k17.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r1,%r2}, "
         "{%f1,%f2,%f3,%f4};",
         "no GPU up to sm_90 has the shape m16n8k17"},
        {"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1,%r2}, [%r3];", "the list has 4 registers"},
        {"add.quickly.u32 %r1, %r2, %r3;", "'.quickly' is not a modifier known of 'add'"},
    };
    for (size_t i = 0; i < BASE_COUNT(wrong); i++) {
        base_text text = {0};
        base_text_add(&text,
                      ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry form() {\n"
                      "    .reg .b32 %%r<7>; .reg .f32 %%f<7>; .reg .b64 %%d<4>;\n    %s\n    ret;\n}\n",
                      wrong[i].form);
        ptx_module *module;
        kz_error error = {0};
        char why[WHY] = "";
        if (ptx_module_open("wrong.ptx", text.data, text.length, &module, &error))
            fail_msg("%s", error.message);
        assert_int_equal(sim_module_check(module, 0, note, why, &error), KZ_OK);
        assert_has(why, wrong[i].why);
        ptx_module_close(module);
        base_text_free(&text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_matrices_are_reported),
        cmocka_unit_test(every_simulated_row_has_an_executor),
        cmocka_unit_test(the_decoder_has_the_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
