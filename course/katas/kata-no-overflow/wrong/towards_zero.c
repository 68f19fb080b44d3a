// fails: result
// Rounds towards zero: the middle of -3 and 0 becomes -1.
#include <limits.h>
void careful(const int *a, const int *b, int *middle, int *total, unsigned *distance, int n) {
    for (int i = 0; i < n; i++) {
        long long sum = (long long)a[i] + b[i];
        middle[i] = (int)(sum / 2);
        total[i] = sum > INT_MAX ? INT_MAX : sum < INT_MIN ? INT_MIN : (int)sum;
        distance[i] = a[i] > b[i] ? (unsigned)a[i] - (unsigned)b[i] : (unsigned)b[i] - (unsigned)a[i];
    }
}
