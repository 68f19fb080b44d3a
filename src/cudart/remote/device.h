// What kz-device calls of the runtime's library: the one symbol there that is not CUDA's.
#ifndef CUDART_REMOTE_DEVICE_H
#define CUDART_REMOTE_DEVICE_H

int cudart_device_main(int argc, char **argv);

#endif
