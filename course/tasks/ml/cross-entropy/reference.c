// log(sum exp(x)) - x[label]. A correct kernel rounds the difference of the two logits once, the logarithm (its sum has
// errors of sqrt(n) u and of the exponents) and the last addition.
void reference(const double *x, const double *labels, double *losses, double *losses_bound, int64_t rows, int64_t columns) {
    for (int64_t row = 0; row < rows; row++) {
        const double *from = &x[row * columns];
        double greatest = -INFINITY, sum = 0, spread = 0;
        for (int64_t i = 0; i < columns; i++) greatest = fmax(greatest, from[i]);
        for (int64_t i = 0; i < columns; i++) {
            double share = exp(from[i] - greatest);
            sum += share;
            spread += share * (greatest - from[i]); // what rounding the exponents does to the sum
        }
        double difference = greatest - from[(int64_t)labels[row]], loss = difference + log(sum);
        losses[row] = loss;
        losses_bound[row] = U_F32 * (2 * difference + 4 * log(sum) + 8 + 4 * spread / sum + 2 * sqrt((double)columns));
    }
}
