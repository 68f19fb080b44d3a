// What ptxas (13.0, sm_90a) takes of instructions with tensor maps is taken here, and what it refuses is refused.
#include <stdio.h>
#include <string.h>

#include "ptx/ptx.h"
#include "unit.h"

static const char *const taken[] = {
    "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [sm], [%rd1, {%r0}], [bar];",
    "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [sm], [%rd1, {%r0}], "
    "[bar];",
    "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes.tile [sm], [%rd1, {%r0}], "
    "[bar];",
    "cp.async.bulk.tensor.shared::cluster.global.1d.tile.mbarrier::complete_tx::bytes [sm], [%rd1, {%r0}], "
    "[bar];",
    "cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes [sm], [%rd1, {%r0}], "
    "[bar];",
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [sm], [%rd1, {%r0, "
    "5}], [bar];",
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [sm], [%rd1, {-1, 5}], "
    "[bar];",
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [sm], [gmap, {-1, 5}], "
    "[bar];",
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [sm+128], [%rd1, {-1, "
    "5}], [bar];",
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
    "[sm], [%rd1, {%r0,%r1}], [bar], %h0;",
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
    "[sm], [%rd1, {%r0,%r1}], [bar], 3;",
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::"
    "cache_hint [sm], [%rd1, {%r0,%r1}], [bar], %h0, %rd3;",
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint."
    "multicast::cluster [sm], [%rd1, {%r0,%r1}], [bar], %h0, %rd3;",
    "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [sm], [%rd1, "
    "{%r0,%r1}], [bar], %rd3;",
    "cp.async.bulk.tensor.2d.shared::cluster.global.multicast::cluster.mbarrier::complete_tx::bytes [sm], "
    "[%rd1, {%r0,%r1}], [bar], %h0;",
    "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [sm], [%rd1, "
    "{%r0,%r1,%r2}], [bar], {%h0};",
    "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [sm], [%rd1, "
    "{%r0,%r1,%r2}], [bar], {2};",
    "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster "
    "[sm], [%rd1, {%r0,%r1,%r2,%r2}], [bar], {%h0,%h1}, %h1;",
    "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {%r0,%r1}], [sm];",
    "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {%r0,%r1}], [sm];",
    "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group.tile [%rd1, {%r0,%r1}], [sm];",
    "cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group [%rd1, {%r0,%r1,%r2}], [sm];",
    "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group.L2::cache_hint [%rd1, {%r0,%r1}], [sm], %rd3;",
    "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%rd1, {%r0}], [sm];",
    "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group [%rd1, {%r0}], [sm];",
    "cp.reduce.async.bulk.tensor.1d.add.global.shared::cta.bulk_group [%rd1, {%r0}], [sm];",
    "cp.reduce.async.bulk.tensor.1d.global.shared::cta.bulk_group.add [%rd1, {%r0}], [sm];",
    "cp.reduce.async.bulk.tensor.3d.global.shared::cta.xor.im2col_no_offs.bulk_group [%rd1, {%r0,%r1,%r2}], "
    "[sm];",
    "cp.reduce.async.bulk.tensor.1d.global.shared::cta.inc.tile.bulk_group.L2::cache_hint [%rd1, {%r0}], "
    "[sm], %rd3;",
    "cp.async.bulk.prefetch.tensor.1d.L2.global [%rd1, {%r0}];",
    "cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%rd1, {%r0}];",
    "cp.async.bulk.prefetch.tensor.3d.L2.global.im2col [%rd1, {%r0,%r1,%r2}], {%h0};",
    "cp.async.bulk.prefetch.tensor.3d.L2.global.im2col.L2::cache_hint [%rd1, {%r0,%r1,%r2}], {%h0}, %rd3;",
    "cp.async.bulk.prefetch.tensor.1d.L2.global.tile.L2::cache_hint [%rd1, {%r0}], %rd3;",
    "prefetch.tensormap [%rd1];",
    "prefetch.const.tensormap [cmap];",
    "prefetch.param.tensormap [pmap];",
    "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;",
    "fence.proxy.tensormap::generic.acquire.cta [%rd1], 128;",
    "fence.proxy.tensormap::generic.release.gpu;",
    "tensormap.replace.tile.global_address.global.b1024.b64 [%rd1], %rd3;",
    "tensormap.replace.tile.global_address.b1024.b64 [%rd1], %rd3;",
    "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [sm], %rd3;",
    "tensormap.replace.tile.global_address.b1024.b64 [%rd1+256], 4096;",
    "tensormap.replace.tile.rank.b1024.b32 [%rd1], %r1;",
    "tensormap.replace.tile.rank.b1024.b32 [%rd1], 4;",
    "tensormap.replace.tile.rank.b1024.b32 [%rd1], 5;",
    "tensormap.replace.tile.box_dim.b1024.b32 [%rd1], 4, %r1;",
    "tensormap.replace.tile.global_stride.b1024.b64 [%rd1], 3, %rd3;",
    "tensormap.replace.tile.global_stride.b1024.b64 [%rd1], 4, %rd3;",
    "tensormap.replace.tile.element_stride.b1024.b32 [%rd1], 4, %r1;",
    "tensormap.replace.tile.element_stride.b1024.b32 [%rd1], 4, 8;",
    "tensormap.replace.tile.elemtype.b1024.b32 [%rd1], 12;",
    "tensormap.replace.tile.interleave_layout.b1024.b32 [%rd1], 2;",
    "tensormap.replace.tile.swizzle_mode.b1024.b32 [%rd1], 3;",
    "tensormap.replace.tile.fill_mode.b1024.b32 [%rd1], 1;",
    "tensormap.replace.rank.tile.b1024.b32 [%rd1], 1;",
    "tensormap.replace.tile.rank.b32.b1024 [%rd1], 1;",
    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [gmap], [sm], "
    "128;",
    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.cta.sync.aligned [gmap], [sm], "
    "128;",
    "tensormap.cp_fenceproxy.global.shared::cta.release.gpu.tensormap::generic.sync.aligned [gmap], [sm], "
    "128;",
};

static const char *const refused[] = {
    "cp.async.bulk.tensor.1d.shared.global.tile.mbarrier::complete_tx::bytes [sm], [%rd1, {%r0}], [bar];",
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [sm], [cmap, {-1, 5}], "
    "[bar];",
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [sm], [pmap, {-1, 5}], "
    "[bar];",
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [sm], [%rd1+128, {-1, "
    "5}], [bar];",
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [sm], [%rd1, {%r0}], "
    "[bar];",
    "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [sm], [%rd1, %r0], "
    "[bar];",
    "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [sm], "
    "[%rd1, {%r0,%r1}], [bar], %h0;",
    "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [sm], [%rd1, "
    "{%r0,%r1,%r2}], [bar], %h0;",
    "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [sm], [%rd1, "
    "{%r0,%r1,%r2}], [bar];",
    "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [sm], [%rd1, "
    "{%r0,%r1,%r2,%r2}], [bar], {%h0};",
    "cp.async.bulk.tensor.2d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [sm], [%rd1, "
    "{%r0,%r1}], [bar], {%h0};",
    "cp.async.bulk.tensor.3d.shared::cluster.global.im2col_no_offs.mbarrier::complete_tx::bytes [sm], [%rd1, "
    "{%r0,%r1,%r2}], [bar];",
    "cp.async.bulk.tensor.2d.global.shared.bulk_group [%rd1, {%r0,%r1}], [sm];",
    "cp.async.bulk.tensor.2d.global.shared::cluster.bulk_group [%rd1, {%r0,%r1}], [sm];",
    "cp.async.bulk.tensor.3d.global.shared::cta.im2col.bulk_group [%rd1, {%r0,%r1,%r2}], [sm];",
    "cp.async.bulk.tensor.2d.global.shared::cta [%rd1, {%r0,%r1}], [sm];",
    "cp.reduce.async.bulk.tensor.3d.global.shared::cta.xor.im2col.bulk_group [%rd1, {%r0,%r1,%r2}], [sm];",
    "prefetch.param::entry.tensormap [pmap];",
    "prefetch.global.tensormap [gmap];",
    "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 64;",
    "fence.proxy.tensormap::generic.acquire.gpu;",
    "fence.proxy.tensormap::generic.release.gpu [%rd1], 128;",
    "fence.proxy.tensormap::generic [%rd1], 128;",
    "fence.proxy.tensormap::generic.acquire [%rd1], 128;",
    "fence.proxy.tensormap::generic.acquire.gpu [%rd1], %r0;",
    "tensormap.replace.tile.global_address.shared.b1024.b64 [sm], %rd3;",
    "tensormap.replace.tile.box_dim.b1024.b32 [%rd1], 5, %r1;",
    "tensormap.replace.tile.box_dim.b1024.b32 [%rd1], %r0, %r1;",
    "tensormap.replace.tile.global_stride.b1024.b32 [%rd1], 3, %r1;",
    "tensormap.replace.tile.elemtype.b1024.b32 [%rd1], 13;",
    "tensormap.replace.tile.elemtype.b1024.b32 [%rd1], %r0;",
    "tensormap.replace.tile.interleave_layout.b1024.b32 [%rd1], 3;",
    "tensormap.replace.tile.swizzle_mode.b1024.b32 [%rd1], 4;",
    "tensormap.replace.tile.fill_mode.b1024.b32 [%rd1], 2;",
    "tensormap.replace.im2col.rank.b1024.b32 [%rd1], 1;",
    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [gmap], [sm], "
    "64;",
    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync [gmap], [sm], 128;",
    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.acquire.gpu.sync.aligned [gmap], [sm], "
    "128;",
};

// Well-formed for a newer GPU: the module loads, and the instruction says why it cannot run.
static const char *const newer[] = {
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes [sm], [%rd1, "
    "{%r0,%r1,%r2,%r3,%r4}], [bar];",
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::1 [sm], "
    "[%rd1, {%r0,%r1}], [bar];",
    "cp.async.bulk.tensor.4d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes [sm], [%rd1, "
    "{%r0,%r1,%r2,%r2}], [bar], {%h0,%h1};",
    "cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4 [%rd1, {%r0,%r1,%r2,%r3,%r4}];",
    "tensormap.replace.tile.swizzle_atomicity.b1024.b32 [%rd1], 0;",
};

static kz_status open(const char *instruction, ptx_module **module, kz_error *error) {
    static char text[2048];
    snprintf(text, sizeof text,
             ".version 9.0\n.target sm_90a\n.address_size 64\n"
             ".const .align 128 .b8 cmap[128];\n.global .align 128 .b8 gmap[128];\n"
             ".visible .entry k(.param .align 128 .b8 pmap[128]) {\n"
             ".shared .align 128 .b8 sm[1024];\n.shared .align 8 .b8 bar[8];\n"
             ".reg .b64 %%rd<9>; .reg .b32 %%r<9>; .reg .b16 %%h<5>;\n%s\nret;\n}\n",
             instruction);
    return ptx_module_open("k.ptx", text, strlen(text), module, error);
}

static void ptxas_takes(void **state) {
    for (size_t i = 0; i < BASE_COUNT(taken); i++) {
        ptx_module *module;
        kz_error error = {0};
        const char *why = NULL;
        if (open(taken[i], &module, &error)) fail_msg("%s\n%s", taken[i], error.message);
        if (!ptx_is_simulated(&ptx_find_function(module, "k")->insts[0], &why))
            fail_msg("%s: %s", taken[i], why);
        ptx_module_close(module);
    }
}

// Either the module is wrong, or the instruction is unknown: a modifier may belong to a newer PTX.
static void ptxas_refuses(void **state) {
    for (size_t i = 0; i < BASE_COUNT(refused); i++) {
        ptx_module *module;
        kz_error error = {0};
        if (open(refused[i], &module, &error)) {
            assert_true(strlen(error.message) > 0);
            continue;
        }
        if (ptx_is_simulated(&ptx_find_function(module, "k")->insts[0], NULL))
            fail_msg("taken: %s", refused[i]);
        ptx_module_close(module);
    }
}

static void newer_gpus_have(void **state) {
    for (size_t i = 0; i < BASE_COUNT(newer); i++) {
        ptx_module *module;
        kz_error error = {0};
        const char *why = "";
        if (open(newer[i], &module, &error)) fail_msg("%s\n%s", newer[i], error.message);
        assert_false(ptx_is_simulated(&ptx_find_function(module, "k")->insts[0], &why));
        assert_non_null(strstr(why, "only from sm_100 on"));
        ptx_module_close(module);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ptxas_takes),
        cmocka_unit_test(ptxas_refuses),
        cmocka_unit_test(newer_gpus_have),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
