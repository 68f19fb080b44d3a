#include "link.h"
#include <stdlib.h>
struct cudart_linker {
    base_text out;
};
cudart_linker *cudart_linker_open(void) { return calloc(1, sizeof(cudart_linker)); }
void cudart_linker_close(cudart_linker *l) {
    if (l) base_text_free(&l->out);
    free(l);
}
void cudart_linker_add(cudart_linker *l, const char *text, size_t size) {
    base_text_add_bytes(&l->out, text, size);
}
bool cudart_linker_finish(cudart_linker *l, char **text, size_t *size) {
    *text = l->out.data;
    *size = l->out.length;
    l->out = (base_text){0};
    return *text != NULL;
}
