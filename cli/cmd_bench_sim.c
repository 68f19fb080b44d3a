// kz bench sim: how fast the simulator runs on this machine.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/speed.h"
#include "cli.h"

int cmd_bench_sim(int argc, char **argv);

static void print_row(const bench_speed_row *r, bool observed) {
    printf("%-30s %12.2f M %6.2f G/s   (%.2f) %6.2f G/s   (%.2f) %7.2fx ", r->kernel,
           1e-6 * (double)r->thread_instructions, 1e-9 * r->one_core, 1e-9 * r->one_core_median,
           1e-9 * r->all_cores, 1e-9 * r->all_cores_median, r->all_cores / r->one_core);
    if (observed) printf("%6.2f G/s   (%.2f) ", 1e-9 * r->observed, 1e-9 * r->observed_median);
    printf(" %s\n", r->correct ? "yes" : "NO");
}

int cmd_bench_sim(int argc, char **argv) {
    double seconds = 2.0;
    bool json = false;
    const char *observe = NULL;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json"))
            json = true;
        else if (!strcmp(argv[i], "--time") && i + 1 < argc && atof(argv[i + 1]) > 0)
            seconds = atof(argv[++i]);
        else if (!strcmp(argv[i], "--observe") && i + 1 < argc)
            observe = argv[++i];
        else
            return cli_fail_with(
                KZ_INVALID, "kz bench sim takes --time SECONDS, --observe INSTRUMENTS and --json, not %s",
                argv[i]);
    }
    bench_speed_row rows[BENCH_SPEED_KERNELS];
    kz_error error;
    if (bench_speed(seconds, observe, rows, &error) != KZ_OK) return cli_fail(&error);
    bool correct = true;
    const char *cores =
        rows[0].cores == 2 ? "2 cores" : "1 core"; // a machine of one core has no second figure
    if (!json)
        printf("%-30s %14s %10s (median) %10s (median) %7s %s %s\n", "kernel", "instructions", "1 core",
               cores, "ratio", observe ? "  observed (median)" : "", "correct");
    for (size_t i = 0; i < BENCH_SPEED_KERNELS; i++) {
        const bench_speed_row *r = &rows[i];
        correct = correct && r->correct;
        if (json)
            printf("{\"schema\": 2, \"bench\": \"sim\", \"kernel\": \"%s\", \"thread_instructions\": %llu, "
                   "\"one_core_per_s\": %.6g, \"one_core_median_per_s\": %.6g, \"cores\": %u, "
                   "\"all_cores_per_s\": %.6g, \"all_cores_median_per_s\": %.6g, \"observed_per_s\": %.6g, "
                   "\"observed_median_per_s\": %.6g, \"correct\": %s}\n",
                   r->kernel, (unsigned long long)r->thread_instructions, r->one_core, r->one_core_median,
                   r->cores, r->all_cores, r->all_cores_median, r->observed, r->observed_median,
                   r->correct ? "true" : "false");
        else
            print_row(r, observe != NULL);
    }
    if (!json)
        puts("thread-instructions of PTX per second of wall time, the fastest launch; every access checked, "
             "counters off");
    if (!json && observe) printf("observed: one core, with %s\n", observe);
    return correct ? 0 : cli_fail_with(KZ_WRONG, "the simulator gave wrong results: please report it");
}
