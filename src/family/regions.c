// Regions of a plan's workspace, and plans made of other families' plans: see kz/plan.h and kz/family.h.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "family/image.h"
#include "kz/family.h"

enum { REGION_ALIGNMENT = 256 };

kz_arg kz_plan_add_region(kz_plan *plan, const char *name, uint64_t bytes) {
    uint32_t index = plan ? plan->region_count++ : 0;
    if (plan && index < KZ_PLAN_REGIONS) {
        kz_region *region = &plan->regions[index];
        *region = (kz_region){.bytes = bytes, .first = UINT32_MAX};
        snprintf(region->name, sizeof region->name, "%s", name ? name : "");
    }
    return (kz_arg){.kind = KZ_ARG_REGION, .buffer = index};
}

// ---- places ------------------------------------------------------------------------------------------------

static kz_region *region_of(kz_plan *plan, const kz_arg *arg) {
    bool is = arg->kind == KZ_ARG_REGION && arg->buffer < plan->region_count;
    return is ? &plan->regions[arg->buffer] : NULL;
}

static void use(kz_region *region, uint32_t step) {
    if (!region) return;
    if (region->first > step) region->first = step;
    if (region->last < step) region->last = step;
}

// The first and the last step of each region. With several streams all steps are at once.
static void find_uses(kz_plan *plan) {
    bool several = false;
    for (uint32_t s = 0; s < plan->step_count; s++) several |= plan->steps[s].stream != 0;
    for (uint32_t s = 0; s < plan->step_count; s++) {
        kz_step *step = &plan->steps[s];
        for (uint32_t a = 0; a < step->arg_count && a < KZ_PLAN_ARGS; a++) {
            const kz_arg *arg = &step->args[a];
            bool is_map = arg->kind == KZ_ARG_TENSOR_MAP && arg->buffer < plan->map_count;
            kz_region *region = region_of(plan, is_map ? &plan->maps[arg->buffer].at : arg);
            use(region, several ? 0 : s);
            if (several) use(region, plan->step_count);
        }
    }
}

static bool meet(const kz_region *a, const kz_region *b) {
    return a->first <= b->last && b->first <= a->last;
}

// The lowest place that no region with a place holds during these steps. `placed` of them are sorted by nothing: there are few.
static void place(kz_region *region, kz_region *const *placed, size_t count, uint64_t base) {
    region->offset = base;
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t i = 0; i < count; i++) {
            const kz_region *other = placed[i];
            bool apart = region->offset + region->bytes <= other->offset ||
                         other->offset + other->bytes <= region->offset;
            if (apart || !meet(region, other)) continue;
            uint64_t end = other->offset + other->bytes;
            region->offset = (end + REGION_ALIGNMENT - 1) / REGION_ALIGNMENT * REGION_ALIGNMENT;
            moved = true;
        }
    }
}

static int larger_first(const void *a, const void *b) {
    const kz_region *x = *(kz_region *const *)a, *y = *(kz_region *const *)b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return x < y ? -1 : x > y; // the same order everywhere
}

static void settle(kz_plan *plan, kz_arg *arg) {
    const kz_region *region = region_of(plan, arg);
    if (region) *arg = kz_arg_workspace(region->offset + arg->offset);
}

kz_status kz_plan_place_regions(kz_plan *plan, kz_error *error) {
    kz_status status = BASE_NEED(plan, PLAN, error);
    if (status) return status;
    if (plan->region_count > KZ_PLAN_REGIONS)
        return base_fail(error, KZ_INVALID, "the plan has %u regions; %d are the most\nmake two plans of it",
                         plan->region_count, KZ_PLAN_REGIONS);
    if (plan->step_count > KZ_PLAN_STEPS || plan->map_count > KZ_PLAN_MAPS)
        return KZ_OK; // what checks the plan says it
    uint64_t base = (plan->workspace_bytes + REGION_ALIGNMENT - 1) / REGION_ALIGNMENT * REGION_ALIGNMENT;
    kz_region *order[KZ_PLAN_REGIONS];
    size_t count = 0;
    find_uses(plan);
    for (uint32_t i = 0; i < plan->region_count; i++)
        if (plan->regions[i].first <= plan->regions[i].last) order[count++] = &plan->regions[i];
    qsort(order, count, sizeof *order, larger_first);
    for (size_t i = 0; i < count; i++) {
        place(order[i], order, i, base);
        // A byte more: the address behind an empty region at the end is the workspace's too.
        uint64_t end = order[i]->offset + order[i]->bytes + 1;
        if (end > plan->workspace_bytes) plan->workspace_bytes = end;
    }
    for (uint32_t m = 0; m < plan->map_count; m++) settle(plan, &plan->maps[m].at);
    for (uint32_t s = 0; s < plan->step_count; s++)
        for (uint32_t a = 0; a < plan->steps[s].arg_count && a < KZ_PLAN_ARGS; a++)
            settle(plan, &plan->steps[s].args[a]);
    return KZ_OK;
}

