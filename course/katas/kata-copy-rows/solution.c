// Copies height rows of width bytes between two images with pitches of
// their own.
#include <string.h>

void copy_rows(const unsigned char *from, unsigned char *to, int width,
               int height, int from_pitch, int to_pitch) {
    // kz: begin
    for (int r = 0; r < height; r++)
        memcpy(to + (size_t)r * to_pitch, from + (size_t)r * from_pitch,
               (size_t)width);
    // kz: starter
    //|     for (int r = 0; r < height; r++)
    //|         for (int c = 0; c < width; c++)
    //|             to[r * to_pitch + c] = from[r * from_pitch + c];
    // kz: end
}
