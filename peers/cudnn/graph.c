// See graph.h.
#include "peers/cudnn/graph.h"

#include <stdio.h>
#include <string.h>

// cuDNN's numbers: kinds of descriptors, then attributes of each, then types of attributes.
enum {
    POINTWISE = 0,
    ENGINE = 2,
    ENGINE_CONFIG = 3,
    HEURISTICS = 4,
    PLAN = 5,
    OPERATION_POINTWISE = 13,
    OPERATION_GRAPH = 15,
    VARIANT_PACK = 16,
    TENSOR = 17,
    MATMUL = 18,
    OPERATION_MATMUL = 19,
    REDUCTION = 21,
    OPERATION_REDUCTION = 22,
    OPERATION_NORM_FORWARD = 29,
    OPERATION_NORM_BACKWARD = 30,
    OPERATION_RESHAPE = 31,
    OPERATION_PAGED_LOAD = 35,
};
enum {
    POINTWISE_MODE = 0,
    POINTWISE_PRECISION = 1,
    POINTWISE_AXIS = 9,
    HEURISTICS_MODE = 200,
    HEURISTICS_GRAPH = 201,
    HEURISTICS_RESULTS = 202,
    ENGINE_CONFIG_ENGINE = 300,
    PLAN_HANDLE = 400,
    PLAN_ENGINE_CONFIG = 401,
    PLAN_WORKSPACE_SIZE = 402,
    OPERATION_POINTWISE_POINTWISE = 750,
    OPERATION_POINTWISE_X = 751,
    OPERATION_POINTWISE_B = 752,
    OPERATION_POINTWISE_Y = 753,
    OPERATION_POINTWISE_T = 758,
    GRAPH_HANDLE = 800,
    GRAPH_OPS = 801,
    TENSOR_ALIGNMENT = 900,
    TENSOR_TYPE = 901,
    TENSOR_DIMENSIONS = 902,
    TENSOR_STRIDES = 903,
    TENSOR_ID = 906,
    TENSOR_IS_VIRTUAL = 907,
    TENSOR_IS_VALUE = 908,
    PACK_IDS = 1000,
    PACK_POINTERS = 1001,
    PACK_WORKSPACE = 1003,
    ENGINE_NUMERICAL_NOTE = 1303,
    MATMUL_TYPE = 1500,
    OPERATION_MATMUL_A = 1520,
    OPERATION_MATMUL_B = 1521,
    OPERATION_MATMUL_C = 1522,
    OPERATION_MATMUL_MATMUL = 1523,
    OPERATION_MATMUL_ROWS = 1525, // what of them counts
    OPERATION_MATMUL_COLUMNS = 1526,
    OPERATION_MATMUL_DEPTH = 1527,
    REDUCTION_OPERATOR = 1600,
    REDUCTION_TYPE = 1601,
    OPERATION_REDUCTION_X = 1610,
    OPERATION_REDUCTION_Y = 1611,
    OPERATION_REDUCTION_REDUCTION = 1612,
    PAGED_LOAD_CONTAINER = 1950,
    PAGED_LOAD_Y = 1951,
    PAGED_LOAD_LENGTHS = 1952,
    PAGED_LOAD_TABLE = 1953,
    NORM_MODE = 2000,
    NORM_PHASE = 2001,
    NORM_X = 2002,
    NORM_MEAN = 2003,
    NORM_DEVIATION = 2004,
    NORM_SCALE = 2005,
    NORM_BIAS = 2006,
    NORM_EPSILON = 2007,
    NORM_Y = 2013,
    NORM_BACK_MODE = 2100,
    NORM_BACK_X = 2101,
    NORM_BACK_MEAN = 2102,
    NORM_BACK_DEVIATION = 2103,
    NORM_BACK_DY = 2104,
    NORM_BACK_SCALE = 2105,
    NORM_BACK_DSCALE = 2107,
    NORM_BACK_DBIAS = 2108,
    NORM_BACK_DX = 2109,
    RESHAPE_X = 2200,
    RESHAPE_Y = 2201,
};
enum {
    IS_HANDLE = 0,
    IS_DATA_TYPE = 1,
    IS_BOOLEAN = 2,
    IS_I64 = 3,
    IS_POINTER = 6,
    IS_HEURISTICS_MODE = 8,
    IS_NUMERICAL_NOTE = 11,
    IS_POINTWISE_MODE = 14,
    IS_DESCRIPTOR = 15,
    IS_REDUCTION_OPERATOR = 18,
    IS_NORM_MODE = 27,
    IS_NORM_PHASE = 28,
};
enum {
    MODE_FALLBACK = 2,
    MODE_A = 3,
    NOTE_TENSOR_CORE = 0,
    NOTE_NARROWER_INPUTS = 1,
    NOTE_NARROWER_SUMS = 2,
    NOTES = 10,
    INFERENCE = 0,
    TRAINING = 1,
    FIRST_BUFFER = 1, // ids of tensors
    FIRST_VALUE = 101,
    FIRST_VIRTUAL = 201,
    PACKED = 100,
    FIRST_SCRATCH = 81,
    SCRATCH_UNIT = 256, // bytes
    CONFIGS = 16,       // asked of the heuristics
};

