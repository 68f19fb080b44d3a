// fails: result
// The parity flips with every chunk.
// Where each chunk goes, and what its two sides wait for.

void ring(int *stage, int *full, int *empty, int n, int stages) {
    int at = 0, parity = 0;
    for (int i = 0; i < n; i++) {
        stage[i] = at;
        full[i] = parity;
        empty[i] = parity ^ 1;
        if (++at == stages) at = 0;
        parity ^= 1;
    }
}
