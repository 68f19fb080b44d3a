// fails: result
// Stops filling in after 8: enough for numbers below 65536 only.
void bits(const unsigned *x, unsigned *lowest, unsigned *rest, unsigned *power, int n) {
    for (int i = 0; i < n; i++) {
        unsigned v = x[i];
        lowest[i] = v & -v;
        rest[i] = v & (v - 1);
        v = v ? v - 1 : 0;
        v |= v >> 1, v |= v >> 2, v |= v >> 4, v |= v >> 8;
        power[i] = v + 1;
    }
}
