// Kernel Zoo, for people who add a kernel family.
//
// A family is one constant kz_family: what its inputs are, what the right answer is and how far a
// correct kernel may be from it, how much work is the least, and the ladder of variants. All of its
// functions are pure; the harness owns every buffer. See kernels/primitives/vector_add for a model.
// These structs belong to one version of the library: they carry no size, and change with its soname.
#ifndef KZ_FAMILY_H
#define KZ_FAMILY_H

#include "kz/cases.h"
#include "kz/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KZ_ANYTHING (-1.0) // a bound that any value keeps

enum { KZ_CASE_AXES = 6, KZ_FAMILY_BUFFERS = 20, KZ_ESTIMATE_HOW = 64 };

// What the numbers in an input are: KZ_DATA_UNIFORM, and for edges KZ_DATA_NAN and the rest of data.def.
typedef enum kz_data {
#define KZ_DATA(id, name, meaning) KZ_DATA_##id,
#include "kz/data.def"
#undef KZ_DATA
    KZ_DATA_COUNT
} kz_data;

typedef enum kz_case_use {
    KZ_USE_CHECK = 1, // an edge case: small enough for the simulator
    KZ_USE_BENCH = 2, // a size worth timing on a GPU
    KZ_USE_HUGE = 4,  // past 2^31 elements: GPU only, and only where memory allows
} kz_case_use;

// One problem. axes[] means what the family says (n; rows and columns; ...).
typedef struct kz_case {
    uint32_t operation; // index into kz_family.operations
    kz_type type;
    int64_t axes[KZ_CASE_AXES];
    kz_data data;
    uint32_t misalign; // input and output start this many elements past an aligned address
    uint32_t use;      // kz_case_use bits
    // NULL, or the family's own struct with what no axis says: what a public operation was asked for. Whoever makes such a
    // case keeps it until the plan is made.
    const void *detail;
} kz_case;

typedef enum kz_role { KZ_INPUT, KZ_OUTPUT, KZ_INOUT } kz_role;

typedef struct kz_buffer {
    const char *name; // "x"
    kz_role role;
    kz_type type;
    uint64_t count; // elements
} kz_buffer;

// Flops of matrix products are the tensor cores' where these have the type: the case's, or one that it does not name.
typedef enum kz_products {
    KZ_PRODUCTS_NONE,
    KZ_PRODUCTS_OF_TYPE,
    KZ_PRODUCTS_TF32,
    KZ_PRODUCTS_F8,
    KZ_PRODUCTS_I8,
    KZ_PRODUCTS_F64,
} kz_products;

typedef struct kz_work {
    double bytes; // the least that must cross DRAM
    double flops;
    kz_products products;
} kz_work;

// The work of a case, worked out by hand: what `work` is tested against.
typedef struct kz_worked {
    kz_case c;
    kz_work work;
} kz_worked;

// An element as a number.
typedef double kz_read(const void *data, uint64_t index);

typedef struct kz_family kz_family;
typedef struct kz_variant kz_variant;

// What a plan is made from, and the plan, empty at first.
typedef struct kz_planner {
    const kz_family *family;
    const kz_variant *variant;
    const kz_case *c;
    const kz_device_info *device;
    kz_plan *plan;
    kz_error *error;
} kz_planner;

// In the place of a least architecture: exactly this one, as for architecture-specific PTX (sm_90a).
#define KZ_SM_EXACT(sm) (-(sm))

struct kz_variant {
    const char *name; // "03_warp_shuffle": also the file's stem
    int min_sm; // lowest architecture it runs on: 75, or KZ_SM_EXACT(90); 0 for a native C variant of the `cpu` device
    // Fills the plan; KZ_UNSUPPORTED with a reason where the variant does not do the case. Variants share one where
    // they differ in their kernels and in the figures below alone.
    kz_status (*plan)(const kz_planner *p);
    const char *idea;               // one line for tables
    const kz_native_entry *natives; // for a native variant; ends with a NULL name

    // For plans that several variants share (kz_plan_tiles).
    uint32_t threads; // of a block
    uint32_t tile;    // elements that a block takes; with a `width`: rows, of axis 0
    uint32_t width;   // and columns, of axis 1
    uint32_t blocks;  // per multiprocessor, at most; 0: one for each tile
    uint32_t does;    // bits 1 << operation, for families whose variants have some of them
    bool unordered;   // it adds in the order in which threads come: see kz_family.nondeterministic
    // NULL, or ends with a NULL: the code of other families that its plans launch (kz_plan_add_operation). Where it has all
    // of them, the variant needs no file of its own.
    const kz_image_set *const *others;
    bool untimed; // no GPU has run it yet: a model's estimate alone does not choose it, a row of a table does
};

