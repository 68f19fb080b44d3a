// Tiles of two widths: how many columns of tiles are wide.
#include "gemm/two_widths.h"

enum { SEARCHED = 96 }; // columns of wide tiles, from as many as there can be down
// What a narrow tile takes more than its share of a wide one's columns, in thousandths: 256 x 128 beside 256 x 192
// (kernels/gemm/gemm/tiles.def).
enum { NARROW_MORE = 35 };

// What a block has to do, in thousandths of columns.
static uint64_t load_of(const gemm_widths *w, uint32_t wide_n, uint32_t narrow_n) {
    return w->most_wide * wide_n * 1000 + w->most_narrow * narrow_n * (1000 + NARROW_MORE);
}

// Tiles of the block that is `turn` turns behind the one whose turn it is first.
static uint64_t count_turns(uint64_t tiles, uint64_t turn, uint64_t blocks) {
    return tiles > turn ? (tiles - turn - 1) / blocks + 1 : 0;
}

static void find_most(gemm_widths *w, uint64_t down, uint32_t wide_n, uint32_t narrow_n, uint64_t blocks) {
    uint64_t wide = w->wide * down, narrow = w->narrow * down, most = 0;
    for (uint64_t block = 0; block < blocks; block++) {
        gemm_widths one = {.most_wide = count_turns(wide, block, blocks),
                           .most_narrow =
                               count_turns(narrow, (block + blocks - wide % blocks) % blocks, blocks)};
        if (load_of(&one, wide_n, narrow_n) <= most) continue;
        most = load_of(&one, wide_n, narrow_n);
        w->most_wide = one.most_wide, w->most_narrow = one.most_narrow;
    }
}

gemm_widths gemm_choose_widths(uint64_t down, uint64_t columns, uint32_t wide_n, uint32_t narrow_n,
                               uint64_t blocks) {
    gemm_widths best = {0};
    uint64_t most = kz_ceil_div(columns, wide_n), least = most > SEARCHED ? most - SEARCHED : 0;
    for (uint64_t wide = most + 1; wide-- > least;) {
        uint64_t covered = wide * wide_n;
        gemm_widths w = {.wide = wide,
                         .narrow = covered < columns ? kz_ceil_div(columns - covered, narrow_n) : 0};
        find_most(&w, down, wide_n, narrow_n, blocks);
        if (wide == most || load_of(&w, wide_n, narrow_n) < load_of(&best, wide_n, narrow_n)) best = w;
    }
    return best;
}
