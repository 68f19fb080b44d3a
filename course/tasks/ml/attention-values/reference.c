// Each result is a sum of `keys` products, in any order.
void reference(const double *weights, const double *v, double *out, double *out_bound, int64_t batch,
               int64_t heads, int64_t queries, int64_t keys, int64_t dimension) {
    for (int64_t at = 0; at < batch * queries * heads * dimension; at++) {
        int64_t c = at % dimension, head = at / dimension % heads, query = at / dimension / heads % queries;
        int64_t b = at / dimension / heads / queries;
        const double *weight = &weights[((b * heads + head) * queries + query) * keys];
        double sum = 0, magnitude = 0;
        for (int64_t key = 0; key < keys; key++) {
            double product = weight[key] * v[((b * keys + key) * heads + head) * dimension + c];
            sum += product, magnitude += fabs(product);
        }
        out[at] = sum;
        out_bound[at] = U_F32 * (2 + 2 * sqrt((double)keys)) * magnitude;
    }
}
