// Figures of layouts: what kz layout draws.
#include "figures.h"
#include "ptx/layouts.h"
#include "report/layout/layout.h"

static kz_status draw(report_layout layout, const char *notation, base_text *svg, kz_error *error) {
    report_layout_grid grid = {0};
    kz_status status = notation ? base_composed_parse(notation, &layout.layout, error) : KZ_OK;
    if (!status) status = report_layout_open(&layout, &grid, error);
    if (!status) report_layout_svg(svg, &grid);
    report_layout_close(&grid);
    return status;
}

kz_status figure_layout_rows(figure_lab *lab, base_text *svg, kz_error *error) {
    (void)lab;
    return draw((report_layout){.name = "4 rows of 8, row by row"}, "(4,8):(8,1)", svg, error);
}

kz_status figure_layout_tiles(figure_lab *lab, base_text *svg, kz_error *error) {
    (void)lab;
    return draw((report_layout){.name = "The same matrix in tiles of 2 x 4, each contiguous"},
                "((2,2),(4,2)):((4,16),(1,8))", svg, error);
}

static kz_status draw_pieces(const char *name, const char *notation, base_text *svg, kz_error *error) {
    return draw((report_layout){.name = name, .banks = true, .bytes = 16}, notation, svg, error);
}

kz_status figure_layout_plain(figure_lab *lab, base_text *svg, kz_error *error) {
    (void)lab;
    return draw_pieces("Rows of 128 bytes, in pieces of 16", "(8,8):(8,1)", svg, error);
}

kz_status figure_layout_swizzled(figure_lab *lab, base_text *svg, kz_error *error) {
    (void)lab;
    return draw_pieces("The same rows, swizzled", "Sw<3,0,3> o 0 o (8,8):(8,1)", svg, error);
}

kz_status figure_layout_fragment(figure_lab *lab, base_text *svg, kz_error *error) {
    (void)lab;
    ptx_layout known;
    kz_status status = ptx_layout_named("mma.m16n8k16.f16.d", &known, error);
    if (status) return status;
    return draw((report_layout){.name = "mma.m16n8k16: the accumulators",
                                .layout = known.layout,
                                .threads = true,
                                .rows = known.rows,
                                .columns = known.columns,
                                .row = known.row,
                                .column = known.column,
                                .text = known.text},
                NULL, svg, error);
}
