// Inclusive sums modulo 2^32; afterwards each block's word is its prefix with state 2, and the ticket counts the blocks.
void reference(const double *x, double *y, double *y_bound, double *state, double *state_bound, double *ticket,
               double *ticket_bound, int64_t n) {
    uint32_t sum = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += (uint32_t)(int32_t)x[i];
        y[i] = (int32_t)sum;
        y_bound[i] = 0;
        state[i / 256] = (double)((2ll << 32) + sum);
        state_bound[i / 256] = 0;
    }
    ticket[0] = (double)((n + 255) / 256);
    ticket_bound[0] = 0;
}
