// bench/counts: see counts.h.
#include "bench/counts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "observe/metrics.h"

#define VERSION_MARK  "# kz gate --counters, version "
#define WRITTEN_BY    "written by "
#define GPU_MARK      "# gpu: "
#define COMPILER_MARK "# compiler: "
#define FLAGS_MARK    "# nvcc flags: "
#define WORDS_MARK    "# arguments: "
#define ROWS_MARK     "# rows: "
#define DITTO         "\""      // the case of the row above: their names are long
enum { VERSION = 1, KEYS = 2 }; // kernel and case come before the counts

typedef struct words {
    const char *name, *text;
} words;

static const words metrics[] = {
#define OBSERVE_SUM(id, name, unit, text) [OBSERVE_SUM_##id] = {name, text},
#include "observe/metrics.def"
};

// Where a count's words are: its own, or those of a metric.
static const struct {
    words own;
    observe_sum_index metric;
} counts_table[] = {
#define BENCH_HOST_COUNT(id, name, text) [BENCH_COUNT_##id] = {.own = {name, text}},
#define BENCH_COUNT(id)                  [BENCH_COUNT_##id] = {.metric = OBSERVE_SUM_##id},
#include "bench/counts.def"
};

static const words *words_of(bench_count count) {
    return counts_table[count].own.name ? &counts_table[count].own : &metrics[counts_table[count].metric];
}

const char *bench_count_name(bench_count count) { return words_of(count)->name; }
const char *bench_count_text(bench_count count) { return words_of(count)->text; }

// ---- rows ---------------------------------------------------------------------------------------------------

void bench_counts_free(bench_counts *counts) {
    for (size_t i = 0; i < counts->count; i++) {
        free(counts->rows[i].kernel);
        free(counts->rows[i].case_name);
    }
    free(counts->rows);
    *counts = (bench_counts){0};
}

static bool is_row(const bench_counts_row *row, const char *kernel, const char *case_name) {
    return strcmp(row->kernel, kernel) == 0 && strcmp(row->case_name, case_name) == 0;
}

const bench_counts_row *bench_counts_find(const bench_counts *counts, const char *kernel,
                                          const char *case_name) {
    for (size_t i = 0; i < counts->count; i++)
        if (is_row(&counts->rows[i], kernel, case_name)) return &counts->rows[i];
    return NULL;
}

bench_counts_row *bench_counts_row_of(bench_counts *counts, const char *kernel, const char *case_name) {
    bench_counts_row *row = (bench_counts_row *)bench_counts_find(counts, kernel, case_name);
    if (row) return row;
    if (counts->count == counts->capacity) {
        size_t capacity = counts->capacity ? 2 * counts->capacity : 64;
        bench_counts_row *grown = realloc(counts->rows, capacity * sizeof *grown);
        if (!grown) return NULL;
        counts->rows = grown;
        counts->capacity = capacity;
    }
    row = &counts->rows[counts->count];
    *row = (bench_counts_row){.kernel = strdup(kernel), .case_name = strdup(case_name)};
    if (row->kernel && row->case_name) {
        counts->count++;
        return row;
    }
    free(row->kernel);
    free(row->case_name);
    return NULL;
}

// ---- the file -----------------------------------------------------------------------------------------------

// What is read of a file: the columns that it has.
typedef struct reading {
    const char *name;
    int line;
    bench_counts *counts;
    bench_count columns[BENCH_COUNTS];
    size_t column_count;
    bool has_version, has_compiler, has_columns;
} reading;

static kz_status fail_line(const reading *r, kz_error *error, const char *what, const char *word) {
    base_fail(error, KZ_SYNTAX, "%s:%d: %s%s%.80s%s", r->name, r->line, what, word ? " \"" : "",
              word ? word : "", word ? "\"" : "");
    base_fail_note(error,
                   "likely cause: the file was edited, merged or cut off; restore it, or delete it and "
                   "let kz gate --counters --write write it anew");
    return KZ_SYNTAX;
}

// What follows a mark at the line's begin; NULL where another stands there.
static const char *after(const char *line, const char *mark) {
    return strncmp(line, mark, strlen(mark)) == 0 ? line + strlen(mark) : NULL;
}

static kz_status read_version(reading *r, const char *text, kz_error *error) {
    int version = atoi(text);
    const char *command = strstr(text, WRITTEN_BY);
    r->has_version = true;
    snprintf(r->counts->written_by, sizeof r->counts->written_by, "%s",
             command ? command + strlen(WRITTEN_BY) : "");
    if (version == VERSION) return KZ_OK;
    base_fail(error, KZ_UNSUPPORTED, "%s has counts of version %d, and this kz reads version %d", r->name,
              version, VERSION);
    base_fail_note(error,
                   "take the kz that wrote it, or delete it and let kz gate --counters --write write it "
                   "anew with this one");
    return KZ_UNSUPPORTED;
}

