// fails: compile
// The same, with a word that the assembler makes itself: no search finds it, but the file is not there.
__asm__(".macro bring a b\n.\\a\\b \"/etc/hosts\"\n.endm\n.data\nmachine: bring inc bin\n.text");
void scale(const float *x, float *y, float factor, int n) {
    for (int i = 0; i < n; i++) y[i] = factor * x[i];
}
