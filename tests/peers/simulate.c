// simulate PEER.so FAMILY CASE...: runs a rival on the simulator, and checks what it computes against the family's reference. A
// case is a glob of the family's edge cases, or the name of any case.
//
// The program is linked with the simulator's CUDA runtime, so a rival that calls CUDA, cuBLAS or cuBLASLt (KZ_CUBLAS and
// KZ_CUBLASLT name ours, KZ_CUSPARSELT a fake) works on simulated memory. Every algorithm that the rival has runs once, on outputs that were
// poisoned before. Prints a line per case; exit status 1 where one is wrong, fails, or no case matches, 77 where the rival was
// not built.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "family/case.h"
#include "family/compare.h"
#include "family/inputs.h"
#include "kz/family.h"
#include "peers/peer.h"

int cudaMalloc(void **to, size_t bytes);
int cudaFree(void *at);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaMemset(void *at, int value, size_t bytes);
int cudaDeviceSynchronize(void);
const char *cudaGetErrorString(int error);
enum { TO_DEVICE = 1, TO_HOST = 2, SEED = 7, GARBAGE = 0x5a };

typedef struct data {
    const kz_family *family;
    kz_case c;
    size_t count;
    kz_buffer buffers[KZ_FAMILY_BUFFERS];
    void *host[KZ_FAMILY_BUFFERS], *device[KZ_FAMILY_BUFFERS];
    kz_ptr addresses[KZ_FAMILY_BUFFERS]; // with the case's misalignment
    double *expected[KZ_FAMILY_BUFFERS], *bound[KZ_FAMILY_BUFFERS];
} data;

static void stop(const char *what, const char *why) {
    fprintf(stderr, "simulate: %s: %s\n", what, why);
    exit(1);
}
static void must(int error, const char *what) {
    if (error) stop(what, cudaGetErrorString(error));
}
static void *room(size_t bytes) {
    void *memory = calloc(bytes + 1, 1);
    if (!memory) stop("calloc", "no memory");
    return memory;
}

static size_t bytes_of(const kz_buffer *b) { return b->count * kz_type_size(b->type); }

static void open_data(data *d) {
    d->count = d->family->buffers(&d->c, d->buffers);
    for (size_t i = 0; i < d->count; i++) {
        const kz_buffer *b = &d->buffers[i];
        d->host[i] = room(bytes_of(b));
        if (b->role != KZ_OUTPUT) family_make_input(d->family, &d->c, i, b, SEED, 0, b->count, d->host[i]);
        size_t offset = d->c.misalign * kz_type_size(b->type);
        must(cudaMalloc(&d->device[i], bytes_of(b) + offset + 1), "cudaMalloc");
        d->addresses[i] = (kz_ptr)(uintptr_t)d->device[i] + offset;
    }
    if (d->family->derive) d->family->derive(&d->c, d->host);
    for (size_t i = 0; i < d->count; i++) {
        kz_error error = {0};
        if (d->buffers[i].role == KZ_INPUT) continue;
        d->expected[i] = room(d->buffers[i].count * sizeof(double));
        d->bound[i] = room(d->buffers[i].count * sizeof(double));
        if (d->family->reference(&d->c, d->host, i, d->expected[i], d->bound[i], &error))
            stop("the reference", error.message);
    }
}

static void close_data(data *d) {
    for (size_t i = 0; i < d->count; i++) {
        free(d->host[i]);
        free(d->expected[i]);
        free(d->bound[i]);
        must(cudaFree(d->device[i]), "cudaFree");
    }
}

static void put(const data *d, size_t i, const void *bytes) {
    if (bytes_of(&d->buffers[i]) > 0)
        must(cudaMemcpy((void *)(uintptr_t)d->addresses[i], bytes, bytes_of(&d->buffers[i]), TO_DEVICE),
             "cudaMemcpy");
}

static void fill(const data *d) {
    for (size_t i = 0; i < d->count; i++) {
        void *poison = room(bytes_of(&d->buffers[i]));
        family_poison(d->buffers[i].type, d->buffers[i].count, poison);
        put(d, i, d->buffers[i].role == KZ_OUTPUT ? poison : d->host[i]);
        free(poison);
    }
}

// The worst share of its bound; above 1 is wrong. An input that changed is wrong too.
static double compare(const data *d) {
    double worst = 0;
    for (size_t i = 0; i < d->count; i++) {
        const kz_buffer *b = &d->buffers[i];
        void *got = room(bytes_of(b));
        if (bytes_of(b) > 0)
            must(cudaMemcpy(got, (const void *)(uintptr_t)d->addresses[i], bytes_of(b), TO_HOST),
                 "cudaMemcpy");
        family_comparison result = {0};
        const family_output output = {.type = b->type,
                                      .count = b->count,
                                      .got = got,
                                      .expected = d->expected[i],
                                      .bound = d->bound[i],
                                      .read = d->family->read ? d->family->read(&d->c, i) : NULL};
        if (b->role != KZ_INPUT) family_compare(&output, &result);
        bool changed = b->role == KZ_INPUT && memcmp(got, d->host[i], bytes_of(b)) != 0;
        if (result.wrong)
            printf("  %s[%llu] is %g, not %g within %g; %llu are wrong\n", b->name,
                   (unsigned long long)result.first_wrong, result.got, result.expected, result.bound,
                   (unsigned long long)result.wrong);
        if (changed) printf("  it wrote into its input %s\n", b->name);
        double share = result.wrong || changed ? 2 : result.worst_ratio;
        worst = share > worst ? share : worst;
        free(got);
    }
    return worst;
}

