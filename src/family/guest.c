// A guest kernel: its comment lines, its entries, its plan. The form of the file stands in guest.h.
#include "family/guest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "family/case.h"
#include "family/lines.h"
#include "ptx/ptx.h"

struct family_guest {
    base_arena *arena;
    const kz_family *family;
    ptx_module *module;
    kz_image image;
    family_lines lines;
};

// ---- entries ----------------------------------------------------------------------------------

static bool ends_as(const char *name, const char *operation, kz_type type) {
    char wanted[128];
    snprintf(wanted, sizeof wanted, "_%s_%s", operation, kz_type_name(type));
    return family_ends_with(name, wanted) || strcmp(name, wanted + 1) == 0;
}

// my_packed_causal_f32 ends as causal does too, but it is of the longer name.
static bool is_of_longer(const kz_family *family, const char *name, const char *operation, kz_type type) {
    for (size_t i = 0; family->operations[i]; i++)
        if (strlen(family->operations[i]) > strlen(operation) && ends_as(name, family->operations[i], type))
            return true;
    return false;
}

static bool is_entry_for(const kz_family *family, const char *name, const char *operation, kz_type type,
                         bool is_first) {
    if (ends_as(name, operation, type)) return !is_of_longer(family, name, operation, type);
    return is_first && type == family_plain_type(family) && strcmp(name, family->name) == 0;
}

static const ptx_function *find_entry(const family_guest *guest, const kz_case *c) {
    const char *operation = guest->family->operations[c->operation];
    for (uint32_t i = 0; i < guest->module->function_count; i++) {
        const ptx_function *f = guest->module->functions[i];
        if (f->is_entry && is_entry_for(guest->family, f->name, operation, c->type, c->operation == 0))
            return f;
    }
    return NULL;
}

const char *family_guest_entry(const family_guest *guest, const kz_case *c) {
    const ptx_function *f = find_entry(guest, c);
    return f ? f->name : NULL;
}

static kz_status fail_entries(const family_guest *guest, kz_error *error, const char *what) {
    char example[FAMILY_GUEST_EXAMPLE];
    base_text found = {0};
    bool mangled = false;
    for (uint32_t i = 0; i < guest->module->function_count; i++) {
        const ptx_function *f = guest->module->functions[i];
        if (!f->is_entry) continue;
        base_text_add(&found, " %s", f->name);
        mangled = mangled || strncmp(f->name, "_Z", 2) == 0;
    }
    base_fail(error, KZ_INVALID, "%s: %s", guest->image.name, what);
    base_fail_note(error, "kernels in the file:%s", found.data ? found.data : " none");
    if (mangled) base_fail_note(error, "a name that begins with _Z is C++: write extern \"C\" __global__");
    base_text_free(&found);
    family_guest_example(guest->family, example, sizeof example);
    base_fail_note(error, "expected, for each operation and type it does (kz info %s lists them):\n%s",
                   guest->family->name, example);
    return KZ_INVALID;
}

static kz_status check_parameters(const family_guest *guest, const ptx_function *f, const kz_case *c,
                                  kz_error *error) {
    kz_arg args[KZ_PLAN_ARGS];
    size_t count = kz_guest_args(guest->family, c, args);
    char what[256];
    if (count == 0) return KZ_OK; // a case that guests are not given
    if (f->param_count != count) {
        snprintf(what, sizeof what, "%s takes %u parameters, but the family gives %zu", f->name,
                 f->param_count, count);
        return fail_entries(guest, error, what);
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t size = f->params[i]->size;
        bool fits = args[i].kind == KZ_ARG_SCALAR ? size == 4 || size == 8 : size == 8;
        if (fits) continue;
        snprintf(what, sizeof what, "parameter %zu of %s has %llu bytes, and that is no %s", i + 1, f->name,
                 (unsigned long long)size, args[i].kind == KZ_ARG_SCALAR ? "number of 4 or 8" : "pointer");
        return fail_entries(guest, error, what);
    }
    return KZ_OK;
}