// What the names of kernels say of a case.
typedef struct kz_entry {
    const char *operation;
    kz_type type;
} kz_entry;

// A variant's former name, and its name.
typedef struct kz_former_name {
    const char *former, *name;
} kz_former_name;

// What the build makes of a family's folder.
typedef struct kz_embedded {
    const char *choice;   // the text of choice.csv; "" where there is none
    kz_image_set code;    // an image per .cu file, named "<family>/<variant>"
    const char *measured; // the text of measured.csv; "" where there is none
} kz_embedded;

// For the files of a family: declares it, and what the build embeds for it.
#define KZ_DECLARE_FAMILY(name)                                                                              \
    extern const kz_family kz_family_##name;                                                                 \
    extern const kz_embedded kz_embedded_##name

#define KZ_TYPE_BIT(type) (1u << KZ_##type)

struct kz_family {
    const char *name;              // "reduce"
    const char *group;             // "primitives"
    const char *summary;           // one line
    const char *const *operations; // ends with NULL; at least one
    const char *const *axes;       // names of the axes in use, ends with NULL: {"n", NULL}
    const char
        *axes_note; // optional, one line: what the axes mean that their names do not say (units, codes)
    uint32_t types; // that it has: KZ_TYPE_BIT(F32) | ...; 0: all, as far as its plans say

    const kz_variant *variants; // the order is the journey
    size_t variant_count;
    const kz_former_name *former_names; // NULL, or ends with a NULL: kept results and commands may say them
    const kz_case *cases;               // edge cases and benchmark sizes alike
    size_t case_count;
    const kz_embedded *embedded; // NULL: no code, no choice.csv

    // Optional: what kernels are named for, where it is not the case's own operation and type: one serves all types of
    // a size, say.
    kz_entry (*entry)(const kz_case *c);

    // The case's buffers, in the order the plan's KZ_ARG_BUFFER indices mean.
    size_t (*buffers)(const kz_case *c, kz_buffer buffers[KZ_FAMILY_BUFFERS]);

    // Optional: where they are, for families whose work begins and ends on the host. NULL: on the device.
    kz_location (*location)(const kz_case *c);

    // Optional. Fills elements [first, first + count) of input `which` and says true; false leaves them to the
    // case's kind of data. An element may depend on the seed and its index alone, for any part of an input can
    // be asked for: kz_draw is made for that. Indices, offsets of segments and the like are made here.
    bool (*fill)(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count, void *host);

    // Optional. Fills inputs that follow from other inputs, once those are made: what a forward pass left for the backward pass.
    void (*derive)(const kz_case *c, void *const *host);

    // Optional. How elements of output `which` are read where they are of no kz_type: codes of 8-bit floats, kept as bytes. NULL,
    // or a NULL result: as their type says.
    kz_read *(*read)(const kz_case *c, size_t which);

    // Host buffers as `buffers` describes them (inputs filled). For element i of output buffer
    // `which`, expected[i] is the answer in double and bound[i] >= 0 the largest allowed distance
    // from an error bound; an exact answer has bound 0. NaN expects NaN; Inf expects that very Inf. The bound
    // KZ_ANYTHING leaves the element to the kernel: what lies behind the last one that was selected, say.
    kz_status (*reference)(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                           kz_error *error);

    // Optional. Which of several answers that look right output `which` has to give, one line, shown where it is wrong: "of
    // equal values the lower index comes first". NULL, or a NULL result: there are no others.
    const char *(*rule)(const kz_case *c, size_t which);

    // Element i of every output depends on element i of the inputs alone, and axis 0 counts them: the harness
    // may then split a large case over its cores, and ask for the reference piece by piece.
    bool elementwise;

    kz_work (*work)(const kz_case *c);
    const kz_worked *worked; // at least one
    size_t worked_count;

    // Whose kernels do the same: names of src/bench/rivals.def, ends with NULL. NULL: nobody's.
    const char *const *rivals;

    // The arguments a guest kernel takes (a kernel from outside the tree in this family's place), as
    // a C parameter list for messages and as plan arguments (NULL: the buffers in order, then the axes). Where cases
    // differ, a line for each list; all but the first open with their cases, as globs of <operation>-<type>:
    // "const T *in, T *out, size_t n\nargmin-*,argmax-*: const T *in, T *out, long long *index, size_t n". No arguments: guests
    // are not given the case, for it has what no parameter says.
    const char *guest_signature;
    size_t (*guest_args)(const kz_case *c, kz_arg args[KZ_PLAN_ARGS]);

