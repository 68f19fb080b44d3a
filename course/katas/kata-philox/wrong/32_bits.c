// fails: result
// The upper half of the product is lost.
// Philox4x32-10 for n keys and counters.

void philox_words(const unsigned *keys, const unsigned *counters,
                  unsigned *words, int n) {
    for (int i = 0; i < n; i++) {
        unsigned k0 = keys[2 * i], k1 = keys[2 * i + 1];
        unsigned c0 = counters[4 * i], c1 = counters[4 * i + 1];
        unsigned c2 = counters[4 * i + 2], c3 = counters[4 * i + 3];
        for (int round = 0; round < 10; round++) {
            unsigned long long a = 0xD2511F53u * c0;
            unsigned long long b = 0xCD9E8D57u * c2;
            c0 = (unsigned)(b >> 32) ^ c1 ^ k0;
            c1 = (unsigned)b;
            c2 = (unsigned)(a >> 32) ^ c3 ^ k1;
            c3 = (unsigned)a;
            k0 += 0x9E3779B9u;
            k1 += 0xBB67AE85u;
        }
        words[4 * i] = c0, words[4 * i + 1] = c1;
        words[4 * i + 2] = c2, words[4 * i + 3] = c3;
    }
}
