// What our libraries over the runtime (cuBLAS, cuRAND) tell it: the routine that the program called, of which the copies
// are that follow, so that messages and findings name it instead of them. NULL: its work is done.
#ifndef CUDART_LIBRARY_CALL_H
#define CUDART_LIBRARY_CALL_H

void __cudaLibraryCall(const char *routine);

#endif
