// fails: result
// a / 2 + b / 2 never overflows, and loses a one if both are odd.
#include <limits.h>
void careful(const int *a, const int *b, int *middle, int *total, unsigned *distance, int n) {
    for (int i = 0; i < n; i++) {
        long long sum = (long long)a[i] + b[i];
        middle[i] = a[i] / 2 + b[i] / 2;
        total[i] = sum > INT_MAX ? INT_MAX : sum < INT_MIN ? INT_MIN : (int)sum;
        distance[i] = a[i] > b[i] ? (unsigned)a[i] - (unsigned)b[i] : (unsigned)b[i] - (unsigned)a[i];
    }
}
