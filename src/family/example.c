// What a guest's kernels look like: the family's signatures in C, and a file that has one of each.
//
// kz_family.guest_signature has a line for each list of parameters. A line may open with the cases that it is
// for, as globs of <operation>-<type>: "argmin-*,argmax-*: const T *in, ..."; of the lines that match, the
// last holds.
#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "family/case.h"
#include "family/guest.h"

// Whether a line's list of globs, which ends with ':', has the name; a line without one is for all.
static bool line_is_for(const char *line, size_t length, const char *name) {
    const char *colon = memchr(line, ':', length);
    if (!colon) return true;
    for (const char *at = line; at < colon;) {
        char glob[64];
        size_t size = strcspn(at, ",:");
        snprintf(glob, sizeof glob, "%.*s", (int)size, at);
        if (fnmatch(glob, name, 0) == 0) return true;
        at += size + 1;
    }
    return false;
}

// The parameters for the case, the letter T still in them; NULL where no line is for it.
static const char *find_parameters(const kz_family *family, const kz_case *c, size_t *length) {
    const char *found = NULL;
    char name[128];
    snprintf(name, sizeof name, "%s-%s", family->operations[c->operation], kz_type_name(c->type));
    for (const char *line = family->guest_signature; *line;) {
        size_t size = strcspn(line, "\n");
        if (line_is_for(line, size, name)) {
            const char *colon = memchr(line, ':', size);
            found = colon ? colon + 1 + strspn(colon + 1, " ") : line;
            *length = size - (size_t)(found - line);
        }
        line += size + (line[size] == '\n');
    }
    return found;
}

bool family_guest_signature(const kz_family *family, const kz_case *c, base_text *text) {
    size_t length = 0;
    const char *from = find_parameters(family, c, &length);
    for (const char *at = from; at && at < from + length; at++) {
        bool alone = *at == 'T' && (at == from || !isalnum((unsigned char)at[-1])) &&
                     !isalnum((unsigned char)at[1]) && at[1] != '_';
        if (alone)
            base_text_add(text, "%s", base_type_of(c->type)->cuda);
        else
            base_text_add_bytes(text, at, 1);
    }
    return from != NULL;
}

// The case that shows a list of parameters best: the first operation, the plain type, else what there is.
static const kz_case *find_case(const kz_family *family, const char *parameters) {
    const kz_case *best = NULL;
    int best_rank = -1;
    for (size_t i = 0; i < family->case_count; i++) {
        const kz_case *c = &family->cases[i];
        size_t length;
        if (find_parameters(family, c, &length) != parameters) continue;
        int rank = c->type == family_plain_type(family) ? 1 + (c->operation == 0) : 0;
        if (rank <= best_rank) continue;
        best = c;
        best_rank = rank;
    }
    return best;
}

// The other operations of the shown case's type that take the same parameters.
static void add_others(const kz_family *family, const kz_case *shown, const char *parameters,
                       base_text *text) {
    size_t length, found = 0;
    for (uint32_t o = 0; family->operations[o]; o++) {
        const kz_case c = {.operation = o, .type = shown->type};
        bool is_there = false;
        for (size_t i = 0; i < family->case_count && !is_there; i++)
            is_there = family->cases[i].operation == o && family->cases[i].type == c.type;
        if (!is_there || o == shown->operation || find_parameters(family, &c, &length) != parameters)
            continue;
        base_text_add(text, "%s%s", found++ ? ", " : "\n    // the same parameters: ", family->operations[o]);
    }
}

// The header that CUDA's name of the type needs.
static void add_header(const kz_family *family, base_text *text) {
    kz_type type = family_plain_type(family);
    if (type == KZ_F16) base_text_add(text, "    #include <cuda_fp16.h>\n");
    if (type == KZ_BF16) base_text_add(text, "    #include <cuda_bf16.h>\n");
}

void family_guest_example(const kz_family *family, char *text, size_t size) {
    base_text out = {0};
    add_header(family, &out);
    base_text_add(&out, "    // kz: block 256\n    // kz: grid ceil(elements/256)");
    for (const char *line = family->guest_signature; *line;) {
        size_t length = strcspn(line, "\n");
        const char *colon = memchr(line, ':', length);
        const char *parameters = colon ? colon + 1 + strspn(colon + 1, " ") : line;
        const kz_case *c = find_case(family, parameters);
        if (c) {
            base_text_add(&out, "\n    extern \"C\" __global__ void my_%s_%s(",
                          family->operations[c->operation], kz_type_name(c->type));
            family_guest_signature(family, c, &out);
            base_text_add(&out, ") { ... }");
            add_others(family, c, parameters, &out);
        }
        line += length + (line[length] == '\n');
    }
    snprintf(text, size, "%s", out.data ? out.data : "");
    base_text_free(&out);
}
