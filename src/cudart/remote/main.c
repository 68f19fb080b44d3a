// kz-device: the runtime's library beside it, as a process (device.c).
#include "device.h"

int main(int argc, char **argv) { return cudart_device_main(argc, argv); }
