// permute 08: two, three or four channels
//
// Idea     the short axis that matters most is that of pixels: 2, 3 or 4 channels to planes, and planes to
//          pixels. A thread that has 16 pixels of 3 bytes has 16 bytes of every plane.
// Change   a thread transposes such a group in registers. Where each byte goes is known to the compiler, and an
//          instruction picks two bytes from any two words. Shared memory hands the packs over once.
// Expect   16 bytes per access everywhere, no bank conflicts; few instructions per byte, while 07 takes
//          elements one by one from shared memory.
// Limit    a kernel per number of channels. Rows of pixels that are multiples of 16 bytes per plane.

#include "channels.cuh"

CHANNELS_ENTRIES()