// All algorithms of a plan; the worst share of a bound.
static double run_all(const kz_peer *peer, const kz_peer_problem *problem, const data *d,
                      kz_peer_plan *plan) {
    double worst = 0;
    void *workspace = NULL, *packed = NULL;
    must(cudaMalloc(&workspace, plan->workspace_bytes + 1), "cudaMalloc");
    must(cudaMalloc(&packed, plan->packed_bytes + 1), "cudaMalloc");
    for (plan->algorithm = 0; plan->algorithm < plan->algorithms; plan->algorithm++) {
        const kz_peer_call call = {NULL, d->addresses, (kz_ptr)(uintptr_t)workspace,
                                   (kz_ptr)(uintptr_t)packed};
        const char *why = "";
        fill(d);
        if (peer->pack && plan->algorithm == 0 && peer->pack(problem, plan, &call, &why)) stop("pack", why);
        must(cudaMemset(workspace, GARBAGE, plan->workspace_bytes + 1), "cudaMemset");
        if (peer->run(problem, plan, &call, &why)) stop("run", why);
        must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
        double share = compare(d);
        if (share > 1) printf("  by algorithm %d\n", plan->algorithm);
        worst = share > worst ? share : worst;
    }
    must(cudaFree(workspace), "cudaFree");
    must(cudaFree(packed), "cudaFree");
    return worst;
}

// Whether it is right, or not offered.
static bool check(const kz_peer *peer, const kz_family *family, const kz_case *c, int *ran) {
    char name[FAMILY_CASE_NAME];
    kz_arg args[KZ_PLAN_ARGS];
    kz_peer_problem problem = {.family = family->name,
                               .operation = family->operations[c->operation],
                               .type = c->type,
                               .args = args,
                               .arg_count = kz_guest_args(family, c, args)};
    memcpy(problem.axes, c->axes, sizeof problem.axes);
    uint32_t offset = (uint32_t)(c->misalign * kz_type_size(c->type));
    problem.alignment = offset & -offset;
    const char *offer = peer->offers(&problem), *why = "";
    if (!offer) return true;
    data d = {.family = family, .c = *c};
    kz_peer_plan plan = {0};
    family_case_name(family, c, name);
    int status = peer->prepare(&problem, &plan, &why);
    if (status) {
        printf("%s %s %s: %s\n", peer->name, family->name, name, why);
        if (peer->close) peer->close(&plan);
        return status == KZ_PEER_DOES_NOT;
    }
    open_data(&d);
    double share = run_all(peer, &problem, &d, &plan);
    printf("%s %s %s: %s, %d algorithms, %.0f%% of the bound%s\n", peer->name, family->name, name, offer,
           plan.algorithms, 100 * share, share > 1 ? ": WRONG" : "");
    (*ran)++;
    if (peer->close) peer->close(&plan);
    close_data(&d);
    return share <= 1;
}

// The family's edge cases that match the glob, or else the case of that name; how many are wrong.
static int check_named(const kz_peer *peer, const kz_family *family, const char *glob, int *ran) {
    int wrong = 0;
    bool found = false;
    for (size_t i = 0; i < family->case_count; i++) {
        const kz_case *c = &family->cases[i];
        if (!(c->use & KZ_USE_CHECK) || !family_case_matches(family, c, glob)) continue;
        found = true;
        wrong += !check(peer, family, c, ran);
    }
    kz_case c;
    kz_error error = {0};
    if (found) return wrong;
    if (family_case_parse(family, glob, &c, &error)) stop(glob, error.message);
    return !check(peer, family, &c, ran);
}

static const kz_peer *open_peer(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    kz_peer_get_function get;
    if (!library) stop(path, dlerror());
    void *found = dlsym(library, "kz_peer_get");
    if (!found) stop(path, "it has no kz_peer_get");
    memcpy(&get, &found, sizeof get);
    if (get()->interface != KZ_PEER_INTERFACE) stop(path, "its interface is another one");
    return get();
}

int main(int argc, char **argv) {
    if (argc < 4) stop("usage", "simulate PEER.so FAMILY CASE...");
    if (access(argv[1], F_OK) != 0) return 77;
    const kz_peer *peer = open_peer(argv[1]);
    const kz_family *family = kz_family_find(argv[2]);
    if (!family) stop(argv[2], "there is no such family");
    int ran = 0, wrong = 0;
    for (int i = 3; i < argc; i++) wrong += check_named(peer, family, argv[i], &ran);
    printf("%d cases ran, %d are wrong\n", ran, wrong);
    return wrong > 0 || ran == 0;
}