// ---- descriptors -----------------------------------------------------------------------------------------

static bool check(graph *g, int status, const char *what) { return cudnn_check(status, what, g->error); }

static void *make(graph *g, int kind) {
    void *descriptor = NULL;
    if (g->error[0]) return NULL;
    if (g->made_count == GRAPH_DESCRIPTORS)
        snprintf(g->error, sizeof g->error, "the graph has more than %d descriptors", GRAPH_DESCRIPTORS);
    else if (check(g, g->api->make(kind, &descriptor), "cudnnBackendCreateDescriptor"))
        g->made[g->made_count++] = descriptor;
    return descriptor;
}

static void set(graph *g, void *descriptor, int attribute, int type, int64_t count, const void *values) {
    char what[64];
    if (g->error[0]) return;
    snprintf(what, sizeof what, "cudnnBackendSetAttribute of %d", attribute);
    check(g, g->api->set(descriptor, attribute, type, count, values), what);
}

static void set_one(graph *g, void *descriptor, int attribute, int type, int value) { // an enumeration
    set(g, descriptor, attribute, type, 1, &value);
}

static void set_part(graph *g, void *descriptor, int attribute, void *part) {
    if (part) set(g, descriptor, attribute, IS_DESCRIPTOR, 1, &part);
}

static void *finish(graph *g, void *descriptor, const char *what) {
    if (!g->error[0]) check(g, g->api->finalize(descriptor), what);
    return g->error[0] ? NULL : descriptor;
}

bool graph_open(graph *g) {
    g->api = cudnn_functions();
    return check(g, g->api->create(&g->handle), "cudnnCreate");
}

void graph_close(graph *g) {
    while (g->made_count) g->api->drop(g->made[--g->made_count]);
    if (g->handle) g->api->destroy(g->handle);
}

// ---- tensors ---------------------------------------------------------------------------------------------

static void *make_tensor(graph *g, int64_t id, int type, int rank, const int64_t *dimensions,
                         const int64_t *strides, int attribute) {
    const bool yes = true;
    void *tensor = make(g, TENSOR);
    set_one(g, tensor, TENSOR_TYPE, IS_DATA_TYPE, type);
    set(g, tensor, TENSOR_DIMENSIONS, IS_I64, rank, dimensions);
    set(g, tensor, TENSOR_STRIDES, IS_I64, rank, strides);
    set(g, tensor, TENSOR_ID, IS_I64, 1, &id);
    set(g, tensor, TENSOR_ALIGNMENT, IS_I64, 1, &g->alignment);
    if (attribute) set(g, tensor, attribute, IS_BOOLEAN, 1, &yes);
    return finish(g, tensor, "a tensor");
}

static void row_major(int rank, const int64_t *dimensions, int64_t *strides) {
    int64_t stride = 1;
    for (int i = rank; i-- > 0; stride *= dimensions[i]) strides[i] = stride;
}

