// A cubin for tests, as small as one can be: kernels, and how many parameters each takes.
#ifndef DEVICE_TEST_CUBIN_H
#define DEVICE_TEST_CUBIN_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { TEST_CUBIN_KERNELS = 2, TEST_CUBIN_PARAMS = 3 };

typedef struct test_cubin_note {
    uint8_t format, attribute;
    uint16_t length;
    uint32_t words[3];
} test_cubin_note;

typedef struct test_cubin {
    Elf64_Ehdr header;
    Elf64_Shdr sections[1 + TEST_CUBIN_KERNELS]; // of names, then a kernel's notes each
    char names[128];
    test_cubin_note notes[TEST_CUBIN_KERNELS][1 + TEST_CUBIN_PARAMS];
} test_cubin;

// Kernel k takes params[k] of them, TEST_CUBIN_PARAMS at most.
static inline void test_cubin_make(test_cubin *c, const char *const kernels[TEST_CUBIN_KERNELS],
                                   const unsigned params[TEST_CUBIN_KERNELS]) {
    *c = (test_cubin){0};
    memcpy(c->header.e_ident, ELFMAG, SELFMAG);
    c->header.e_flags = 90 << 8;
    c->header.e_shoff = offsetof(test_cubin, sections);
    c->header.e_shentsize = sizeof(Elf64_Shdr);
    c->header.e_shnum = 1 + TEST_CUBIN_KERNELS;
    c->sections[0].sh_offset = offsetof(test_cubin, names);
    c->sections[0].sh_size = sizeof c->names;
    size_t used = 1; // the empty name, the first section's
    for (unsigned k = 0; k < TEST_CUBIN_KERNELS; k++) {
        Elf64_Shdr *s = &c->sections[1 + k];
        s->sh_name = (uint32_t)used;
        used += (size_t)snprintf(c->names + used, sizeof c->names - used, ".nv.info.%s", kernels[k]) + 1;
        s->sh_offset = offsetof(test_cubin, notes) + k * sizeof c->notes[0];
        s->sh_size = (1 + params[k]) * sizeof(test_cubin_note);
        for (unsigned n = 0; n <= params[k]; n++) // one that is of something else, then the parameters
            c->notes[k][n] = (test_cubin_note){4, n ? 0x17 : 0x0a, 12, {0}};
    }
}

#endif
