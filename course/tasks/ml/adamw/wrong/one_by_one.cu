// fails: gate loads
// A float for each request.
extern "C" __global__ void adamw(float *w, const float *g, float *m, float *v, int n, float rate, float beta1, float beta2,
                                 float epsilon, float decay, float correction1, float correction2) {
    for (int k = 0; k < 4; k++) {
        int i = blockIdx.x * 1024 + 256 * k + threadIdx.x;
        if (i >= n) return;
        float a = beta1 * m[i] + (1.0f - beta1) * g[i], b = beta2 * v[i] + (1.0f - beta2) * g[i] * g[i];
        m[i] = a, v[i] = b;
        w[i] -= rate * (a / correction1 / (sqrtf(b / correction2) + epsilon) + decay * w[i]);
    }
}
