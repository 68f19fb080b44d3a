// The backends that have a clock, in the place of device/backends.c: rivals in other processes are never simulated, and
// the simulator would be nine tenths of libkz_runner.
#include "device/device.h"

const device_backend *const device_backends[] = {&device_cuda, &device_cpu, NULL};
