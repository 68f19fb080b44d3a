// What the tests of the row frame share: y = the row's sum, and 1000 times its largest element, and x - (column % 3 + 1),
// which is 0 where x repeats 1 2 3 and columns is a multiple of 3.
#include "kz/device/row.cuh"

struct sum_and_max {
    struct value {
        float sum, max;
    };
    static __device__ value identity() { return {0.0f, -1.0f}; }
    static __device__ value combine(value a, value b) { return {a.sum + b.sum, fmaxf(a.max, b.max)}; }
};

template <typename T> struct test_program : kz_row_program<T> {
    const T *x;
    T *y;
    float *largest; // of each row
    __device__ const T *array(int) const { return x; }
    template <class Row> __device__ void run(Row &row) {
        sum_and_max::value total = row.template fold<sum_and_max>(
            [&](sum_and_max::value v, const typename Row::unit &unit, const kz_row_at &at) {
                for (int e = 0; e < kz_row_elements<T>(); e++)
                    if (at.inside(e)) v = sum_and_max::combine(v, {unit.get(0, e), unit.get(0, e)});
                return v;
            });
        if (row.leader()) largest[row.row()] = total.max;
        row.write([&](const typename Row::unit &unit, const kz_row_at &at) {
            float out[kz_row_elements<T>()];
            for (int e = 0; e < kz_row_elements<T>(); e++)
                out[e] = unit.get(0, e) - (float)((at.column + e) % 3 + 1) + total.sum;
            kz_row_put_float(y, at, out);
        });
    }
};
