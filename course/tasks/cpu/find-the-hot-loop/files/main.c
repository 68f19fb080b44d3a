// A program around records(), to profile it. Build and profile it with:
//     cc -O1 -g -fno-inline files/main.c find-the-hot-loop.c -lm -o hot
//     valgrind --tool=callgrind --callgrind-out-file=profile ./hot
//     callgrind_annotate profile
#include <stdio.h>

enum { READINGS = 2048 };

void records(const float *x, float *smoothed, int *is_record, int n);

static float x[READINGS], smoothed[READINGS];
static int is_record[READINGS];

int main(void) {
    unsigned state = 1;
    int count = 0;
    for (int i = 0; i < READINGS; i++) {
        state = state * 1664525u + 1013904223u;
        x[i] = (float)(state >> 8) / 16777216.0f;
    }
    records(x, smoothed, is_record, READINGS);
    for (int i = 0; i < READINGS; i++) count += is_record[i];
    printf("%d records among %d readings\n", count, READINGS);
    return 0;
}
