// fails: source ".incbin"
// Takes a file of the machine's into the program; the word is in two pieces.
__asm__(".data\nmachine: .inc" "bin \"/etc/hosts\"\n.text");
void scale(const float *x, float *y, float factor, int n) {
    for (int i = 0; i < n; i++) y[i] = factor * x[i];
}
