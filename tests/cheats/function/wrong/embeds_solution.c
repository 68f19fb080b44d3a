// fails: source
// Brings a file in by the assembler.
__asm__(".section .rodata\n.incbin \"../solution.c\"\n.previous");
void scale(const float *x, float *y, float factor, int n) {
    for (int i = 0; i < n; i++) y[i] = factor * x[i];
}
