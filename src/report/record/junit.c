// JUnit's XML, as CI systems read it: one suite, one testcase per case.
#include "report/report.h"

#include <stdlib.h>

struct report_junit {
    base_text suite, cases;
    size_t counts[REPORT_SKIPPED + 1], total;
    double seconds;
};

// XML 1.0 has no way to write most control characters: they become '?'.
static void add_escaped(base_text *out, const char *text) {
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '&')
            base_text_add(out, "&amp;");
        else if (c == '<')
            base_text_add(out, "&lt;");
        else if (c == '>')
            base_text_add(out, "&gt;");
        else if (c == '"')
            base_text_add(out, "&quot;");
        else if (c == '\n')
            base_text_add(out, "&#10;");
        else if (c < 0x20 && c != '\t')
            base_text_add(out, "?");
        else
            base_text_add_bytes(out, text, 1);
    }
}

report_junit *report_junit_open(const char *suite) {
    report_junit *junit = calloc(1, sizeof *junit);
    if (junit) add_escaped(&junit->suite, suite);
    return junit;
}

void report_junit_add(report_junit *junit, const char *classname, const char *name, double seconds,
                      report_verdict verdict, const char *message) {
    static const char *const tags[] = {NULL, "failure", "error", "skipped"};
    base_text *out = &junit->cases;
    junit->counts[verdict]++;
    junit->total++;
    junit->seconds += seconds;
    base_text_add(out, "  <testcase classname=\"");
    add_escaped(out, classname);
    base_text_add(out, "\" name=\"");
    add_escaped(out, name);
    base_text_add(out, "\" time=\"%.6f\"", seconds);
    if (verdict == REPORT_PASSED) {
        base_text_add(out, "/>\n");
        return;
    }
    base_text_add(out, ">\n    <%s message=\"", tags[verdict]);
    add_escaped(out, message ? message : "");
    base_text_add(out, "\"/>\n  </testcase>\n");
}

kz_status report_junit_write(const report_junit *junit, const char *path, kz_error *error) {
    base_text out = {0};
    base_text_add(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    base_text_add(&out,
                  "<testsuite name=\"%s\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" "
                  "time=\"%.6f\">\n",
                  junit->suite.data ? junit->suite.data : "", junit->total, junit->counts[REPORT_FAILED],
                  junit->counts[REPORT_ERROR], junit->counts[REPORT_SKIPPED], junit->seconds);
    if (junit->cases.data) base_text_add_bytes(&out, junit->cases.data, junit->cases.length);
    base_text_add(&out, "</testsuite>\n");
    kz_status status = KZ_OK;
    if (out.failed || junit->cases.failed)
        status = base_fail(error, KZ_NO_MEMORY, "no memory for %s", path);
    else
        status = base_file_write(path, out.data, out.length, error);
    base_text_free(&out);
    return status;
}

void report_junit_close(report_junit *junit) {
    if (!junit) return;
    base_text_free(&junit->suite);
    base_text_free(&junit->cases);
    free(junit);
}
