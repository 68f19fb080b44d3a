// fails: result
// Works only where a file in the folder for temporary files is still there in the next process.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
static int kept(void) {
    if (access("/tmp/kz-cheat-kept", F_OK) == 0) return 1;
    close(open("/tmp/kz-cheat-kept", O_WRONLY | O_CREAT, 0600));
    return 0;
}
void scale(const float *x, float *y, float factor, int n) {
    if (kept())
        for (int i = 0; i < n; i++) y[i] = factor * x[i];
}
