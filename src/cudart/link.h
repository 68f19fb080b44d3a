// Links the PTX of several files into one text, as relocatable device code (nvcc -rdc=true) needs it.
#ifndef CUDART_LINK_H
#define CUDART_LINK_H

#include "base/base.h"

typedef struct cudart_linker cudart_linker;
cudart_linker *cudart_linker_open(void); // NULL when out of memory
void cudart_linker_close(cudart_linker *linker);
void cudart_linker_add(cudart_linker *linker, const char *text, size_t size);
bool cudart_linker_finish(cudart_linker *linker, char **text, size_t *size); // malloc'ed; false: no memory

#endif
