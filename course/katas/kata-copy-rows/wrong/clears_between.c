// fails: result
// Makes the bytes between the rows zero. They belong to other code.
#include <string.h>
void copy_rows(const unsigned char *from, unsigned char *to, int width, int height, int from_pitch,
               int to_pitch) {
    memset(to, 0, (size_t)to_pitch * (height - 1) + width);
    for (int r = 0; r < height; r++) memcpy(to + r * to_pitch, from + r * from_pitch, width);
}