// Every entry that the family knows must take the family's arguments; there must be one at least.
static kz_status check_entries(const family_guest *guest, kz_error *error) {
    size_t found = 0;
    for (size_t i = 0; i < guest->family->case_count; i++) {
        const ptx_function *f = find_entry(guest, &guest->family->cases[i]);
        if (!f) continue;
        found++;
        kz_status status = check_parameters(guest, f, &guest->family->cases[i], error);
        if (status) return status;
    }
    if (found) return KZ_OK;
    char what[160];
    snprintf(what, sizeof what, "no kernel in it is named for an operation and type of %s",
             guest->family->name);
    return fail_entries(guest, error, what);
}

// ---- the plan ---------------------------------------------------------------------------------

// The axes by their names, the elements of the largest buffer, and the device's multiprocessors.
enum { NAMES = KZ_CASE_AXES + 3 };
static void name_values(const family_guest *guest, const kz_case *c, const kz_device_info *device,
                        family_name_value names[NAMES]) {
    size_t n = 0;
    for (size_t i = 0; i < KZ_CASE_AXES && guest->family->axes[i]; i++)
        names[n++] = (family_name_value){guest->family->axes[i], (double)c->axes[i]};
    names[n++] = (family_name_value){"elements", (double)family_case_elements(guest->family, c)};
    names[n++] = (family_name_value){"sms", device->multiprocessors > 0 ? device->multiprocessors : 1};
    names[n] = (family_name_value){0};
}

static kz_status add_fill(const family_guest *guest, const family_fill *fill, const kz_case *c, kz_plan *plan,
                          kz_error *error) {
    kz_buffer buffers[KZ_FAMILY_BUFFERS] = {0};
    size_t count = guest->family->buffers(c, buffers);
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(buffers[i].name, fill->buffer) != 0) continue;
        if (buffers[i].role == KZ_INPUT)
            return family_lines_fail(&guest->lines, fill->line, "an input is not to be filled:", fill->buffer,
                                     error);
        if (plan->step_count + 1 >= KZ_PLAN_STEPS)
            return family_lines_fail(&guest->lines, fill->line, "too many fills:", fill->line->text, error);
        if (buffers[i].count)
            kz_plan_add_fill(plan, kz_arg_buffer(i), fill->byte,
                             buffers[i].count * kz_type_size(buffers[i].type));
        return KZ_OK;
    }
    family_lines_fail(&guest->lines, fill->line, "there is no such buffer:", fill->buffer, error);
    base_text names = {0};
    for (size_t i = 0; i < count; i++) base_text_add(&names, "%s%s", i ? ", " : "", buffers[i].name);
    base_fail_note(error, "the buffers are: %s", names.data ? names.data : "none");
    base_text_free(&names);
    return KZ_SYNTAX;
}

static kz_status add_fills(const family_guest *guest, const char *entry, const kz_case *c, kz_plan *plan,
                           kz_error *error) {
    bool found = true;
    kz_status status = KZ_OK;
    for (size_t at = 0; found && !status;) {
        family_fill fill;
        status = family_lines_fill(&guest->lines, entry, &at, &fill, &found, error);
        if (!status && found) status = add_fill(guest, &fill, c, plan, error);
    }
    return status;
}

static kz_status set_shape(const family_guest *guest, const char *entry, const kz_case *c,
                           const kz_device_info *device, kz_launch *launch, kz_error *error) {
    family_name_value names[NAMES];
    bool has_grid;
    name_values(guest, c, device, names);
    *launch = (kz_launch){.size = sizeof(kz_launch), .block = {256, 1, 1}, .grid = {1, 1, 1}};
    kz_status status = family_lines_shape(&guest->lines, entry, names, launch, &has_grid, error);
    if (status || has_grid) return status;
    double threads = (double)launch->block[0] * launch->block[1] * launch->block[2];
    double blocks = ceil((double)family_case_elements(guest->family, c) / threads);
    launch->grid[0] = (uint32_t)fmin(fmax(blocks, 1), INT32_MAX);
    return KZ_OK;
}

