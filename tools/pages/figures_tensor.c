// Figures of tensor cores: fragments, ldmatrix and its banks, a swizzle.
#include "figures.h"
#include "ptx/matrix.h"
#include "report/figures/figure.h"

enum { WARP = 32 };

static void number(char text[4], unsigned value) { snprintf(text, 4, "%u", value % 1000); }

// ---- fragments --------------------------------------------------------------------------------------

enum { FRAGMENT_ROWS = 16, A_COLUMNS = 16, B_COLUMNS = 8, D_COLUMNS = 8 };

// The cells of a part from column `left` on: the lane inside, the register as the colour.
static void draw_part(const ptx_matrix *matrix, ptx_matrix_part part, size_t left, char (*lanes)[4],
                      report_figure_row rows[FRAGMENT_ROWS]) {
    unsigned bits, registers = ptx_matrix_registers(matrix, part, &bits);
    unsigned elements = ptx_matrix_elements(matrix, part);
    ptx_fragment fragment;
    ptx_fragment_of(matrix, part, &fragment);
    for (unsigned lane = 0; lane < WARP; lane++)
        for (unsigned i = 0; i < elements; i++) {
            unsigned row, column;
            ptx_fragment_at(&fragment, lane, i, &row, &column);
            rows[row].tone[left + column] = (uint8_t)(i / (elements / registers));
            rows[row].inside[left + column] = lanes[lane];
        }
}

kz_status figure_fragments(figure_lab *lab, base_text *svg, kz_error *error) {
    (void)lab, (void)error;
    enum { B_LEFT = A_COLUMNS + 1, D_LEFT = B_LEFT + B_COLUMNS + 1, WIDTH = D_LEFT + D_COLUMNS };
    const ptx_matrix matrix = {
        .op = PTX_OP_MMA, .m = 16, .n = 8, .k = 16, .types = {PTX_F16, PTX_F16, PTX_F32, PTX_F32}};
    report_figure_row rows[FRAGMENT_ROWS] = {0};
    char lanes[WARP][4], names[FRAGMENT_ROWS][8];
    for (unsigned lane = 0; lane < WARP; lane++) number(lanes[lane], lane);
    for (unsigned r = 0; r < FRAGMENT_ROWS; r++) {
        snprintf(names[r], sizeof names[r], "row %u", r);
        rows[r].name = names[r];
        rows[r].count = WIDTH;
        for (size_t c = 0; c < WIDTH; c++) rows[r].tone[c] = REPORT_FIGURE_BLANK;
    }
    draw_part(&matrix, PTX_MATRIX_A, 0, lanes, rows);
    draw_part(&matrix, PTX_MATRIX_B, B_LEFT, lanes, rows);
    draw_part(&matrix, PTX_MATRIX_D, D_LEFT, lanes, rows);
    report_figure_rows_write(
        svg,
        &(report_figure_rows){
            .text =
                {"mma.m16n8k16: the lane that holds each element of A, B and D",
                 "From left to right: A (16 x 16), B (16 x 8), D (16 x 8). The number is the lane, the "
                 "colour "
                 "its register: blue 0, orange 1, green 2, violet 3. A register of A or B holds two halves "
                 "along k, one of D a float. From the table by which the simulator executes it."},
            .rows = rows,
            .count = FRAGMENT_ROWS,
            .name_width = 56,
            .cell_width = 18.5,
            .cell_height = 16});
    return KZ_OK;
}

// ---- ldmatrix ---------------------------------------------------------------------------------------

static figure_launch matrices(kz_ptr *out, int *stride, int *swizzled, int *first) {
    return (figure_launch){.kernel = "load_matrices",
                           .blocks = {1},
                           .threads = WARP,
                           .args = {out, stride, swizzled, first},
                           .arg_count = 4};
}

