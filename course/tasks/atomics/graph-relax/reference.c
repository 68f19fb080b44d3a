void reference(const double *from, const double *to, const double *length, const double *before, double *distance,
               double *distance_bound, double *changed, double *changed_bound, int64_t edges, int64_t nodes) {
    changed[0] = changed_bound[0] = 0;
    for (int64_t v = 0; v < nodes; v++) distance[v] = before[v], distance_bound[v] = 0;
    for (int64_t e = 0; e < edges; e++) {
        int64_t v = (int64_t)to[e];
        double offer = before[(int64_t)from[e]] + length[e];
        if (offer < before[v]) changed[0] = 1;
        if (offer < distance[v]) distance[v] = offer;
    }
}
