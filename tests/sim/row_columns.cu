// launch: grid 1 block 32
// arg: x f32[51] = 5 1 2 3 4
// arg: w u16[10] = 16384
// arg: y u16[50] = 7
// arg: sums f32[10] = 0
// expect: y = 16384 16512 16576 16640 16672 16384 16512 16576 16640 16672 16384 16512 16576 16640 16672
// expect: sums = 5 10 15 20 25 5 10 15 20 25

// The row frame as a norm's backward pass uses it: sums per column over a block's rows, in the registers of whoever has the
// column in every row (FROM_START), whatever the row's address; a weight per column and an output of another type.
#include "kz/device/row.cuh"

struct column_sums : kz_row_program<float> {
    static const bool FROM_START = true;
    const float *x;
    const kz_bf16 *w;
    kz_bf16 *y;
    float of_column[1][4] = {};
    __device__ column_sums(const float *x_, const kz_bf16 *w_, kz_bf16 *y_) : x(x_), w(w_), y(y_) {}
    __device__ const float *array(int) const { return x; }
    template <class Row> __device__ void run(Row &row) {
        row.write([&](const typename Row::unit &unit, const kz_row_at &at) {
            float out[4];
            kz_bf16 weight[4] = {};
            kz_row_get_column(weight, w, at);
            for (int e = 0; e < 4; e++) {
                of_column[at.unit][e] += unit.get(0, e);
                out[e] = unit.get(0, e) * kz_widen(weight[e]);
            }
            kz_row_put_float(y, at, out);
        });
    }
};

extern "C" __global__ void row_columns(const float *x, const kz_bf16 *w, kz_bf16 *y, float *sums) {
    column_sums program(x + 1, w, y);
    kz_rows_block<column_sums, 1>(program, 5, 10);
    for (int e = 0; e < 4; e++)
        if (threadIdx.x * 4 + e < 10) sums[threadIdx.x * 4 + e] = program.of_column[0][e];
}
