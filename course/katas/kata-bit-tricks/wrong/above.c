// fails: result
// Forgets to take 1 away first: a power of two becomes the next one.
void bits(const unsigned *x, unsigned *lowest, unsigned *rest, unsigned *power, int n) {
    for (int i = 0; i < n; i++) {
        unsigned v = x[i];
        lowest[i] = v & -v;
        rest[i] = v & (v - 1);
        v |= v >> 1, v |= v >> 2, v |= v >> 4, v |= v >> 8, v |= v >> 16;
        power[i] = v + 1;
    }
}