void *graph_buffer_at(graph *g, size_t index, int type, int rank, const int64_t *dimensions,
                      const int64_t *strides) {
    if (g->buffers <= index) g->buffers = index + 1;
    return make_tensor(g, FIRST_BUFFER + (int64_t)index, type, rank, dimensions, strides, 0);
}

void *graph_buffer(graph *g, size_t index, int type, int rank, const int64_t *dimensions) {
    int64_t strides[GRAPH_DIMENSIONS];
    row_major(rank, dimensions, strides);
    return graph_buffer_at(g, index, type, rank, dimensions, strides);
}

static void transposed(int rank, const int64_t *dimensions, int64_t *strides) {
    int64_t in_memory[GRAPH_DIMENSIONS];
    memcpy(in_memory, dimensions, (size_t)rank * sizeof *dimensions);
    in_memory[rank - 1] = dimensions[rank - 2];
    in_memory[rank - 2] = dimensions[rank - 1];
    row_major(rank, in_memory, strides);
    int64_t last = strides[rank - 1];
    strides[rank - 1] = strides[rank - 2];
    strides[rank - 2] = last;
}

void *graph_buffer_transposed(graph *g, size_t index, int type, int rank, const int64_t *dimensions) {
    int64_t strides[GRAPH_DIMENSIONS];
    transposed(rank, dimensions, strides);
    return graph_buffer_at(g, index, type, rank, dimensions, strides);
}

void *graph_matrix(graph *g, size_t index, int type, int64_t rows, int64_t columns) {
    const int64_t dimensions[] = {rows, columns, 1, 1}, strides[] = {columns, 1, columns, columns};
    return graph_buffer_at(g, index, type, 4, dimensions, strides);
}

void *graph_virtual(graph *g, int type, int rank, const int64_t *dimensions) {
    int64_t strides[GRAPH_DIMENSIONS];
    row_major(rank, dimensions, strides);
    return make_tensor(g, FIRST_VIRTUAL + (int64_t)g->virtuals++, type, rank, dimensions, strides,
                       TENSOR_IS_VIRTUAL);
}

void *graph_virtual_transposed(graph *g, int type, int rank, const int64_t *dimensions) {
    int64_t strides[GRAPH_DIMENSIONS];
    transposed(rank, dimensions, strides);
    return make_tensor(g, FIRST_VIRTUAL + (int64_t)g->virtuals++, type, rank, dimensions, strides,
                       TENSOR_IS_VIRTUAL);
}

static size_t in_units(size_t bytes) { return (bytes + SCRATCH_UNIT - 1) / SCRATCH_UNIT * SCRATCH_UNIT; }

void *graph_scratch(graph *g, int rank, const int64_t *dimensions) {
    int64_t strides[GRAPH_DIMENSIONS];
    row_major(rank, dimensions, strides);
    g->scratch[g->scratch_count] = g->scratch_bytes;
    g->scratch_bytes += in_units((size_t)(dimensions[0] * strides[0]) * sizeof(float));
    return make_tensor(g, FIRST_SCRATCH + (int64_t)g->scratch_count++, TYPE_F32, rank, dimensions, strides,
                       0);
}

size_t graph_workspace(const graph *g) {
    return g->scratch_bytes ? in_units(g->workspace_bytes) + g->scratch_bytes : g->workspace_bytes;
}

void *graph_packed(graph *g, int type, int rank, const int64_t *dimensions) {
    int64_t strides[GRAPH_DIMENSIONS];
    row_major(rank, dimensions, strides);
    g->packed = true;
    return make_tensor(g, PACKED, type, rank, dimensions, strides, 0);
}

static void *add_value(graph *g, graph_number value, int type, int rank) {
    const int64_t ones[GRAPH_DIMENSIONS] = {1, 1, 1, 1};
    g->value[g->values] = value;
    return make_tensor(g, FIRST_VALUE + (int64_t)g->values++, type, rank, ones, ones, TENSOR_IS_VALUE);
}

void *graph_value(graph *g, float value, int rank) {
    return add_value(g, (graph_number){.real = value}, TYPE_F32, rank);
}

