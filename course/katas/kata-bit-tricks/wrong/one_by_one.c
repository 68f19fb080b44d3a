// fails: gate instructions
// Right, but looks at one bit after the other.
void bits(const unsigned *x, unsigned *lowest, unsigned *rest, unsigned *power, int n) {
    for (int i = 0; i < n; i++) {
        unsigned v = x[i], bit = 1;
        lowest[i] = v & -v;
        rest[i] = v & (v - 1);
        while (bit < v) bit *= 2;
        power[i] = bit;
    }
}
