// Plans as graphs: recorded at the first run, and kept with the module until memory is freed. A driver's
// graph holds on to what its addresses meant when it was recorded: memory that is allocated anew at the same
// place is not the same to it.
#include <stdlib.h>
#include <string.h>

#include "device/plan.h"

enum { GRAPHS = 16 }; // of a module; the oldest gives way

struct device_plan_graph {
    kz_plan plan;
    kz_ptr workspace;
    kz_ptr *buffers;
    size_t buffer_count;
    uint64_t frees; // of the device, when it was recorded
    kz_graph *graph;
    struct device_plan_graph *next;
};
typedef struct device_plan_graph plan_graph;

kz_status device_plan_record(const device_plan_call *call, const device_plan_watcher *watcher,
                             kz_graph **graph, kz_error *error) {
    kz_stream **own = &call->device->plan_streams[0];
    device_plan_call inside = *call;
    *graph = NULL;
    kz_status status = *own ? KZ_OK : kz_stream_open(call->device, own, error);
    if (!status) status = kz_graph_begin(call->device, *own, error);
    if (status) return status;
    inside.stream = *own;
    status = device_plan_steps(&inside, watcher, error);
    // Recording must end even where a step could not be recorded, or the stream stays unusable.
    kz_status ended = kz_graph_end(call->device, *own, graph, status ? NULL : error);
    if (status && *graph) kz_graph_close(*graph), *graph = NULL;
    return status ? status : ended;
}

// What is past the counts is of no consequence, and long.
static bool same_steps(const kz_plan *a, const kz_plan *b) {
    return a->step_count == b->step_count && a->map_count == b->map_count &&
           memcmp(a->steps, b->steps, a->step_count * sizeof *a->steps) == 0 &&
           memcmp(a->maps, b->maps, a->map_count * sizeof *a->maps) == 0;
}

static bool is_for(const plan_graph *g, const device_plan_call *call) {
    return g->workspace == call->workspace && g->buffer_count == call->buffer_count &&
           memcmp(g->buffers, call->buffers, call->buffer_count * sizeof *g->buffers) == 0 &&
           same_steps(&g->plan, call->plan);
}

static void close_graph(plan_graph *g) {
    if (g->graph) kz_graph_close(g->graph);
    free(g->buffers);
    free(g);
}

static uint64_t count_frees(kz_device *device) {
    device_lock(device);
    uint64_t frees = device->frees;
    device_unlock(device);
    return frees;
}

static void drop_stale(kz_module *module) {
    uint64_t frees = count_frees(module->device);
    for (plan_graph **at = &module->graphs; *at;) {
        plan_graph *g = *at;
        if (g->frees == frees) {
            at = &g->next;
            continue;
        }
        *at = g->next;
        close_graph(g);
    }
}

static void keep(kz_module *module, plan_graph *made) {
    size_t count = 0;
    made->next = module->graphs;
    module->graphs = made;
    for (plan_graph **at = &module->graphs; *at; at = &(*at)->next)
        if (++count > GRAPHS) {
            close_graph(*at);
            *at = NULL;
            return;
        }
}

static kz_status make(const device_plan_call *call, plan_graph **made, kz_error *error) {
    uint64_t frees = count_frees(call->device); // before it is recorded: what is freed meanwhile counts
    plan_graph *g = DEVICE_NEW(plan_graph, error);
    if (!g) return KZ_NO_MEMORY;
    g->buffers = device_new((call->buffer_count + 1) * sizeof *g->buffers, error);
    kz_status status = g->buffers ? device_plan_record(call, NULL, &g->graph, error) : KZ_NO_MEMORY;
    if (status) {
        close_graph(g);
        return status;
    }
    if (call->buffer_count) memcpy(g->buffers, call->buffers, call->buffer_count * sizeof *g->buffers);
    g->plan = *call->plan;
    g->workspace = call->workspace;
    g->buffer_count = call->buffer_count;
    g->frees = frees;
    *made = g;
    return KZ_OK;
}

kz_status device_plan_launch_graph(const device_plan_call *call, kz_error *error) {
    if (!call->plan->step_count) return KZ_OK;
    drop_stale(call->module);
    plan_graph *g = call->module->graphs;
    while (g && !is_for(g, call)) g = g->next;
    if (!g) {
        kz_status status = make(call, &g, error);
        if (status) return status;
        keep(call->module, g);
    }
    return kz_graph_launch(call->device, g->graph, call->stream, error);
}

void device_plan_close_graphs(kz_module *module) {
    for (plan_graph *g = module->graphs, *next; g; g = next) {
        next = g->next;
        close_graph(g);
    }
    module->graphs = NULL;
}
