// bench/code: see code.h.
#include "bench/code.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/cubin.h"
#include "device/device.h"
#include "device/image.h"
#include "observe/observe.h"

enum { MACHINE_INSTRUCTION = 16 }; // bytes, since Volta

bench_code bench_code_unknown(void) {
    return (bench_code){.threads = -1,
                        .registers = -1,
                        .shared_bytes = -1,
                        .local_bytes = -1,
                        .blocks = -1,
                        .warps = -1,
                        .occupancy = NAN,
                        .limit = "",
                        .code_bytes = -1,
                        .ptx_instructions = -1};
}

// ---- PTX -----------------------------------------------------------------------------------------

static bool in_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; }

// The brace that opens the kernel's body; NULL where it has none.
static const char *find_body(const char *ptx, const char *entry) {
    size_t length = strlen(entry);
    for (const char *at = ptx; (at = strstr(at, ".entry")); at++) {
        const char *name = at + 6 + strspn(at + 6, " \t\n");
        if (strncmp(name, entry, length) != 0 || in_word(name[length])) continue;
        return strchr(name, '{');
    }
    return NULL;
}

// A statement ends with a semicolon, whatever braces are among its operands, a label with a colon, and a .loc with its
// line. What begins with a point is no instruction.
int64_t bench_ptx_instructions(const char *ptx, const char *entry) {
    const char *at = find_body(ptx, entry);
    int64_t count = 0;
    if (!at) return -1;
    for (int depth = 0; *at;) {
        if (isspace((unsigned char)*at)) {
            at++;
        } else if (strncmp(at, "//", 2) == 0 || strncmp(at, ".loc", 4) == 0) {
            at += strcspn(at, "\n");
        } else if (*at == '{' || *at == '}') {
            depth += *at++ == '{' ? 1 : -1;
            if (depth == 0) break;
        } else {
            const char *end = at + strcspn(at, ";:");
            count += *at != '.' && *end == ';';
            at = end + (*end != 0);
        }
    }
    return count;
}

// ---- machine code -----------------------------------------------------------------------------------

static void take_machine_code(const void *code, size_t size, const char *entry, bench_code *made) {
    device_cubin_info info;
    if (!device_cubin_find(code, size, entry, &info)) return;
    if (info.instructions) made->code_bytes = (int64_t)info.instructions * MACHINE_INSTRUCTION;
    if (made->registers < 0) {
        made->registers = (int)info.registers;
        made->local_bytes = info.frame_bytes;
    }
}

// What the image has for this very architecture; else what the assembler makes of the PTX.
static void read_machine_code(const kz_image *image, const char *ptx, int sm, const char *entry,
                              const bench_assembler *assembler, bench_code *made) {
    for (size_t i = 0; i < image->machine_code_count; i++) {
        const void *data;
        void *unpacked;
        if (image->machine_code[i].sm != sm) continue;
        if (device_code_unpack(image->name, &image->machine_code[i], &data, &unpacked, NULL) != KZ_OK)
            continue;
        take_machine_code(data, image->machine_code[i].size, entry, made);
        free(unpacked);
        return;
    }
    void *code = NULL;
    size_t size = 0;
    if (!assembler || !ptx || !assembler->assemble(assembler->context, image->name, ptx, sm, &code, &size))
        return;
    take_machine_code(code, size, entry, made);
    free(code);
}

// ---- the kernel -----------------------------------------------------------------------------------------

static uint64_t threads_of(const kz_launch *l) { return (uint64_t)l->block[0] * l->block[1] * l->block[2]; }
static uint64_t blocks_of(const kz_launch *l) { return (uint64_t)l->grid[0] * l->grid[1] * l->grid[2]; }

static const kz_step *find_widest(const kz_plan *plan, int *launches) {
    const kz_step *widest = NULL;
    *launches = 0;
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const kz_step *s = &plan->steps[i];
        if (s->kind != KZ_STEP_LAUNCH) continue;
        ++*launches;
        if (!widest || threads_of(&s->launch) * blocks_of(&s->launch) >=
                           threads_of(&widest->launch) * blocks_of(&widest->launch))
            widest = s;
    }
    return widest;
}

static void occupy(const kz_device_info *d, const kz_kernel_info *kernel, const kz_launch *launch,
                   bench_code *made) {
    const observe_gpu limits = {.sm = (uint32_t)d->sm,
                                .multiprocessors = (uint32_t)d->multiprocessors,
                                .max_threads = (uint32_t)d->max_threads_per_multiprocessor,
                                .max_blocks = (uint32_t)d->max_blocks_per_multiprocessor,
                                .registers = (uint32_t)d->registers_per_multiprocessor,
                                .shared_bytes = (uint32_t)d->shared_per_multiprocessor};
    const observe_occupancy_input shape = {.threads = (uint32_t)threads_of(launch),
                                           .registers = made->registers > 0 ? (uint32_t)made->registers : 0,
                                           .shared_static = (uint32_t)kernel->static_shared_bytes,
                                           .shared_dynamic = launch->dynamic_shared_bytes,
                                           .blocks = blocks_of(launch)};
    observe_occupancy_result r = observe_occupancy(&limits, &shape);
    made->blocks = (int)r.blocks;
    made->warps = (int)r.warps;
    made->occupancy = r.occupancy;
    made->limit = r.limit;
}

bench_code bench_code_of(kz_device *device, kz_module *module, const kz_image *image, const kz_plan *plan,
                         const bench_assembler *assembler) {
    const kz_device_info *info = kz_device_get_info(device);
    bench_code made = bench_code_unknown();
    const kz_step *step = find_widest(plan, &made.launches);
    kz_kernel *kernel;
    kz_kernel_info about = {.size = sizeof about};
    if (!step || info->kind == KZ_DEVICE_CPU) return made;
    if (device_module_kernel(module, step->image, step->entry, &kernel, NULL) != KZ_OK ||
        kz_kernel_get_info(kernel, &about, NULL) != KZ_OK)
        return made;
    char *ptx = NULL;
    image = device_step_image(image, step);
    if (kz_image_ptx(image, &ptx, NULL) == KZ_OK)
        made.ptx_instructions = bench_ptx_instructions(ptx, step->entry);
    made.threads = (int)threads_of(&step->launch);
    made.registers = about.registers;
    made.shared_bytes = (int64_t)(about.static_shared_bytes + step->launch.dynamic_shared_bytes);
    if (about.registers >= 0) made.local_bytes = (int64_t)about.local_bytes_per_thread;
    read_machine_code(image, ptx, info->sm, step->entry, assembler, &made);
    occupy(info, &about, &step->launch, &made);
    free(ptx);
    return made;
}
