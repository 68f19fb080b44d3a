// fails: result
// Takes the rows for one contiguous block.
#include <string.h>
void copy_rows(const unsigned char *from, unsigned char *to, int width, int height, int from_pitch,
               int to_pitch) {
    (void)from_pitch, (void)to_pitch;
    memcpy(to, from, (size_t)width * height);
}
