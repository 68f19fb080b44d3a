// fails: result
typedef struct step {
    float rate, beta1, beta2, epsilon, decay, correction1, correction2;
} step;

static __device__ void update(float *w, float g, float *m, float *v,
                              step s) {
    *m = s.beta1 * *m + (1.0f - s.beta1) * g;
    *v = s.beta2 * *v + (1.0f - s.beta2) * g * g;
    float root = sqrtf(*v / s.correction2 + s.epsilon);
    *w -= s.rate * (*m / s.correction1 / root + s.decay * *w);
}

extern "C" __global__ void adamw(float *w, const float *g, float *m,
                                 float *v, int n, float rate, float beta1,
                                 float beta2, float epsilon, float decay,
                                 float correction1, float correction2) {
    step s = {rate,  beta1,       beta2,      epsilon,
              decay, correction1, correction2};
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 4) return;
    float4 w4 = ((float4 *)w)[i], g4 = ((const float4 *)g)[i],
           m4 = ((float4 *)m)[i], v4 = ((float4 *)v)[i];
    update(&w4.x, g4.x, &m4.x, &v4.x, s);
    update(&w4.y, g4.y, &m4.y, &v4.y, s);
    update(&w4.z, g4.z, &m4.z, &v4.z, s);
    update(&w4.w, g4.w, &m4.w, &v4.w, s);
    ((float4 *)w)[i] = w4;
    ((float4 *)m)[i] = m4;
    ((float4 *)v)[i] = v4;
}
