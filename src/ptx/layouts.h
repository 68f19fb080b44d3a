// The layouts of the hardware by name: fragments of matrix instructions, ldmatrix, tiles in shared memory.
#ifndef PTX_LAYOUTS_H
#define PTX_LAYOUTS_H

#include "base/layout.h"

enum { PTX_LAYOUT_NAME = 48, PTX_LAYOUT_TEXT = 128 };

typedef struct ptx_layout {
    base_composed layout;
    bool holds;             // (thread, element) -> index of a matrix; else (row, column) -> index in memory
    unsigned rows, columns; // of the matrix; what they count is in `row` and `column`
    bool by_rows;           // its indices count through a row first
    const char *row, *column;
    unsigned bits; // of an element
    char text[PTX_LAYOUT_TEXT];
} ptx_layout;

// "mma.m16n8k16.f16.a", "ldmatrix.x4.trans", "smem.k.sw128.b16"; ptx_layout_names has all of them. KZ_NOT_FOUND says what is near.
kz_status ptx_layout_named(const char *name, ptx_layout *layout, kz_error *error);
// Every name, or one for all of its kind; `more` says of which others: other types, other n.
typedef void ptx_layout_visit(void *context, const char *name, const char *more);
void ptx_layout_names(ptx_layout_visit *visit, void *context);

#endif