static kz_status read_comment(reading *r, const char *line, kz_error *error) {
    bench_counts *counts = r->counts;
    const char *text;
    if ((text = after(line, VERSION_MARK))) return read_version(r, text, error);
    if ((text = after(line, GPU_MARK))) snprintf(counts->gpu, sizeof counts->gpu, "%s", text);
    if ((text = after(line, COMPILER_MARK))) {
        snprintf(counts->compiler, sizeof counts->compiler, "%s", text);
        r->has_compiler = true;
    }
    if ((text = after(line, FLAGS_MARK))) snprintf(counts->flags, sizeof counts->flags, "%s", text);
    if ((text = after(line, WORDS_MARK))) snprintf(counts->arguments, sizeof counts->arguments, "%s", text);
    if ((text = after(line, ROWS_MARK))) {
        char *end;
        counts->stated = strtoll(text, &end, 10);
        if (end == text || *end || counts->stated < 0)
            return fail_line(r, error, "this is no number of rows:", text);
    }
    return KZ_OK;
}

static kz_status read_columns(reading *r, char *line, kz_error *error) {
    char *rest = line;
    for (size_t at = 0; rest; at++) {
        const char *word = strsep(&rest, ",");
        static const char *const keys[KEYS] = {"kernel", "case"};
        if (at < KEYS && strcmp(word, keys[at]) != 0)
            return fail_line(r, error, "the columns begin with kernel,case, not with", word);
        if (at < KEYS) continue;
        bench_count count = 0;
        while (count < BENCH_COUNTS && strcmp(bench_count_name(count), word) != 0) count++;
        if (count == BENCH_COUNTS) return fail_line(r, error, "kz has no count", word);
        for (size_t i = 0; i < r->column_count; i++)
            if (r->columns[i] == count) return fail_line(r, error, "a count stands twice:", word);
        r->columns[r->column_count++] = count;
    }
    r->has_columns = true;
    return KZ_OK;
}

static kz_status read_row(reading *r, char *line, kz_error *error) {
    char *rest = line;
    const char *kernel = strsep(&rest, ","), *case_name = rest ? strsep(&rest, ",") : NULL;
    if (case_name && strcmp(case_name, DITTO) == 0)
        case_name = r->counts->count ? r->counts->rows[r->counts->count - 1].case_name : NULL;
    if (!case_name) return fail_line(r, error, "a row has a kernel, a case and counts, not", kernel);
    if (bench_counts_find(r->counts, kernel, case_name))
        return fail_line(r, error, "this row stands twice:", kernel);
    bench_counts_row *row = bench_counts_row_of(r->counts, kernel, case_name);
    if (!row) return base_fail(error, KZ_NO_MEMORY, "no memory for %s", r->name);
    size_t at = 0;
    for (; rest && at < r->column_count; at++) {
        const char *word = strsep(&rest, ",");
        char *end;
        errno = 0;
        row->values[r->columns[at]] = strtoull(word, &end, 10);
        if (end == word || *end || errno || *word < '0' || *word > '9')
            return fail_line(r, error, "this is no count:", word);
    }
    if (rest || at < r->column_count)
        return fail_line(r, error, "a row has as many columns as the first line, not", kernel);
    return KZ_OK;
}

static kz_status read_line(reading *r, char *line, kz_error *error) {
    if (line[0] == '#') return read_comment(r, line, error);
    if (!line[0]) return KZ_OK;
    if (!r->has_version)
        return fail_line(r, error, "these are no counts of kz gate: the first line is not " VERSION_MARK "1",
                         NULL);
    return r->has_columns ? read_row(r, line, error) : read_columns(r, line, error);
}

kz_status bench_counts_parse(const char *name, const char *text, size_t size, bench_counts *counts,
                             kz_error *error) {
    reading r = {.name = name, .counts = counts};
    kz_status status = KZ_OK;
    char *copy = strndup(text, size), *rest = copy;
    size_t length = copy ? strlen(copy) : 0;
    *counts = (bench_counts){.stated = -1};
    if (!copy) return base_fail(error, KZ_NO_MEMORY, "no memory for %s", name);
    while (rest && !status) {
        char *line = strsep(&rest, "\n");
        size_t end = strlen(line);
        if (end && line[end - 1] == '\r') line[end - 1] = 0;
        r.line++;
        status = read_line(&r, line, error);
    }
    if (!status && length < size) status = fail_line(&r, error, "a zero byte stands here", NULL);
    free(copy);
    if (!status && !(r.has_columns && counts->gpu[0] && r.has_compiler))
        status = fail_line(
            &r, error, "the file ends before its columns, or does not name its GPU and its compiler", NULL);
    return status;
}

