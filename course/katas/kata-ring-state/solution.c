// Where each chunk goes, and what its two sides wait for.

void ring(int *stage, int *full, int *empty, int n, int stages) {
    // kz: begin
    int at = 0, parity = 0;
    for (int i = 0; i < n; i++) {
        stage[i] = at;
        full[i] = parity;
        empty[i] = parity ^ 1;
        if (++at == stages) at = 0, parity ^= 1;
    }
    // kz: starter
    //|     for (int i = 0; i < n; i++) {
    //|         stage[i] = 0;
    //|         full[i] = i & 1;
    //|         empty[i] = i & 1;
    //|     }
    // kz: end
}
