// fails: fault "exit code 3"
// Folders in folders, deeper than a path can be, and closed: they shall not stay behind.
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
void scale(const float *x, float *y, float factor, int n) {
    char name[201] = {0};
    for (int i = 0; i < 200; i++) name[i] = 'd';
    for (int i = 0; i < 100 && mkdir(name, 0700) == 0 && chdir(name) == 0; i++) chmod(".", i % 2 ? 0300 : 0700);
    chmod(".", 0);
    exit(3);
}