kz_status bench_counts_check_rows(const char *name, const bench_counts *counts, kz_error *error) {
    if (counts->stated == (int64_t)counts->count) return KZ_OK;
    if (counts->stated < 0)
        base_fail(error, KZ_SYNTAX, "%s does not say how many rows it has", name);
    else
        base_fail(error, KZ_SYNTAX, "%s says that it has %lld rows, and has %zu", name,
                  (long long)counts->stated, counts->count);
    base_fail_note(error,
                   "likely cause: it was cut off, or rows were deleted or merged by hand; restore it, or "
                   "count the cases that it still has: --write");
    return KZ_SYNTAX;
}

static bool is_used(const bench_counts *counts, bench_count count) {
    for (size_t i = 0; i < counts->count; i++)
        if (counts->rows[i].values[count]) return true;
    return false;
}

void bench_counts_write(const bench_counts *counts, const char *command, base_text *out) {
    base_text_add(out, VERSION_MARK "%d: counts of the simulator, " WRITTEN_BY "%s\n", VERSION, command);
    base_text_add(out, GPU_MARK "%s\n" COMPILER_MARK "%s\n", counts->gpu, counts->compiler);
    if (counts->flags[0]) base_text_add(out, FLAGS_MARK "%s\n", counts->flags);
    if (counts->arguments[0]) base_text_add(out, WORDS_MARK "%s\n", counts->arguments);
    base_text_add(out, ROWS_MARK "%zu\nkernel,case", counts->count);
    for (bench_count c = 0; c < BENCH_COUNTS; c++)
        if (is_used(counts, c)) base_text_add(out, ",%s", bench_count_name(c));
    for (size_t i = 0; i < counts->count; i++) {
        const bench_counts_row *row = &counts->rows[i];
        bool is_again = i && *row->case_name && !strcmp(row->case_name, counts->rows[i - 1].case_name);
        base_text_add(out, "\n%s,%s", row->kernel, is_again ? DITTO : row->case_name);
        for (bench_count c = 0; c < BENCH_COUNTS; c++)
            if (is_used(counts, c)) base_text_add(out, ",%llu", (unsigned long long)row->values[c]);
    }
    base_text_add(out, "\n");
}

void bench_counts_compiler(const char *ptx, char compiler[64]) {
    const char *at = ptx ? strstr(ptx, "// Cuda compilation tools, release ") : NULL;
    const char *end = at ? strchr(at, '\n') : NULL, *v = at ? strstr(at, ", V") : NULL;
    compiler[0] = 0;
    if (v && (!end || v < end)) snprintf(compiler, 64, "%.*s", (int)strcspn(v + 3, " \r\n"), v + 3);
}

// ---- comparing ------------------------------------------------------------------------------------------------

const char *bench_counts_verdict_name(bench_counts_verdict verdict) {
    static const char *const names[] = {"same", "worse", "better", "renamed", "new", "gone"};
    return names[verdict];
}

static bench_counts_verdict judge(const bench_counts_row *before, const bench_counts_row *now) {
    bench_counts_verdict verdict = BENCH_COUNTS_SAME;
    for (bench_count c = 0; c < BENCH_COUNTS; c++) {
        if (now->values[c] > before->values[c]) return BENCH_COUNTS_WORSE;
        if (now->values[c] < before->values[c]) verdict = BENCH_COUNTS_BETTER;
    }
    return verdict;
}

// The row with the same counts in the same case, of those that are gone and that no change has yet.
static const bench_counts_row *find_renamed(const bench_counts *before, const bench_counts *now,
                                            const bench_counts_row *row, const bench_counts_change *changes,
                                            size_t count) {
    for (size_t i = 0; i < before->count; i++) {
        const bench_counts_row *old = &before->rows[i];
        if (strcmp(old->case_name, row->case_name) != 0 || judge(old, row) != BENCH_COUNTS_SAME) continue;
        bool taken = bench_counts_find(now, old->kernel, old->case_name) != NULL;
        for (size_t k = 0; k < count && !taken; k++) taken = changes[k].before == old;
        if (!taken) return old;
    }
    return NULL;
}

bench_counts_change *bench_counts_compare(const bench_counts *before, const bench_counts *now,
                                          size_t *count) {
    bench_counts_change *changes = calloc(before->count + now->count + 1, sizeof *changes);
    *count = 0;
    if (!changes) return NULL;
    for (size_t i = 0; i < now->count; i++) {
        const bench_counts_row *row = &now->rows[i];
        bench_counts_change c = {.now = row,
                                 .before = bench_counts_find(before, row->kernel, row->case_name)};
        if (c.before)
            c.verdict = judge(c.before, row);
        else {
            c.before = find_renamed(before, now, row, changes, *count);
            c.verdict = c.before ? BENCH_COUNTS_RENAMED : BENCH_COUNTS_NEW;
        }
        changes[(*count)++] = c;
    }
    for (size_t i = 0; i < before->count; i++) {
        const bench_counts_row *old = &before->rows[i];
        bool known = false;
        for (size_t k = 0; k < *count && !known; k++) known = changes[k].before == old;
        if (!known) changes[(*count)++] = (bench_counts_change){BENCH_COUNTS_GONE, old, NULL};
    }
    return changes;
}
