// fails: source "both written and run"
// Memory that is written and run: what it asks valgrind for is nowhere in the file.
__asm__(".section .own,\"awx\",%progbits\n.globl place\nplace: .fill 64\n.text\n");
extern unsigned char place[64];
void scale(const float *x, float *y, float factor, int n) {
    place[0] = 0xc3;
    for (int i = 0; i < n; i++) y[i] = factor * x[i];
}