    // How a variant is chosen (kz_choose); each of these may be NULL.
    uint64_t (*size)(const kz_case *c); // what the ranges in choice.csv are about; NULL: axis 0
    // The variant's result may differ in its last bits from run to run; NULL: none does.
    bool (*nondeterministic)(const kz_case *c, const kz_variant *variant);
    // For shapes that no range of sizes orders: the time a variant takes for a case, in microseconds, by a model; negative: it
    // cannot tell. `how` gets the model's figures in words: "2 rounds".
    double (*estimate)(const kz_case *c, const kz_device_info *device, const kz_variant *variant,
                       char how[KZ_ESTIMATE_HOW]);
};

// ---- helpers for plans --------------------------------------------------------------------------

// A launch of a plan. What is not named is 0 or NULL, and has the meaning given here.
typedef struct kz_plan_launch {
    const char *idea;      // in the entry's name <family>_<idea>_<operation>_<type>; NULL: the variant's
    const char *part;      // NULL, or which of the idea's kernels: <idea>_<part>
    const char *operation; // NULL: the case's
    const char *entry;     // the whole name, where it is another
    uint64_t blocks;       // of the grid; 0: nothing is launched
    uint32_t threads;      // of a block
    uint32_t cluster;      // blocks of a cluster; 0: no clusters
    uint32_t shared_bytes;
    bool cooperative, overlap; // see kz_launch
    uint32_t stream;
    const kz_arg *args; // KZ_ARGS(...); NULL: what a guest gets, kz_guest_args
    size_t arg_count;
} kz_plan_launch;
#define KZ_ARGS(...)                                                                                         \
    .args = (const kz_arg[]){__VA_ARGS__}, .arg_count = sizeof((const kz_arg[]){__VA_ARGS__}) / sizeof(kz_arg)

// Appends it; KZ_UNSUPPORTED where no grid has as many blocks. KZ_LAUNCH(p, .blocks = 7, .threads = 256) does it in one.
KZ_API kz_status kz_plan_add_launch(const kz_planner *p, const kz_plan_launch *launch);
#define KZ_LAUNCH(p, ...) kz_plan_add_launch(p, &(const kz_plan_launch){__VA_ARGS__})

// Another family's operation as a part of the plan: its steps are appended, and its workspace is a region. `buffers` are its
// buffers in order, in the caller's buffers or in the plan's regions. `variant` NULL takes the best known one of which each
// run gives the same bits. kz_variant.others must have the family's code. Its steps are in the caller's stream alone.
KZ_API kz_status kz_plan_add_operation(const kz_planner *p, const kz_family *family, const kz_case *c,
                                       const char *variant, const kz_arg *buffers, size_t buffer_count);

// The plan of a variant that is one launch with a guest's arguments, as `threads`, `tile` and `blocks` of its row say.
KZ_API kz_status kz_plan_tiles(const kz_planner *p);

// A guest's arguments: the family's guest_args or, without one, the buffers in order, then the axes.
KZ_API size_t kz_guest_args(const kz_family *family, const kz_case *c, kz_arg args[KZ_PLAN_ARGS]);

// "vector_add_grid_stride_add_f32": the family, the variant without its number, operation and type. What is
// longer than the array is cut off at its end.
enum { KZ_ENTRY_NAME = 64 };
KZ_API void kz_entry_name(char name[KZ_ENTRY_NAME], const char *family, const char *idea,
                          const char *operation, kz_type type);

// The integer of as many bytes: what kernels that only move elements are named for. KZ_TYPE_COUNT if there is none.
KZ_API kz_type kz_type_of_size(size_t bytes);

static inline uint64_t kz_ceil_div(uint64_t a, uint64_t b) { return (a + b - 1) / b; }
static inline uint64_t kz_min_u64(uint64_t a, uint64_t b) { return a < b ? a : b; }

