void reference(const double *from, const double *to, const double *weight, double *degree, double *degree_bound, double *inflow,
               double *inflow_bound, int64_t edges, int64_t nodes) {
    for (int64_t v = 0; v < nodes; v++) degree[v] = inflow[v] = degree_bound[v] = inflow_bound[v] = 0;
    for (int64_t e = 0; e < edges; e++) {
        degree[(int64_t)from[e]]++;
        inflow[(int64_t)to[e]] += weight[e];
        inflow_bound[(int64_t)to[e]] += fabs(weight[e]);
    }
    // sums of up to all edges, in any order
    for (int64_t v = 0; v < nodes; v++) inflow_bound[v] *= (1 + 2 * sqrt((double)edges)) * U_F32;
}
