// truth_products: launches one matrix product of every kind that sm_90 has, on the GPU (for ncu to watch) or on the simulator,
// which counts.
//
//   truth_products [--device cuda|sim:h200] [--ptx FOLDER] [BEGINNING]
//
// Prints as truth_counters does. A launch is one warp, or one warpgroup, that executes the product once; its kinds are the rows
// of ptx/matrix.def with the first of the types each, and every pair of sums. --ptx writes the modules instead, for ptxas to check. Exit: 0, or 2 where it could not run.
#include <stdio.h>
#include <string.h>

#include "kz/plan.h"
#include "ptx/matrix.h"
#include "truth.h"

typedef struct kind {
    ptx_matrix matrix;
    char a[8], b[8], d[8], c[8];
    char name[64];
} kind;

// The `index`-th word of a list; false past its end.
static bool word_at(const char *list, unsigned index, char word[16]) {
    for (; *list; list += strspn(list, " ")) {
        size_t length = strcspn(list, " ");
        if (index-- == 0) {
            snprintf(word, 16, "%.*s", (int)length, list);
            return true;
        }
        list += length;
    }
    return false;
}

static ptx_type type_named(const char *name) {
    for (int i = 0; i < PTX_TYPE_COUNT; i++)
        if (!strcmp(ptx_type_name((ptx_type)i), name)) return (ptx_type)i;
    return PTX_TYPE_NONE;
}

static bool kind_at(unsigned row, unsigned sums, uint16_t n, kind *k) {
    static const char *const names[] = {
        [PTX_OP_MMA] = "mma", [PTX_OP_WMMA] = "wmma", [PTX_OP_WGMMA_MMA_ASYNC] = "wgmma"};
    ptx_matrix_row r;
    char pair[16], a[16], b[16];
    if (!ptx_matrix_row_at(row, &r) || !word_at(r.sums, sums, pair) || !word_at(r.a, 0, a)) return false;
    if (!word_at(r.b, 0, b) || b[0] == '=') memcpy(b, a, sizeof b);
    *k = (kind){.matrix = r.matrix};
    if (r.many_n) k->matrix.n = n;
    char *colon = strchr(pair, ':');
    *colon = 0;
    snprintf(k->a, sizeof k->a, "%.7s", a);
    snprintf(k->b, sizeof k->b, "%.7s", b);
    snprintf(k->d, sizeof k->d, "%.7s", pair);
    snprintf(k->c, sizeof k->c, "%.7s", colon + 1);
    k->matrix.types[PTX_MATRIX_A] = type_named(k->a);
    k->matrix.types[PTX_MATRIX_B] = type_named(k->b);
    k->matrix.types[PTX_MATRIX_C] = type_named(k->c);
    k->matrix.types[PTX_MATRIX_D] = type_named(k->d);
    k->matrix.quarters =
        k->matrix.op == PTX_OP_MMA && k->matrix.k == 4 && k->matrix.types[PTX_MATRIX_A] == PTX_F16;
    snprintf(k->name, sizeof k->name, "%s_m%un%uk%u_%s_%s_%s_%s%s", names[k->matrix.op], k->matrix.m,
             k->matrix.n, k->matrix.k, k->d, k->a, k->b, k->c, k->matrix.sparse ? "_sparse" : "");
    return true;
}

// ---- PTX ----------------------------------------------------------------------------------------

// "{%a0,%a1}", and their declaration and first values, which differ: ptxas makes one of two products that are alike. Registers of f64 are so wide; f32 and f16 sums are .f32 and .b32.
static void registers(const kind *k, ptx_matrix_part part, char letter, base_text *before,
                      base_text *operand) {
    unsigned bits, count = ptx_matrix_registers(&k->matrix, part, &bits);
    bool is_float = k->matrix.types[part] == PTX_F32 && part >= PTX_MATRIX_C;
    const char *type = bits == 64 ? "f64" : is_float ? "f32" : "b32";
    base_text_add(before, ".reg .%s %%%c<%u>;\n", type, letter, count);
    base_text_add(operand, "{");
    for (unsigned i = 0; i < count; i++) {
        base_text_add(operand, "%s%%%c%u", i ? "," : "", letter, i);
        base_text_add(before,
                      bits == 64 ? "add.u64 %%v, %%w, %u; mov.b64 %%%c%u, %%v;\n"
                                 : "add.u32 %%x, %%n, %u; mov.b32 %%%c%u, %%x;\n",
                      5 * i + (unsigned)letter, letter, i);
    }
    base_text_add(operand, "}");
}