void *graph_whole(graph *g, int32_t value, int rank) {
    return add_value(g, (graph_number){.whole = value}, TYPE_I32, rank);
}

// ---- operations ------------------------------------------------------------------------------------------

static void add_operation(graph *g, void *operation) {
    void *done = finish(g, operation, "an operation");
    if (done && g->operation_count < GRAPH_OPERATIONS) g->operations[g->operation_count++] = done;
}

static void add_pointwise(graph *g, int mode, int type, int64_t axis, void *x, void *b, void *t, void *y) {
    void *how = make(g, POINTWISE), *operation = make(g, OPERATION_POINTWISE);
    set_one(g, how, POINTWISE_MODE, IS_POINTWISE_MODE, mode);
    set_one(g, how, POINTWISE_PRECISION, IS_DATA_TYPE, type);
    if (axis >= 0) set(g, how, POINTWISE_AXIS, IS_I64, 1, &axis);
    finish(g, how, "a pointwise operation");
    set_part(g, operation, OPERATION_POINTWISE_POINTWISE, how);
    set_part(g, operation, OPERATION_POINTWISE_X, x);
    set_part(g, operation, OPERATION_POINTWISE_B, b);
    set_part(g, operation, OPERATION_POINTWISE_T, t);
    set_part(g, operation, OPERATION_POINTWISE_Y, y);
    add_operation(g, operation);
}

void graph_pointwise(graph *g, int mode, void *x, void *b, void *t, void *y) {
    add_pointwise(g, mode, TYPE_F32, -1, x, b, t, y);
}

void graph_pointwise_of(graph *g, int mode, int type, void *x, void *b, void *y) {
    add_pointwise(g, mode, type, -1, x, b, NULL, y);
}

void graph_index(graph *g, int64_t axis, void *x, void *y) {
    add_pointwise(g, POINTWISE_GEN_INDEX, TYPE_F32, axis, x, NULL, NULL, y);
}

void graph_reduce(graph *g, int mode, void *x, void *y) {
    void *how = make(g, REDUCTION), *operation = make(g, OPERATION_REDUCTION);
    set_one(g, how, REDUCTION_OPERATOR, IS_REDUCTION_OPERATOR, mode);
    set_one(g, how, REDUCTION_TYPE, IS_DATA_TYPE, TYPE_F32);
    finish(g, how, "a reduction");
    set_part(g, operation, OPERATION_REDUCTION_REDUCTION, how);
    set_part(g, operation, OPERATION_REDUCTION_X, x);
    set_part(g, operation, OPERATION_REDUCTION_Y, y);
    add_operation(g, operation);
}

void graph_multiply_part(graph *g, void *a, void *b, void *c, graph_sizes sizes) {
    void *how = make(g, MATMUL), *operation = make(g, OPERATION_MATMUL);
    set_one(g, how, MATMUL_TYPE, IS_DATA_TYPE, TYPE_F32);
    finish(g, how, "a product");
    set_part(g, operation, OPERATION_MATMUL_MATMUL, how);
    set_part(g, operation, OPERATION_MATMUL_A, a);
    set_part(g, operation, OPERATION_MATMUL_B, b);
    set_part(g, operation, OPERATION_MATMUL_C, c);
    set_part(g, operation, OPERATION_MATMUL_ROWS, sizes.rows);
    set_part(g, operation, OPERATION_MATMUL_COLUMNS, sizes.columns);
    set_part(g, operation, OPERATION_MATMUL_DEPTH, sizes.depth);
    add_operation(g, operation);
}

void graph_multiply(graph *g, void *a, void *b, void *c) {
    graph_multiply_part(g, a, b, c, (graph_sizes){NULL, NULL, NULL});
}

void graph_reshape(graph *g, void *x, void *y) {
    void *operation = make(g, OPERATION_RESHAPE);
    set_part(g, operation, RESHAPE_X, x);
    set_part(g, operation, RESHAPE_Y, y);
    add_operation(g, operation);
}

