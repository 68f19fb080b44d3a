// truth_join: what ncu measured beside what the simulator counted.
//
//   truth_join NCU.csv GPU_LAUNCHES SIM_LAUNCHES
//
// NCU.csv is ncu's --csv output; its n-th kernel is the n-th launch of GPU_LAUNCHES (as truth_counters and
// truth_zoo print them). Every metric of the simulator becomes a row "test,metric,gpu,sim,equal,explanation"
// on stdout; a sum over loads, stores and atomics (requests, sectors) is compared with the sum of ncu's
// metrics. Exit: 0, or 2 where the tables do not belong together.
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

static const struct {
    const char *test, *metric, *reason;
} explanations[] = {
#define EXPLAIN(test, metric, reason) {test, metric, reason},
#include "explanations.def"
#undef EXPLAIN
    {NULL, NULL, NULL},
};

enum { FIELDS = 40, NAME = 160 };

typedef struct value {
    unsigned launch;
    char metric[NAME];
    double value;
} value;

typedef struct launch {
    char test[NAME], kernel[NAME];
} launch;

typedef struct sheet {
    launch *launches;
    size_t launch_count;
    value *values;
    size_t value_count;
} sheet;

static void *grown(void *list, size_t count, size_t size) {
    if (count & (count - 1)) return list; // room is doubled at powers of two
    void *more = realloc(list, (count ? 2 * count : 1) * size);
    if (!more) exit(2);
    return more;
}

static void add_value(sheet *s, unsigned number, const char *metric, double number_value) {
    s->values = grown(s->values, s->value_count, sizeof *s->values);
    value *v = &s->values[s->value_count++];
    *v = (value){.launch = number, .value = number_value};
    snprintf(v->metric, sizeof v->metric, "%s", metric);
}

static void add_launch(sheet *s, const char *test, const char *kernel) {
    s->launches = grown(s->launches, s->launch_count, sizeof *s->launches);
    launch *l = &s->launches[s->launch_count++];
    snprintf(l->test, sizeof l->test, "%s", test);
    snprintf(l->kernel, sizeof l->kernel, "%s", kernel);
}

// Splits a line of CSV in place; quotes go, and what they enclose stays together.
static unsigned split(char *line, char *fields[FIELDS]) {
    unsigned count = 0;
    char *to = line, *from = line;
    while (count < FIELDS) {
        bool quoted = *from == '"';
        if (quoted) from++;
        fields[count++] = to;
        for (; *from && (quoted ? *from != '"' : *from != ',' && *from != '\n'); from++) *to++ = *from;
        if (quoted && *from) from++;
        bool more = *from == ',';
        from++;
        *to++ = 0;
        if (!more) break;
    }
    return count;
}

// "1,024.5" as ncu writes it.
static double number_of(const char *text) {
    char digits[64];
    size_t length = 0;
    for (; *text && length + 1 < sizeof digits; text++)
        if (*text != ',') digits[length++] = *text;
    digits[length] = 0;
    return strtod(digits, NULL);
}

static FILE *open_file(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) fprintf(stderr, "truth_join: cannot read %s\n", path), exit(2);
    return file;
}

static void read_launches(const char *path, sheet *s) {
    char line[1024], *fields[FIELDS];
    FILE *file = open_file(path);
    while (fgets(line, sizeof line, file)) {
        if (line[0] < '0' || line[0] > '9') continue;
        if (split(line, fields) < 3) continue;
        if (strchr(fields[1], '/'))
            add_launch(s, fields[1], fields[2]);
        else
            add_value(s, (unsigned)atoi(fields[0]), fields[1], number_of(fields[2]));
    }
    fclose(file);
}

static int column(char **fields, unsigned count, const char *name) {
    for (unsigned i = 0; i < count; i++)
        if (!strcmp(fields[i], name)) return (int)i;
    return -1;
}

// ncu's long form: a row per kernel and metric, after whatever ncu says before its heading.
static void read_ncu(const char *path, sheet *s) {
    char line[4096], *fields[FIELDS], last[32] = "";
    int id = -1, kernel = -1, metric = -1, number = -1;
    FILE *file = open_file(path);
    while (fgets(line, sizeof line, file)) {
        if (line[0] != '"') continue;
        unsigned count = split(line, fields);
        if (id < 0) {
            id = column(fields, count, "ID");
            kernel = column(fields, count, "Kernel Name");
            metric = column(fields, count, "Metric Name");
            number = column(fields, count, "Metric Value");
            continue;
        }
        if ((int)count <= number) continue;
        if (strcmp(last, fields[id]) != 0) add_launch(s, "", fields[kernel]);
        snprintf(last, sizeof last, "%.31s", fields[id]);
        add_value(s, (unsigned)s->launch_count - 1, fields[metric], number_of(fields[number]));
    }
    fclose(file);
    if (id < 0) fprintf(stderr, "truth_join: %s has no table of ncu's\n", path), exit(2);
}

static bool measured(const sheet *ncu, unsigned number, const char *metric, double *on_gpu) {
    for (size_t i = 0; i < ncu->value_count; i++) {
        const value *v = &ncu->values[i];
        if (v->launch != number || strcmp(v->metric, metric) != 0) continue;
        *on_gpu = v->value;
        return true;
    }
    return false;
}

static const char *explained(const char *test, const char *metric) {
    for (size_t i = 0; explanations[i].test; i++)
        if (!fnmatch(explanations[i].test, test, 0) && !fnmatch(explanations[i].metric, metric, 0))
            return explanations[i].reason;
    return "unexplained";
}

int main(int argc, char **argv) {
    sheet ncu = {0}, gpu = {0}, sim = {0};
    size_t rows = 0, equal = 0;
    if (argc != 4) return fprintf(stderr, "truth_join: NCU.csv GPU_LAUNCHES SIM_LAUNCHES\n"), 2;
    read_ncu(argv[1], &ncu);
    read_launches(argv[2], &gpu);
    read_launches(argv[3], &sim);
    for (size_t i = 0; i < sim.value_count; i++) {
        const value *v = &sim.values[i];
        double on_gpu;
        if (v->launch >= gpu.launch_count || v->launch >= ncu.launch_count) break; // ncu was stopped early
        const char *test = sim.launches[v->launch].test;
        if (strcmp(test, gpu.launches[v->launch].test) != 0 ||
            strncmp(ncu.launches[v->launch].kernel, gpu.launches[v->launch].kernel, 40) != 0) {
            fprintf(stderr, "truth_join: launch %u is %s here, %s (%s) there: made from different trees?\n",
                    v->launch, test, gpu.launches[v->launch].test, ncu.launches[v->launch].kernel);
            return 2;
        }
        if (!measured(&ncu, v->launch, v->metric, &on_gpu) || (on_gpu == 0 && v->value == 0)) continue;
        bool same = on_gpu == v->value;
        rows++;
        equal += same;
        printf("%s,%s,%.0f,%.0f,%s,%s\n", test, v->metric, on_gpu, v->value, same ? "yes" : "no",
               same ? "" : explained(test, v->metric));
    }
    fprintf(stderr, "%s: %zu of %zu equal\n", argv[1], equal, rows);
    return 0;
}
