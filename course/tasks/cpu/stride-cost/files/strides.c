// Reads COUNT floats that lie STRIDE floats apart, ROUNDS times over.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile char other[1 << 18];

int main(int argc, char **argv) {
    if (argc != 4) return fprintf(stderr, "usage: strides COUNT STRIDE ROUNDS\n"), 2;
    size_t count = strtoul(argv[1], NULL, 10), stride = strtoul(argv[2], NULL, 10), rounds = strtoul(argv[3], NULL, 10);
    size_t bytes = (count * stride * sizeof(float) + 4095) / 4096 * 4096;
    volatile float *a = aligned_alloc(4096, bytes);
    float sum = 0.0f;
    if (!a) return 1;
    memset((void *)a, 0, bytes);
    for (size_t i = 0; i < sizeof other; i += 64) other[i] = 1; // nothing of the array is left in the cache
    for (size_t r = 0; r < rounds; r++)
        for (size_t i = 0; i < count; i++) sum += a[i * stride];
    return sum != 0.0f;
}
