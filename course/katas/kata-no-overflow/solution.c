// middle: (a + b) / 2 rounded down; total: a + b held within an
// int; distance: |a - b|.
#include <limits.h>

void careful(const int *a, const int *b, int *middle, int *total,
             unsigned *distance, int n) {
    for (int i = 0; i < n; i++) {
        // kz: begin
        long long sum = (long long)a[i] + b[i];
        // an even number: nothing is left to round
        middle[i] = (int)((sum - (sum & 1)) / 2);
        total[i] = sum > INT_MAX   ? INT_MAX
                   : sum < INT_MIN ? INT_MIN
                                   : (int)sum;
        distance[i] = a[i] > b[i] ? (unsigned)a[i] - (unsigned)b[i]
                                  : (unsigned)b[i] - (unsigned)a[i];
        // kz: starter
        //|         middle[i] = (a[i] + b[i]) / 2;
        //|         total[i] = a[i] + b[i];
        //|         distance[i] = a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
        // kz: end
    }
}