// KZ_UNSUPPORTED with a reason, for a plan that does not do a case.
KZ_API kz_status kz_plan_refuse(kz_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Fills `error` (which may be NULL) and returns `status`, for the calls of kz/ops. The first line says what
// happened and in which call, the next one what to do.
KZ_API kz_status kz_fail(kz_error *error, kz_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// The case an operation was opened for, without its detail: for calls of kz/ops whose struct has fields for several
// operations. NULL for NULL.
struct kz_operation;
KZ_API const kz_case *kz_operation_case(const struct kz_operation *operation);

// ---- helpers for references and native variants ---------------------------------------------------

KZ_API double kz_element_get(kz_type type, const void *data, uint64_t index);
KZ_API void kz_element_set(kz_type type, void *data, uint64_t index,
                           double value); // rounds once, to nearest even

// A native variant's arguments.
static inline uint64_t kz_native_u64(const kz_native_launch *launch, size_t arg) {
    return *(const uint64_t *)launch->args[arg];
}
static inline void *kz_native_pointer(const kz_native_launch *launch, size_t arg) {
    return *(void *const *)launch->args[arg];
}

// A block's even share [begin, end) of `count` things.
typedef struct kz_share {
    uint64_t begin, end;
} kz_share;
static inline kz_share kz_native_share(const kz_native_launch *launch, uint64_t count) {
    uint64_t each = kz_ceil_div(count, launch->grid[0]),
             begin = kz_min_u64(count, each * launch->block_index[0]);
    return (kz_share){begin, kz_min_u64(count, begin + each)};
}

// 64 random bits that belong to the seed, the buffer and the index.
KZ_API uint64_t kz_draw(uint64_t seed, uint32_t buffer, uint64_t index);

// What one call of Philox 4x32-10 gives.
typedef struct kz_philox_block {
    uint32_t word[4];
} kz_philox_block;

// The key is the seed, the counter of 128 bits is (counter, stream). kz/device/philox.cuh has the same for kernels.
KZ_API kz_philox_block kz_philox(uint64_t seed, uint64_t stream, uint64_t counter);

// What the type's exact rounding may move `value` by: half an ulp, denormals included; 0 for integers.
KZ_API double kz_half_ulp(kz_type type, double value);
KZ_API double kz_unit_roundoff(kz_type type); // 2^-24 for f32; 0 for integers
// `value`, or the infinity that the type would round it to.
KZ_API double kz_saturate(kz_type type, double value);

// ---- helpers for the choice of a variant ----------------------------------------------------------

// Which variant the public operation takes for a case.
//
// A family with a model (`estimate`): the variant that measured.csv names for this GPU, operation, type and nearly these
// axes, or the table that `kz tune` wrote into the user's folder, which comes first; else the one with the least estimate.
// Any other family, and where none has an estimate: rows of the family's choice.csv are
// gpu,type,operation,from,to,variant, where "*" matches all. It is the first row that names the device's GPU and matches
// type, operation and size; else the first such row whose GPU is "*"; else, where no row matches, the first variant of
// the table. So a new variant is taken only when a row names it. What does not run there or does not do the case is passed
// over, and so is a nondeterministic variant where `deterministic` is set. NULL where none is left. `why`, if not NULL,
// gets the reason in words.
enum { KZ_CHOICE_WHY = 640 };
KZ_API const kz_variant *kz_choose(const kz_family *family, const kz_case *c, const kz_device_info *device,
                                   bool deterministic, char why[KZ_CHOICE_WHY]);

KZ_API bool kz_variant_fits(const kz_variant *variant, const kz_device_info *device);
// The variant's plan, where the device can run it: KZ_UNSUPPORTED with the reason where the architecture, the memory of a
// block or the variant itself says no.
KZ_API kz_status kz_variant_plan(const kz_family *family, const kz_variant *variant, const kz_case *c,
                                 const kz_device_info *device, kz_plan *plan, kz_error *error);

// ---- variants and their code ---------------------------------------------------------------------

// By its name, with or without the number ("warp_shuffle" for "03_warp_shuffle"), or by a former name; NULL for none.
KZ_API const kz_variant *kz_variant_find(const kz_family *family, const char *name);
KZ_API const char *kz_variant_idea(const kz_variant *variant); // its name without the number: "warp_shuffle"

// The embedded code of a variant (PTX and machine code, or native entries).
KZ_API kz_status kz_variant_image(const kz_family *family, const kz_variant *variant, kz_image *image,
                                  kz_error *error);

// ---- the zoo --------------------------------------------------------------------------------------

// All families, in the order of zoo.def. Whoever calls these links all of them.
KZ_API const kz_family *const *kz_family_list(size_t *count);
KZ_API const kz_family *kz_family_find(const char *name); // NULL where there is none

#ifdef __cplusplus
}
#endif
#endif
