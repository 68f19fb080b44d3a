// fails: source "is not to be used"
// What is in a raw string opens no string and no comment.
const char *from = R"x(" /* )x";
static unsigned sum(unsigned a, unsigned b) { return a + b; }
void tenths(const unsigned *x, unsigned *y, int n) {
    for (int i = 0; i < n; i++) y[i] = sum(x[i] / 10, 0);
}
const char *to = "*/";
