// Pairs of every kind: neighbours, across zero, both zeros, infinities, NaN on one side or both, denormal ones, far apart.
static float from_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t to_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

void inputs(uint64_t seed, double *got, double *expected, double *bound, int64_t n) {
    uint64_t state = seed | 1;
    for (int64_t i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint32_t random = (uint32_t)(state >> 33);
        float e = (float)expected[i], g = e;
        switch ((i * 5 + (int64_t)(seed % 7)) % 13) {
        case 0: break;                                             // equal
        case 1: g = from_bits(to_bits(e) + 1); break;              // a neighbour
        case 2: g = from_bits(to_bits(e) + random % 1000); break;
        case 3: e = 0.0f, g = -0.0f; break;
        case 4: e = from_bits(random % 9), g = -from_bits(random % 7); break; // denormal, across zero
        case 5: e = g = INFINITY; break;
        case 6: e = INFINITY, g = 3.4e38f; break;
        case 7: e = NAN, g = NAN; break;
        case 8: g = NAN; break;
        case 9: e = NAN, g = 1.0f; break;
        case 10: e = INFINITY, g = -INFINITY; break;
        case 11: g = -e; break;
        case 12: e = e * 1e-3f, g = e + 1e-6f; break;
        }
        got[i] = (double)g, expected[i] = (double)e;
        static const double bounds[] = {0, 1e-7, 1e-6, 1e-4};
        bound[i] = (double)(float)bounds[random >> 13 & 3];
    }
}

static int64_t place(float value) { // its index in the sequence of all floats, both zeros being 0
    uint32_t bits = to_bits(value);
    return bits >> 31 ? -(int64_t)(bits & 0x7fffffffu) : (int64_t)bits;
}

void reference(const double *got, const double *expected, const double *bound, double *ulps, double *ulps_bound, double *wrong,
               double *wrong_bound, int64_t n) {
    (void)ulps_bound, (void)wrong_bound;
    wrong[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        float g = (float)got[i], e = (float)expected[i];
        bool equal = g == e || (isnan(g) && isnan(e));
        int64_t distance = place(g) > place(e) ? place(g) - place(e) : place(e) - place(g);
        ulps[i] = equal ? 0 : isnan(g) || isnan(e) ? -1 : (double)distance;
        volatile float difference = g - e;
        if (!equal && !(fabsf(difference) <= (float)bound[i])) wrong[0] += 1;
    }
}
