// fails: fault "past the end"
// Copies the padding too: after the last row there is none.
#include <string.h>
void copy_rows(const unsigned char *from, unsigned char *to, int width, int height, int from_pitch,
               int to_pitch) {
    (void)width;
    int pitch = from_pitch < to_pitch ? from_pitch : to_pitch;
    for (int r = 0; r < height; r++) memcpy(to + r * to_pitch, from + r * from_pitch, pitch);
}
