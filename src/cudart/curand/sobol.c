// Sobol' sequences: point p is the XOR of the direction numbers for the bits of p's Gray code, as Antonov and Saleev have
// it, so that from point to point one number changes.
//
// Dimension d has the d-th primitive polynomial over GF(2), which gives all direction numbers from the first ones. These
// are Joe and Kuo's as far as sobol.def goes, up to dimension 1111: the numbers are cuRAND's own. Further dimensions, and
// scrambling (a random lower triangular matrix and a shift, by Matousek), are of our own random bits.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "curand.h"

static const uint16_t first_numbers[] = {
#include "sobol.def"
};

enum { TABLED = 1111, OWN_KEY = 0x536f626f }; // dimensions of the table; the seed of our own bits

// ---- primitive polynomials --------------------------------------------------------------------------------

static unsigned degree_of(uint32_t polynomial) { return 31u - (unsigned)__builtin_clz(polynomial); }

static uint32_t multiply(uint32_t a, uint32_t b, uint32_t polynomial) {
    uint32_t top = 1u << degree_of(polynomial), product = 0;
    for (; b; b >>= 1) {
        if (b & 1) product ^= a;
        a <<= 1;
        if (a & top) a ^= polynomial;
    }
    return product;
}

static uint32_t power_of_x(uint32_t exponent, uint32_t polynomial) {
    uint32_t result = 1, x = polynomial == 3 ? 1 : 2;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1) result = multiply(result, x, polynomial);
        x = multiply(x, x, polynomial);
    }
    return result;
}

// x generates all 2^degree - 1 elements: no power of it is 1 before that one.
static bool is_primitive(uint32_t polynomial) {
    uint32_t order = (1u << degree_of(polynomial)) - 1, rest = order;
    if (power_of_x(order, polynomial) != 1) return false;
    for (uint32_t p = 2; rest > 1; p++) {
        if (p * p > rest) p = rest;
        if (rest % p) continue;
        if (order > p && power_of_x(order / p, polynomial) == 1) return false;
        while (rest % p == 0) rest /= p;
    }
    return true;
}

uint32_t *sobol_polynomials(unsigned dimensions) {
    uint32_t *list = malloc((dimensions + 1) * sizeof *list), next = 3;
    for (unsigned d = 1; list && d < dimensions; d++, next += 2) {
        while (!is_primitive(next)) next += 2;
        list[d] = next;
    }
    return list;
}

// ---- direction numbers ------------------------------------------------------------------------------------

static uint64_t own_bits(unsigned dimension, unsigned index) {
    uint32_t four[4];
    curand_philox(OWN_KEY, (uint64_t)dimension << 32 | index, four);
    return (uint64_t)four[0] << 32 | four[1];
}

// The first numbers of a dimension: from the table, or odd ones that fit.
static void put_first_numbers(const uint32_t *polynomials, unsigned dimension, uint64_t *directions) {
    size_t from = 0;
    for (unsigned d = 1; d < dimension && dimension < TABLED; d++) from += degree_of(polynomials[d]);
    for (unsigned i = 0; i < degree_of(polynomials[dimension]); i++) {
        uint64_t own = (own_bits(dimension, i) & ((UINT64_C(2) << i) - 1)) | 1;
        directions[i] = (dimension < TABLED ? first_numbers[from + i] : own) << (63 - i);
    }
}

// Bit by bit from the top: each is itself XOR some above it, so that leading zeros stay.
static void scramble(unsigned dimension, uint64_t directions[SOBOL_BITS]) {
    uint64_t result[SOBOL_BITS] = {0};
    for (unsigned bit = 0; bit < 64; bit++) {
        uint64_t own = UINT64_C(1) << (63 - bit);
        uint64_t row = own | (own_bits(dimension, 64 + bit) & ~(own | (own - 1)));
        for (unsigned i = 0; i < SOBOL_BITS; i++)
            if (__builtin_parityll(directions[i] & row)) result[i] |= own;
    }
    memcpy(directions, result, sizeof result);
}

