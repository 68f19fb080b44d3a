// fails: result
// Forgets that the roofline has a flat part.
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void summarise(const double *seconds, const double *work, const double *machine, double *figures, int n) {
    double *sorted = malloc(n * sizeof *sorted);
    memcpy(sorted, seconds, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare);
    double median = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    figures[0] = median;
    figures[1] = (sorted[n * 3 / 4] - sorted[n / 4]) / median;
    figures[2] = work[0] / median / 1e9;
    figures[3] = work[1] / median / 1e9;
    figures[4] = work[1] / work[0];
    double by_memory = machine[0] * figures[4];
    figures[5] = (by_memory) / 1e9;
    figures[6] = figures[3] / figures[5];
    free(sorted);
}
