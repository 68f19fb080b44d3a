// Each result is a sum of `keys` products, in any order.
void reference(const double *weights, const double *v, double *out, double *out_bound, int64_t batch,
               int64_t heads, int64_t queries, int64_t keys, int64_t dimension) {
    double factor = U_F32 * (2 + 2 * sqrt((double)keys));
    for (int64_t row = 0; row < batch * queries * heads; row++) {
        int64_t head = row % heads, query = row / heads % queries, b = row / heads / queries;
        const double *weight = &weights[((b * heads + head) * queries + query) * keys];
        double *sum = &out[row * dimension], *bound = &out_bound[row * dimension];
        for (int64_t c = 0; c < dimension; c++) sum[c] = bound[c] = 0;
        for (int64_t key = 0; key < keys; key++)
            for (int64_t c = 0; c < dimension; c++) {
                double product = weight[key] * v[((b * keys + key) * heads + head) * dimension + c];
                sum[c] += product, bound[c] += factor * fabs(product);
            }
    }
}