void graph_paged_load(graph *g, void *pool, void *lengths, void *table, void *y) {
    void *operation = make(g, OPERATION_PAGED_LOAD);
    set_part(g, operation, PAGED_LOAD_CONTAINER, pool);
    set_part(g, operation, PAGED_LOAD_LENGTHS, lengths);
    set_part(g, operation, PAGED_LOAD_TABLE, table);
    set_part(g, operation, PAGED_LOAD_Y, y);
    add_operation(g, operation);
}

// Training keeps what the gradients want.
void graph_norm(graph *g, const graph_norm_tensors *t) {
    void *operation = make(g, OPERATION_NORM_FORWARD);
    set_one(g, operation, NORM_MODE, IS_NORM_MODE, t->mode);
    set_one(g, operation, NORM_PHASE, IS_NORM_PHASE, t->deviation ? TRAINING : INFERENCE);
    set_part(g, operation, NORM_X, t->x);
    set_part(g, operation, NORM_MEAN, t->mean);
    set_part(g, operation, NORM_DEVIATION, t->deviation);
    set_part(g, operation, NORM_SCALE, t->scale);
    set_part(g, operation, NORM_BIAS, t->bias);
    set_part(g, operation, NORM_EPSILON, t->epsilon);
    set_part(g, operation, NORM_Y, t->y);
    add_operation(g, operation);
}

void graph_norm_back(graph *g, const graph_norm_tensors *t) {
    void *operation = make(g, OPERATION_NORM_BACKWARD);
    set_one(g, operation, NORM_BACK_MODE, IS_NORM_MODE, t->mode);
    set_part(g, operation, NORM_BACK_X, t->x);
    set_part(g, operation, NORM_BACK_MEAN, t->mean);
    set_part(g, operation, NORM_BACK_DEVIATION, t->deviation);
    set_part(g, operation, NORM_BACK_DY, t->y);
    set_part(g, operation, NORM_BACK_SCALE, t->scale);
    set_part(g, operation, NORM_BACK_DSCALE, t->dscale);
    set_part(g, operation, NORM_BACK_DBIAS, t->bias);
    set_part(g, operation, NORM_BACK_DX, t->dx);
    add_operation(g, operation);
}

// ---- plans -----------------------------------------------------------------------------------------------

// Whether its engine computes with fewer bits than f32 has.
static bool rounds(graph *g, void *config) {
    int notes[NOTES];
    int64_t count = 0, notes_count = 0;
    void *engine = make(g, ENGINE);
    if (!engine || g->api->get(config, ENGINE_CONFIG_ENGINE, IS_DESCRIPTOR, 1, &count, &engine) != 0)
        return false;
    if (g->api->get(engine, ENGINE_NUMERICAL_NOTE, IS_NUMERICAL_NOTE, NOTES, &notes_count, notes) != 0)
        return false;
    for (int64_t i = 0; i < notes_count && i < NOTES; i++)
        if (notes[i] == NOTE_TENSOR_CORE || notes[i] == NOTE_NARROWER_INPUTS ||
            notes[i] == NOTE_NARROWER_SUMS)
            return true;
    return false;
}

// Configurations that do not make a plan are passed over, and their error kept for where none does.
static void add_plan(graph *g, void *config, char why[CUDNN_ERROR]) {
    void *plan = make(g, PLAN);
    int64_t bytes = 0, count = 0;
    set(g, plan, PLAN_HANDLE, IS_HANDLE, 1, &g->handle);
    set_part(g, plan, PLAN_ENGINE_CONFIG, config);
    if (finish(g, plan, "a plan"))
        check(g, g->api->get(plan, PLAN_WORKSPACE_SIZE, IS_I64, 1, &count, &bytes), "a plan's workspace");
    if (g->error[0]) {
        memcpy(why, g->error, sizeof g->error);
        g->error[0] = '\0';
        return;
    }
    if ((size_t)bytes > g->workspace_bytes) g->workspace_bytes = (size_t)bytes;
    g->plans[g->plan_count++] = plan;
}

