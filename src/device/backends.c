// Every backend. The table has a file of its own: a program with another one is linked without the rest.
#include "device/device.h"

const device_backend *const device_backends[] = {&device_cuda, &device_sim, &device_cpu, NULL};