static void write_product(const kind *k, base_text *before, base_text *text) {
    const ptx_matrix *x = &k->matrix;
    base_text a = {0}, b = {0}, c = {0}, d = {0};
    bool bits = !strcmp(k->a, "b1"), group = x->op == PTX_OP_WGMMA_MMA_ASYNC;
    const char *sparse = x->sparse ? group ? ".sp" : ".sp::ordered_metadata" : "";
    registers(k, PTX_MATRIX_D, 'd', before, &d);
    if (!group) {
        registers(k, PTX_MATRIX_A, 'a', before, &a);
        registers(k, PTX_MATRIX_B, 'b', before, &b);
        registers(k, PTX_MATRIX_C, 'c', before, &c);
    }
    if (x->op == PTX_OP_MMA)
        base_text_add(text, "mma%s.sync.aligned.m%un%uk%u.row.col.%s.%s.%s.%s%s %s,%s,%s,%s%s;\n", sparse,
                      x->m, x->n, x->k, k->d, k->a, k->b, k->c, bits ? ".and.popc" : "", d.data, a.data,
                      b.data, c.data, x->sparse ? ",%m,0" : "");
    else if (x->op == PTX_OP_WMMA && !strcmp(k->a, "f16"))
        base_text_add(text, "wmma.mma.sync.aligned.row.col.m%un%uk%u.%s.%s %s,%s,%s,%s;\n", x->m, x->n, x->k,
                      k->d, k->c, d.data, a.data, b.data, c.data);
    else if (x->op == PTX_OP_WMMA)
        base_text_add(text, "wmma.mma%s.sync.aligned.row.col.m%un%uk%u.%s.%s.%s.%s%s %s,%s,%s,%s;\n",
                      bits ? ".and.popc" : "", x->m, x->n, x->k, k->d, k->a, k->b, k->c,
                      !strcmp(k->a, "f64") ? ".rn" : "", d.data, a.data, b.data, c.data);
    else {
        bool is_float = k->d[0] == 'f';
        base_text_add(text,
                      "wgmma.fence.sync.aligned;\nwgmma.mma_async%s.sync.aligned.m%un%uk%u.%s.%s.%s%s "
                      "%s,%%e,%%e%s,%%q%s%s;\n"
                      "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n",
                      sparse, x->m, x->n, x->k, k->d, k->a, k->b, bits ? ".and.popc" : "", d.data,
                      x->sparse ? ",%m,0" : "", is_float ? ",1,1" : "",
                      ptx_type_bits(x->types[PTX_MATRIX_A]) == 16 ? ",0,0" : "");
    }
    base_text_free(&a), base_text_free(&b), base_text_free(&c), base_text_free(&d);
}

// What was computed is stored where it equals a number that it never equals, so that ptxas keeps it.
static void write_module(const kind *k, base_text *text) {
    base_text before = {0}, product = {0};
    unsigned bits, count = ptx_matrix_registers(&k->matrix, PTX_MATRIX_D, &bits);
    write_product(k, &before, &product);
    base_text_add(
        text,
        ".version 8.7\n.target sm_90a\n.address_size 64\n.shared .align 1024 .b8 room[%d];\n"
        ".visible .entry %s(.param .u32 p_never, .param .u64 p_sink) {\n"
        ".reg .b32 %%n, %%m, %%r, %%x; .reg .b64 %%w, %%v, %%e, %%sink; .reg .pred %%q, %%p;\n"
        "ld.param.u32 %%n, [p_never]; cvt.u64.u32 %%w, %%n; mov.u32 %%m, 0x44444444; setp.ne.u32 %%q, %%n, "
        "0;\n"
        "mov.u32 %%r, room; shr.u32 %%r, %%r, 4; cvt.u64.u32 %%e, %%r; or.b64 %%e, %%e, 0x1000080000;\n%s%s"
        "mov.u32 %%r, 0;\n",
        MICRO_SHARED_ROOM, k->name, before.data, product.data);
    for (unsigned i = 0; i < count; i++)
        base_text_add(text,
                      bits == 64 ? "{ .reg .b32 %%hi; mov.b64 {%%x, %%hi}, %%d%u; } xor.b32 %%r, %%r, %%x;\n"
                                 : "mov.b32 %%x, %%d%u; xor.b32 %%r, %%r, %%x;\n",
                      i);
    base_text_add(text, "setp.eq.u32 %%p, %%r, 0x6b7a3d51;\nld.param.u64 %%sink, [p_sink];\n"
                        "@%%p st.global.u32 [%%sink], %%r;\nret;\n}\n");
    base_text_free(&before);
    base_text_free(&product);
}