// How many configurations the heuristics give, at most CONFIGS.
static int64_t ask(graph *g, void *operations, int mode, void *configs[CONFIGS]) {
    int64_t count = 0;
    void *heuristics = make(g, HEURISTICS);
    set_part(g, heuristics, HEURISTICS_GRAPH, operations);
    set_one(g, heuristics, HEURISTICS_MODE, IS_HEURISTICS_MODE, mode);
    finish(g, heuristics, "the heuristics");
    for (int i = 0; i < CONFIGS; i++) configs[i] = make(g, ENGINE_CONFIG);
    if (!g->error[0])
        check(g, g->api->get(heuristics, HEURISTICS_RESULTS, IS_DESCRIPTOR, CONFIGS, &count, configs),
              "the heuristics' results");
    return g->error[0] ? 0 : count < CONFIGS ? count : CONFIGS;
}

bool graph_plan(graph *g, bool exact) {
    char why[CUDNN_ERROR] = "the heuristics give no engine for this case";
    void *configs[CONFIGS], *operations = make(g, OPERATION_GRAPH);
    set(g, operations, GRAPH_HANDLE, IS_HANDLE, 1, &g->handle);
    set(g, operations, GRAPH_OPS, IS_DESCRIPTOR, (int64_t)g->operation_count, g->operations);
    finish(g, operations, "the graph");
    static const int modes[] = {MODE_A, MODE_FALLBACK};
    for (int m = 0; m < 2 && g->plan_count == 0 && !g->error[0]; m++) {
        int64_t count = ask(g, operations, modes[m], configs);
        for (int narrow = 0; narrow < 2 && g->plan_count == 0; narrow++)
            for (int64_t i = 0; i < count && g->plan_count < GRAPH_PLANS; i++)
                if (!exact || rounds(g, configs[i]) == (narrow == 1)) add_plan(g, configs[i], why);
        if (m == 0 && g->error[0])
            memcpy(why, g->error, sizeof why), g->error[0] = '\0'; // then the fallback's
    }
    if (g->plan_count == 0 && !g->error[0]) memcpy(g->error, why, sizeof why);
    return g->plan_count > 0;
}

bool graph_run(graph *g, int plan, const kz_peer_call *call) {
    int64_t ids[KZ_FAMILY_BUFFERS + GRAPH_VALUES + GRAPH_SCRATCH + 1];
    void *pointers[KZ_FAMILY_BUFFERS + GRAPH_VALUES + GRAPH_SCRATCH + 1], *pack = NULL;
    void *workspace = (void *)(uintptr_t)call->workspace;
    int64_t count = 0;
    for (size_t i = 0; i < g->buffers; i++, count++) {
        ids[count] = FIRST_BUFFER + (int64_t)i;
        pointers[count] = (void *)(uintptr_t)call->buffers[i];
    }
    for (size_t i = 0; i < g->values; i++, count++) {
        ids[count] = FIRST_VALUE + (int64_t)i;
        pointers[count] = &g->value[i];
    }
    for (size_t i = 0; i < g->scratch_count; i++, count++) {
        ids[count] = FIRST_SCRATCH + (int64_t)i;
        pointers[count] = (char *)workspace + in_units(g->workspace_bytes) + g->scratch[i];
    }
    if (g->packed) ids[count] = PACKED, pointers[count++] = (void *)(uintptr_t)call->packed;
    g->error[0] = '\0';
    bool made = check(g, g->api->make(VARIANT_PACK, &pack), "cudnnBackendCreateDescriptor");
    set(g, pack, PACK_IDS, IS_I64, count, ids);
    set(g, pack, PACK_POINTERS, IS_POINTER, count, pointers);
    set(g, pack, PACK_WORKSPACE, IS_POINTER, 1, &workspace);
    finish(g, pack, "the pack of buffers");
    if (!g->error[0]) check(g, g->api->set_stream(g->handle, call->stream), "cudnnSetStream");
    if (!g->error[0]) check(g, g->api->execute(g->handle, g->plans[plan], pack), "cudnnBackendExecute");
    if (made) g->api->drop(pack);
    return !g->error[0];
}