void sobol_directions(const uint32_t *polynomials, unsigned dimension, bool scrambled,
                      uint64_t directions[SOBOL_BITS]) {
    if (dimension) put_first_numbers(polynomials, dimension, directions);
    unsigned degree = dimension ? degree_of(polynomials[dimension]) : 0;
    for (unsigned i = degree; i < SOBOL_BITS; i++) {
        uint64_t number = UINT64_C(1) << (63 - i); // dimension 0 reverses the bits of a point's Gray code
        if (dimension) number = directions[i - degree] ^ directions[i - degree] >> degree;
        for (unsigned k = 1; k < degree; k++)
            if (polynomials[dimension] >> (degree - k) & 1) number ^= directions[i - k];
        directions[i] = number;
    }
    if (scrambled) scramble(dimension, directions);
}

uint64_t sobol_constant(unsigned dimension) { return own_bits(dimension, 128); }

// ---- distributions ----------------------------------------------------------------------------------------

// The z that a normal number exceeds with a probability of p, at most 1/2. Abramowitz and Stegun's 26.2.23 is near; two
// of Halley's steps make it exact to the last bits.
static double upper_quantile(double p) {
    double t = sqrt(-2 * log(p));
    double z =
        t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    for (int i = 0; i < 2; i++) {
        double density = exp(-z * z / 2) * 0.3989422804014327,
               error = (0.5 * erfc(z * M_SQRT1_2) - p) / density;
        z += error / (1 - z * error / 2);
    }
    return z;
}

// Of a fraction with `bits` bits, in the middle of its interval; the nearer end of (0, 1) is taken for precision.
static double normal_of(uint64_t fraction, unsigned bits) {
    uint64_t all = (UINT64_C(1) << bits) - 1, half = UINT64_C(1) << (bits - 1);
    bool upper = fraction > half;
    double p = ldexp((double)(upper ? all - fraction : fraction) + 0.5, -(int)bits);
    if (p == 0.5) return 0;
    return upper ? upper_quantile(p) : -upper_quantile(p);
}

static double uniform_of(const curand_task *t, uint64_t number) {
    if (!t->wide) return (double)((float)(number >> 32) * 0x1p-32f + 0x1p-33f);
    if (t->of_64_bits) return (double)(number >> 11) * 0x1p-53 + 0x1p-54;
    return ((double)(number >> 32) + 1) * 0x1p-32;
}

static void put(const curand_task *t, void *to, size_t i, uint64_t number) {
    bool long_word = t->of_64_bits && t->wide;
    double normal = 0, value = 0;
    if (t->kind >= NORMAL) normal = long_word ? normal_of(number >> 11, 53) : normal_of(number >> 32, 32);
    switch (t->kind) {
    case WORDS: ((uint32_t *)to)[i] = (uint32_t)(number >> 32); return;
    case LONG_WORDS: ((uint64_t *)to)[i] = number; return;
    case POISSON:
        ((uint32_t *)to)[i] = curand_poisson(t->mean, ((double)(number >> 32) + 0.5) * 0x1p-32, normal);
        return;
    case UNIFORM: value = uniform_of(t, number); break;
    case NORMAL: value = t->mean + t->deviation * normal; break;
    case LOG_NORMAL: value = exp(t->mean + t->deviation * normal); break;
    }
    if (t->wide)
        ((double *)to)[i] = value;
    else
        ((float *)to)[i] = (float)value;
}

bool curand_fill_quasi(const curand_task *t, void *to) {
    uint32_t *polynomials = sobol_polynomials(t->dimensions);
    size_t points = t->count / t->dimensions;
    for (unsigned d = 0; polynomials && d < t->dimensions; d++) {
        uint64_t directions[SOBOL_BITS], number = t->scrambled ? sobol_constant(d) : 0, point = t->offset;
        sobol_directions(polynomials, d, t->scrambled, directions);
        for (uint64_t gray = point ^ point >> 1; gray; gray &= gray - 1)
            number ^= directions[__builtin_ctzll(gray)];
        for (size_t i = 0; i < points; i++) {
            put(t, to, d * points + i, number);
            number ^= directions[__builtin_ctzll(++point)];
        }
    }
    free(polynomials);
    return polynomials != NULL;
}
