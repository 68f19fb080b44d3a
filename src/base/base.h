// base: what every layer stands on. Knows no GPU.
#ifndef BASE_BASE_H
#define BASE_BASE_H

#include <stdarg.h>

#include "kz/kz.h"

// ---- errors ---------------------------------------------------------------------------------

// Fills `error` (which may be NULL) and returns `status`: `return base_fail(error, KZ_IO, "...")`. Names of files and
// what compilers say may hold anything: the message is fit for a terminal (base_clean).
kz_status base_fail(kz_error *error, kz_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Appends a line to the message: a cause or a next step.
void base_fail_note(kz_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
// KZ_INVALID where the argument `id` (a row of arguments.def) of the public call is NULL: says so, and what to pass.
#define BASE_NEED(pointer, id, error) base_need(pointer, __func__, BASE_NEEDS_##id, error)
// The same for where a result goes; `type` is what it points at.
#define BASE_NEED_RESULT(pointer, type, error) base_need_result(pointer, __func__, #type, error)
typedef enum base_argument {
#define BASE_ARGUMENT(id, what, instead) BASE_NEEDS_##id,
#include "base/arguments.def"
#undef BASE_ARGUMENT
} base_argument;
kz_status base_need(const void *pointer, const char *call, base_argument argument, kz_error *error);
kz_status base_need_result(const void *pointer, const char *call, const char *type, kz_error *error);
// "name:line:column: message", then the line and a caret under the column. `text` is the whole file, and
// `offset` the position in it; lines and columns count from 1.
kz_status base_fail_caret(kz_error *error, kz_status status, const char *name, const char *text,
                          size_t length, size_t offset, uint32_t line, uint32_t column, const char *message);
// The name in `names` (ends with NULL) that `word` was probably meant to be; NULL where none is near.
const char *base_nearest(const char *word, const char *const *names);

// ---- arena: one lifetime, freed at once -------------------------------------------------------

typedef struct base_arena base_arena;
base_arena *base_arena_open(void); // NULL when out of memory
void base_arena_close(base_arena *arena);
// Zeroed memory, 16-byte aligned. NULL when out of memory.
void *base_arena_alloc(base_arena *arena, size_t bytes);
char *base_arena_string(base_arena *arena, const char *text, size_t length);

// ---- text: a growing string -------------------------------------------------------------------

// {0} is an empty text. `data` is NULL or NUL-terminated; base_text_free ends it.
typedef struct base_text {
    char *data;
    size_t length, capacity;
    bool failed; // an append ran out of memory; later appends do nothing
} base_text;
void base_text_add(base_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void base_text_add_v(base_text *text, const char *format, va_list list);
void base_text_add_bytes(base_text *text, const char *bytes, size_t length);
void base_text_add_json(base_text *text, const char *string); // quoted and escaped; null for NULL
void base_text_add_word(base_text *text, const char *word); // as a shell takes it: quoted where it has to be
// For people and terminals: bytes that are no UTF-8, and characters that a terminal obeys (controls but newline and tab,
// the direction of text) become U+FFFD; a carriage return before a newline goes.
void base_text_add_clean(base_text *text, const char *string);
void base_clean(char *text); // the same in place: each byte of them becomes "?"
void base_text_free(base_text *text);
// Bytes of the UTF-8 character at `at`, which ends with a NUL somewhere; 0 where it is none.
size_t base_utf8_length(const char *at);
bool base_ends_with(const char *text, const char *suffix);
// The bare identifier in a mangled C++ name: "matmul" in "_Z6matmulPKf" and "_ZN2ns6matmulILi4EEvPf", `length` bytes of it.
// A name that is not mangled is its own.
const char *base_bare_name(const char *mangled, size_t *length);
// Lines of C or CUDA with more on them than blanks and comments.
size_t base_code_lines(const char *text);

// ---- hash: FNV-1a, 64 bits ------------------------------------------------------------------------

// Tells contents apart, and is no protection against anybody. Begin with BASE_HASH; go on with what was returned.
#define BASE_HASH UINT64_C(0xcbf29ce484222325)
uint64_t base_hash(uint64_t hash, const void *data, size_t size);

// ---- SHA-256 (FIPS 180-4), for what must not be forged ---------------------------------------------

typedef struct base_sha256 {
    uint32_t state[8];
    uint64_t length; // bytes so far
    uint8_t block[64];
} base_sha256;

enum { BASE_SHA256 = 65 }; // 64 hexadecimal digits and a NUL

void base_sha256_begin(base_sha256 *hash);
void base_sha256_add(base_sha256 *hash, const void *data, size_t size);
void base_sha256_add_field(base_sha256 *hash,
                           const char *text); // with its length, so that "a","b" is not "ab"
void base_sha256_end(base_sha256 *hash, char text[BASE_SHA256]);
kz_status base_sha256_file(const char *path, char text[BASE_SHA256], kz_error *error);

// ---- files ------------------------------------------------------------------------------------

// The whole file, NUL-terminated, malloc'ed. A pipe or a device is read only by a name below /dev or /proc, never waited
// for in the place of a file.
kz_status base_file_read(const char *path, char **data, size_t *size, kz_error *error);
// The same in a folder that a program of others wrote: a plain file of at most `most` bytes. KZ_INVALID for a link, a pipe
// or a device in its place, none of which is opened, waited for or followed.
kz_status base_file_read_untrusted(const char *path, size_t most, char **data, size_t *size, kz_error *error);
// A file could not be opened to be read, for this errno: says so, the same wherever it was. KZ_NOT_FOUND if it is
// not there.
kz_status base_file_fail_open(const char *path, int code, kz_error *error);
// Whole or not at all: written beside, synced, renamed.
kz_status base_file_write(const char *path, const void *data, size_t size, kz_error *error);
// The same without waiting for the disk, for what can be made again: a crash of the machine may leave it empty. A link, a
// pipe or a device of that name is replaced, never written to.
kz_status base_file_write_scratch(const char *path, const void *data, size_t size, kz_error *error);
// Adds one whole line (with its newline) under a lock, synced.
kz_status base_file_append_line(const char *path, const char *line, kz_error *error);
kz_status base_make_folders(const char *path, kz_error *error); // mkdir -p
// A file, or a folder with all that is in it: however deep, whatever the modes say. Links are not followed.
void base_remove_tree(const char *path);
bool base_file_exists(const char *path);
const char *base_file_name(const char *path); // what stands after the last slash
bool base_path_up(char *path);                // cuts that off; false where there is no slash

// ---- this process -------------------------------------------------------------------------------

double base_seconds(void);            // of a clock that nobody sets: for durations
int64_t base_wall_seconds(void);      // since 1970, by the machine's clock
uint64_t base_wall_nanoseconds(void); // the same, finer
enum { BASE_UTC = 32 };
void base_utc_time(char text[BASE_UTC]);  // now: "2026-11-15T02:27:31Z"
void base_utc_stamp(char text[BASE_UTC]); // now, for names of files: "20261115T022731Z"
// The path of this executable: what belongs to it is found from there.
enum { BASE_PATH = 1024 };
kz_status base_self_path(char path[BASE_PATH], kz_error *error);
// Whether this executable or a library that is loaded imports or defines the symbol; those whose path has `except` are
// not asked.
bool base_self_names(const char *symbol, const char *except);

// Where kz keeps what it writes by itself: $KZ_RESULTS, else $XDG_STATE_HOME/kz, else ~/.local/state/kz. False, and
// nothing added, where none of the three is set.
bool base_state_folder(base_text *path);

// ---- random: Philox4x32-10, counter-based, so any element can be made alone ---------------------

typedef struct base_philox_block {
    uint32_t word[4];
} base_philox_block;
base_philox_block base_philox(uint64_t seed, uint64_t stream, uint64_t counter);

// ---- element types ------------------------------------------------------------------------------

// A row of kz/types.def, which explains the columns.
typedef enum base_number_kind { BASE_FLOAT, BASE_SIGNED, BASE_UNSIGNED } base_number_kind;
typedef struct base_type {
    const char *name;
    size_t size;
    base_number_kind kind;
    int digits, lowest, highest;
    uint64_t poison;
    const char *cuda, *c;
    double roundoff; // 2^-digits; 0 for integers
} base_type;
const base_type *base_type_of(kz_type type);
bool base_type_is_float(kz_type type);

// ---- half types, round to nearest even ----------------------------------------------------------

float base_f16_to_f32(uint16_t bits);
uint16_t base_f32_to_f16(float value);
uint16_t base_f64_to_f16(double value); // one rounding
float base_bf16_to_f32(uint16_t bits);
uint16_t base_f32_to_bf16(float value);
uint16_t base_f64_to_bf16(double value); // one rounding

// ---- LZ4 blocks -----------------------------------------------------------------------------------

// Exactly `to_size` bytes must come out. False where the input is damaged.
bool base_lz4_unpack(const uint8_t *from, size_t from_size, uint8_t *to, size_t to_size);
// malloc'ed; NULL when out of memory, and for 2 GiB and more.
uint8_t *base_lz4_pack(const uint8_t *from, size_t size, size_t *packed_size);

#define BASE_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