// ---- a plan in a plan -----------------------------------------------------------------------------------------

// What is added, and what its buffers and its workspace are in the whole.
typedef struct addition {
    const kz_planner *p;
    const kz_family *family;
    const kz_plan *part;
    const kz_arg *buffers;
    size_t buffer_count;
    kz_arg workspace;
} addition;

// What the part's argument is in the whole.
static kz_status translate(const addition *of, const kz_arg *arg, kz_arg *in) {
    const char *family = of->family->name;
    *in = *arg;
    switch (arg->kind) {
    case KZ_ARG_SCALAR: return KZ_OK;
    case KZ_ARG_BUFFER:
        if (arg->buffer >= of->buffer_count)
            return base_fail(of->p->error, KZ_INVALID,
                             "the plan of %s uses its buffer %u, and %zu were given\npass all of its buffers "
                             "in order, kz_arg_u64(0) for one that the case leaves out",
                             family, arg->buffer, of->buffer_count);
        *in = of->buffers[arg->buffer];
        break;
    case KZ_ARG_WORKSPACE: *in = of->workspace; break;
    case KZ_ARG_TENSOR_MAP:
        if (arg->buffer < of->part->map_count) {
            kz_plan_map map = of->part->maps[arg->buffer];
            kz_status status = translate(of, &of->part->maps[arg->buffer].at, &map.at);
            *in = kz_plan_add_map(of->p->plan, map.at, &map.tensor);
            return status;
        }
        return base_fail(of->p->error, KZ_INVALID, "the plan of %s uses its tensor map %u, and has %u",
                         family, arg->buffer, of->part->map_count);
    default:
        return base_fail(of->p->error, KZ_INVALID,
                         "the plan of %s has regions without a place\nits last call is kz_plan_place_regions",
                         family);
    }
    in->offset += arg->offset;
    return KZ_OK;
}

static kz_status append_step(const addition *of, const kz_step *from, const char *image) {
    kz_plan *plan = of->p->plan;
    kz_status status = KZ_OK;
    if (from->stream || from->kind > KZ_STEP_COPY)
        return kz_plan_refuse(of->p->error,
                              "the plan of %s has several streams or waits for one, and cannot be a part of "
                              "another",
                              of->family->name);
    if (plan->step_count++ >= KZ_PLAN_STEPS) return KZ_OK;
    kz_step *step = &plan->steps[plan->step_count - 1];
    *step = *from;
    if (!step->image) step->image = image;
    for (uint32_t a = 0; a < step->arg_count && a < KZ_PLAN_ARGS && !status; a++)
        status = translate(of, &from->args[a], &step->args[a]);
    return status;
}

static kz_status append(addition *of, const char *image) {
    char name[KZ_REGION_NAME];
    snprintf(name, sizeof name, "%.21s workspace", of->family->name);
    if (of->part->workspace_bytes)
        of->workspace = kz_plan_add_region(of->p->plan, name, of->part->workspace_bytes);
    kz_status status = KZ_OK;
    for (uint32_t i = 0; i < of->part->step_count && !status; i++)
        status = append_step(of, &of->part->steps[i], image);
    return status;
}

kz_status kz_plan_add_operation(const kz_planner *p, const kz_family *family, const kz_case *c,
                                const char *variant, const kz_arg *buffers, size_t buffer_count) {
    kz_status status = BASE_NEED(p, PLANNER, NULL);
    if (!status) status = BASE_NEED(family, FAMILY, p->error);
    if (!status) status = BASE_NEED(c, CASE, p->error);
    if (!status && buffer_count) status = BASE_NEED(buffers, BUFFERS, p->error);
    if (status) return status;
    const kz_variant *which =
        variant ? kz_variant_find(family, variant) : kz_choose(family, c, p->device, true, NULL);
    if (!which)
        return kz_plan_refuse(p->error, "%s has no variant%s%s for a part of the plan on %s", family->name,
                              variant ? " " : "", variant ? variant : "", p->device->id);
    if (which->natives)
        return kz_plan_refuse(p->error, "%s/%s is plain C: operations of GPUs alone are parts of plans",
                              family->name, which->name);
    kz_plan *part = calloc(1, sizeof *part); // too large for a thread's stack
    if (!part) return kz_fail(p->error, KZ_NO_MEMORY, "no memory for the plan of %s", family->name);
    status = kz_variant_plan(family, which, c, p->device, part, p->error);
    const kz_image *image = family_find_image(family, which->name);
    addition of = {p, family, part, buffers, buffer_count, {0}};
    if (!status) status = append(&of, image ? image->name : NULL);
    free(part);
    return status;
}