kz_status figure_ldmatrix_banks(figure_lab *lab, base_text *svg, kz_error *error) {
    enum { KINDS = 6 };
    static const struct {
        const char *name;
        int stride, swizzled, tone;
    } kinds[KINDS] = {{"rows of 32 bytes", 32, 0, 0},       {"rows of 64 bytes", 64, 0, 0},
                      {"rows of 128 bytes", 128, 0, 0},     {"128 bytes and 16 more", 144, 0, 2},
                      {"128 bytes and 32 more", 160, 0, 1}, {"128 bytes, swizzled", 128, 1, 2}};
    report_figure_bar bars[KINDS] = {0};
    char values[KINDS][32];
    double most = 0;
    int first = 0;
    kz_ptr out;
    kz_status status = figure_lab_buffer(lab, WARP * sizeof(unsigned), &out, error);
    for (int k = 0; k < KINDS && !status; k++) {
        int stride = kinds[k].stride, swizzled = kinds[k].swizzled;
        figure_launch launch = matrices(&out, &stride, &swizzled, &first);
        report_record record = {0};
        status = figure_lab_count(lab, &launch, &record, error);
        double count =
            status ? 0 : figure_metric(&record, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum");
        report_record_free(&record);
        snprintf(values[k], sizeof values[k], "%.0f wavefronts", count);
        bars[k] = (report_figure_bar){kinds[k].name, values[k], count, kinds[k].tone};
        most = count > most ? count : most;
    }
    if (status) return status;
    report_figure_bars_write(
        svg,
        &(report_figure_bars){
            .text =
                {"ldmatrix.x4: wavefronts that the fragment of A takes",
                 "16 rows, two pieces of 16 bytes of each: 512 bytes, so 4 wavefronts at best. Counted by "
                 "the simulator, one warp."},
            .bars = bars,
            .count = KINDS,
            .full = most});
    return KZ_OK;
}

// ---- the swizzle ------------------------------------------------------------------------------------

enum { PIECES = 8, SWIZZLE_ROWS = 8, PIECE_BYTES = 16 };

// Where ldmatrix found each row: the addresses of its lanes.
typedef struct row_trace {
    sim_listener listener; // first
    uint64_t address[WARP];
} row_trace;

static void row_access(sim_listener *self, const sim_access *access) {
    row_trace *t = (row_trace *)self;
    if (access->space != SIM_SHARED || access->kind != SIM_LOAD) return;
    for (int lane = 0; lane < WARP; lane++) t->address[lane] = access->addresses[lane];
}

kz_status figure_swizzle_128(figure_lab *lab, base_text *svg, kz_error *error) {
    enum { WIDTH = 2 * PIECES + 1 };
    report_figure_row rows[SWIZZLE_ROWS] = {0};
    char numbers[PIECES][4], names[SWIZZLE_ROWS][8];
    kz_ptr out;
    kz_status status = figure_lab_buffer(lab, WARP * sizeof(unsigned), &out, error);
    for (unsigned i = 0; i < PIECES; i++) number(numbers[i], i);
    for (unsigned r = 0; r < SWIZZLE_ROWS; r++) {
        snprintf(names[r], sizeof names[r], "row %u", r);
        rows[r].name = names[r];
        rows[r].count = WIDTH;
        rows[r].tone[PIECES] = REPORT_FIGURE_BLANK;
    }
    for (int swizzled = 0; swizzled < 2; swizzled++)
        for (int first = 0; first < PIECES && !status; first += 2) {
            int stride = PIECES * PIECE_BYTES;
            row_trace trace = {.listener = {.access = row_access}};
            figure_launch launch = matrices(&out, &stride, &swizzled, &first);
            status = figure_lab_run(lab, &launch, &trace.listener, error);
            for (int lane = 0; lane < WARP; lane++) {
                int row = lane % 16, piece = first + lane / 16;
                size_t place = trace.address[lane] / PIECE_BYTES % PIECES;
                if (row >= SWIZZLE_ROWS) continue;
                rows[row].tone[swizzled * (PIECES + 1) + place] = (uint8_t)(piece / 2);
                rows[row].inside[swizzled * (PIECES + 1) + place] = numbers[piece];
            }
        }
    if (status) return status;
    report_figure_rows_write(
        svg,
        &(report_figure_rows){
            .text = {"Rows of 128 bytes in shared memory: plain, and with the swizzle of 128 bytes",
                     "The number is the piece of 16 bytes that lies there. A column of the figure is 4 "
                     "banks. Equal numbers in one column conflict: on the left all 8 of a matrix, on the "
                     "right none. Addresses of ldmatrix, seen by the simulator."},
            .rows = rows,
            .count = SWIZZLE_ROWS,
            .name_width = 56,
            .cell_width = 36,
            .cell_height = 18});
    return KZ_OK;
}
