// fails: result
// Keys are looked at by every query: their gradients are sums.
// Attention's gradient, for one head, query by query.
#include <math.h>
#include <stdlib.h>
#include <string.h>

static float dot(const float *a, const float *b, int n) {
    float sum = 0.0f;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

// y += factor * x
static void add(float *y, float factor, const float *x, int n) {
    for (int i = 0; i < n; i++) y[i] += factor * x[i];
}

void attention_backward(const float *q, const float *k, const float *v,
                        const float *dout, float *dq, float *dk, float *dv,
                        int queries, int keys, int width) {
    float scale = 1.0f / sqrtf((float)width);
    float *p = malloc(keys * sizeof *p), *out = malloc(width * sizeof *out);
    memset(dq, 0, (size_t)queries * width * sizeof *dq);
    memset(dk, 0, (size_t)keys * width * sizeof *dk);
    memset(dv, 0, (size_t)keys * width * sizeof *dv);
    for (int i = 0; i < queries; i++) {
        const float *query = q + i * width, *up = dout + i * width;

        // Forward: the weights of query i, and its result.
        float greatest = -INFINITY, sum = 0.0f;
        for (int j = 0; j < keys; j++) {
            p[j] = scale * dot(query, k + j * width, width);
            greatest = fmaxf(greatest, p[j]);
        }
        for (int j = 0; j < keys; j++) sum += p[j] = expf(p[j] - greatest);
        memset(out, 0, width * sizeof *out);
        for (int j = 0; j < keys; j++) {
            p[j] /= sum;
            add(out, p[j], v + j * width, width);
        }

        // Backward.
        float delta = dot(up, out, width);
        for (int j = 0; j < keys; j++) {
            float dp = dot(up, v + j * width, width);
            float ds = p[j] * (dp - delta);
            for (int c = 0; c < width; c++)
                dv[j * width + c] = p[j] * up[c];
            add(dq + i * width, scale * ds, k + j * width, width);
            add(dk + j * width, scale * ds, query, width);
        }
    }
    free(out);
    free(p);
}