kz_status family_guest_plan(const family_guest *guest, const kz_case *c, const kz_device_info *device,
                            kz_plan *plan, kz_error *error) {
    *plan = (kz_plan){0};
    const ptx_function *f = find_entry(guest, c);
    if (!f)
        return kz_plan_refuse(error, "%s has no kernel for %s of %s", guest->image.name,
                              guest->family->operations[c->operation], kz_type_name(c->type));
    if (guest->family->location && guest->family->location(c) == KZ_ON_HOST_PAGEABLE &&
        device->kind == KZ_DEVICE_CUDA)
        return kz_plan_refuse(error, "a kernel alone cannot reach pageable memory of the host");
    if (strlen(f->name) >= KZ_ENTRY_NAME)
        return base_fail(error, KZ_LIMIT, "the name %s is longer than %d characters", f->name,
                         KZ_ENTRY_NAME - 1);
    kz_arg args[KZ_PLAN_ARGS];
    size_t count = kz_guest_args(guest->family, c, args);
    if (count == 0)
        return kz_plan_refuse(
            error, "the case has what no parameter of a guest says: strides, say, or another output");
    for (size_t i = 0; i < count; i++)
        if (args[i].kind == KZ_ARG_SCALAR && f->params[i]->size == 4 && args[i].scalar > UINT32_MAX)
            return kz_plan_refuse(error, "parameter %zu of %s has 32 bits, too few for this size", i + 1,
                                  f->name);
    kz_launch launch;
    kz_status status = add_fills(guest, f->name, c, plan, error);
    if (!status) status = set_shape(guest, f->name, c, device, &launch, error);
    if (status) return status;
    kz_plan_add_kernel(plan, 0, f->name, &launch, args, count);
    return KZ_OK;
}

// Every launch line is tried once when the guest is opened, so that a typing error shows at once.
static kz_status try_plans(const family_guest *guest, kz_error *error) {
    const kz_device_info device = {.multiprocessors = 1};
    for (size_t i = 0; i < guest->family->case_count; i++) {
        kz_plan plan;
        if (!find_entry(guest, &guest->family->cases[i])) continue;
        kz_status status = family_guest_plan(guest, &guest->family->cases[i], &device, &plan, error);
        if (!status || status == KZ_UNSUPPORTED) continue;
        char name[FAMILY_CASE_NAME];
        family_case_name(guest->family, &guest->family->cases[i], name);
        base_fail_note(error, "that was for the case %s; ceil(elements/block) is a thread for each element",
                       name);
        return status;
    }
    return KZ_OK;
}

// ---- open and close ---------------------------------------------------------------------------

kz_status family_guest_open(const kz_family *family, const char *name, const char *source, const char *ptx,
                            family_guest **out, kz_error *error) {
    *out = NULL;
    base_arena *arena = base_arena_open();
    family_guest *guest = arena ? base_arena_alloc(arena, sizeof *guest) : NULL;
    if (!guest) {
        base_arena_close(arena);
        return base_fail(error, KZ_NO_MEMORY, "no memory for %s", name);
    }
    size_t length = strlen(ptx);
    guest->arena = arena;
    guest->family = family;
    guest->image.size = sizeof guest->image;
    guest->image.name = base_arena_string(arena, name, strlen(name));
    guest->image.ptx = base_arena_string(arena, ptx, length);
    guest->image.ptx_size = length;
    kz_status status = KZ_OK;
    if (!guest->image.name || !guest->image.ptx)
        status = base_fail(error, KZ_NO_MEMORY, "no memory for %s", name);
    if (!status) status = family_lines_read(arena, guest->image.name, source, &guest->lines, error);
    if (!status) status = ptx_module_open(guest->image.name, guest->image.ptx, length, &guest->module, error);
    if (!status) status = check_entries(guest, error);
    if (!status) status = try_plans(guest, error);
    if (status)
        family_guest_close(guest);
    else
        *out = guest;
    return status;
}

void family_guest_close(family_guest *guest) {
    if (!guest) return;
    if (guest->module) ptx_module_close(guest->module);
    base_arena_close(guest->arena);
}

const char *family_guest_name(const family_guest *guest) { return guest->image.name; }
const kz_image *family_guest_image(const family_guest *guest) { return &guest->image; }
