// libcuda.so.1, for programs that are linked with it or open it. Each function goes on to its own in libcudart (calls.c),
// with its arguments as they are; those that are not there say so (missing.c).
#if defined(__x86_64__)
#define GO_TO(function) "jmp " function "@PLT\n"
#elif defined(__aarch64__)
#define GO_TO(function) "b " function "\n"
#else
#error "libcuda is written for x86-64 and aarch64"
#endif

#define CUDART_DRIVER(function, name)                                                                        \
    __asm__(".text\n.globl " #function "\n.type " #function ", %function\n" #function                        \
            ":\n" GO_TO("__cudaDriver_" #function));
#include "cudart/driver/calls.def"
#undef CUDART_DRIVER