// ---- launches -----------------------------------------------------------------------------------

static kz_status write_file(const char *folder, const kind *k, kz_error *error) {
    base_text text = {0};
    char path[512];
    snprintf(path, sizeof path, "%s/%s.ptx", folder, k->name);
    write_module(k, &text);
    FILE *file = fopen(path, "w");
    if (file) fputs(text.data, file), fclose(file);
    base_text_free(&text);
    return file ? KZ_OK : base_fail(error, KZ_IO, "cannot write %s", path);
}

typedef struct bench {
    kz_device *device;
    kz_ptr sink;
    bool counts;
    unsigned launches;
} bench;

static kz_status run_kind(bench *b, const kind *k, kz_error *error) {
    base_text text = {0};
    kz_module *module = NULL;
    kz_kernel *kernel;
    observe_session *session = NULL;
    uint32_t never = 1;
    const void *args[] = {&never, &b->sink};
    uint32_t threads = k->matrix.op == PTX_OP_WGMMA_MMA_ASYNC ? 128 : 32;
    kz_launch launch = {.size = sizeof(kz_launch), .grid = {1, 1, 1}, .block = {threads, 1, 1}};
    write_module(k, &text);
    kz_image image = {.size = sizeof(kz_image), .name = k->name, .ptx = text.data, .ptx_size = text.length};
    kz_status status = kz_module_load(b->device, &image, &module, error);
    if (!status) status = kz_module_kernel(module, k->name, &kernel, error);
    if (!status && b->counts) status = observed_begin(b->device, &session, error);
    if (!status) status = kz_launch_kernel(b->device, NULL, kernel, &launch, args, 2, error);
    if (!status) status = kz_device_synchronize(b->device, error);
    if (!status) printf("%u,%s/once,%s\n", b->launches, k->name, k->name);
    if (!status && b->counts) observed_end(b->device, session, b->launches, "tensor");
    if (!status) b->launches++;
    if (status) fprintf(stderr, "%s: %s\n", k->name, error->message);
    if (module) kz_module_close(module);
    base_text_free(&text);
    return status;
}

int main(int argc, char **argv) {
    static const uint16_t columns[] = {8, 64, 256};
    const char *id = "sim:h200", *filter = "", *folder = NULL;
    bench b = {0};
    kz_error error = {0};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--device") && i + 1 < argc)
            id = argv[++i];
        else if (!strcmp(argv[i], "--ptx") && i + 1 < argc)
            folder = argv[++i];
        else
            filter = argv[i];
    }
    kz_status status = kz_device_open(id, &b.device, &error);
    if (!status) b.counts = kz_device_get_info(b.device)->kind == KZ_DEVICE_SIM;
    if (!status) status = kz_memory_alloc(b.device, 4, &b.sink, &error);
    if (status) fprintf(stderr, "truth_products: %s\n", error.message);
    unsigned refused = 0;
    kind k;
    for (unsigned row = 0; !status && kind_at(row, 0, 8, &k); row++)
        for (unsigned sums = 0; sums < 4; sums++)
            for (size_t n = 0; n < BASE_COUNT(columns) && kind_at(row, sums, columns[n], &k); n++) {
                bool many = k.matrix.op == PTX_OP_WGMMA_MMA_ASYNC;
                if ((n && !many) || strncmp(k.name, filter, strlen(filter)) != 0) continue;
                refused += (folder ? write_file(folder, &k, &error) : run_kind(&b, &k, &error)) != KZ_OK;
            }
    if (b.device) kz_device_close(b.device);
    if (refused) fprintf(stderr, "truth_products: %u kinds could not run\n", refused);
    return status || refused ? 2 : 0;
}
