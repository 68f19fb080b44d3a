// Merging and choosing findings; JSON and JUnit. See findings.h.
#include "report/findings/findings.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

// The kinds there are.
static const char *const kinds[] = {
#define OBSERVE_FINDING(id, name, severity, title) name,
#include "observe/findings.def"
#undef OBSERVE_FINDING
};

bool report_findings_open(report_findings *findings) {
    *findings = (report_findings){.items = json_array(),
                                  .targets = json_array(),
                                  .suppressions = json_array(),
                                  .unchecked = json_array()};
    return findings->items && findings->targets && findings->suppressions;
}

void report_findings_close(report_findings *findings) {
    json_decref(findings->items);
    json_decref(findings->targets);
    json_decref(findings->only);
    json_decref(findings->ignore);
    json_decref(findings->suppressions);
    json_decref(findings->unchecked);
    *findings = (report_findings){0};
}

// ---- which ---------------------------------------------------------------------------------------------

static bool means(const char *word, const char *kind) {
    size_t length = strlen(word);
    return strncmp(word, kind, length) == 0 && (kind[length] == 0 || kind[length] == '-');
}

static kz_status split_words(const char *words, const char *option, json_t **list, kz_error *error) {
    if (!words) return KZ_OK;
    json_decref(*list); // chosen again
    *list = json_array();
    for (const char *at = words; *at;) {
        size_t length = strcspn(at, ","), k = 0;
        char word[64];
        snprintf(word, sizeof word, "%.*s", length > 60 ? 60 : (int)length, at);
        while (k < BASE_COUNT(kinds) && !means(word, kinds[k])) k++;
        if (length && k == BASE_COUNT(kinds)) {
            base_fail(error, KZ_INVALID, "%s: there is no kind of finding \"%s\"", option, word);
            base_text all = {0};
            for (k = 0; k < BASE_COUNT(kinds); k++) base_text_add(&all, " %s", kinds[k]);
            base_fail_note(error, "there are:%s; \"undefined\" means all that begin so",
                           all.data ? all.data : "");
            base_text_free(&all);
            return KZ_INVALID;
        }
        if (length) json_array_append_new(*list, json_string(word));
        at += length + (at[length] == ',');
    }
    return KZ_OK;
}

kz_status report_findings_choose(report_findings *findings, const char *only, const char *ignore,
                                 kz_error *error) {
    kz_status status = split_words(only, "--only", &findings->only, error);
    return status ? status : split_words(ignore, "--ignore", &findings->ignore, error);
}

kz_status report_findings_suppress(report_findings *findings, const char *path, kz_error *error) {
    char *text = NULL, *rest = NULL;
    size_t size, number = 0;
    kz_status status = base_file_read(path, &text, &size, error);
    for (char *line = text, *next; !status && line && *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next) *next++ = 0;
        number++;
        line[strcspn(line, "#")] = 0;
        char *kind = strtok_r(line, " \t\r", &rest), *site = kind ? strtok_r(NULL, " \t\r", &rest) : NULL;
        if (!kind) continue;
        if (!site) {
            status =
                base_fail(error, KZ_SYNTAX, "%s:%zu: a suppression is KIND FILE:LINE, as in: race tile.cu:14",
                          path, number);
            base_fail_note(error, "both may be patterns: * for any");
        } else
            json_array_append_new(findings->suppressions, json_pack("[ss]", kind, site));
    }
    free(text);
    return status;
}

static bool in_list(const json_t *list, const char *kind) {
    size_t i;
    json_t *word;
    json_array_foreach(list, i, word) if (means(json_string_value(word), kind)) return true;
    return false;
}

static bool at_site(const json_t *finding, const char *side, const char *pattern) {
    const json_t *site = report_get(finding, side);
    if (!site) return false;
    char text[600];
    snprintf(text, sizeof text, "%s:%llu", report_prof_basename(report_get_text(site, "file")),
             (unsigned long long)report_get_count(site, "line"));
    return fnmatch(pattern, text, 0) == 0;
}

static bool is_wanted(report_findings *findings, const json_t *finding) {
    const char *kind = report_get_text(finding, "kind");
    if (findings->only && !in_list(findings->only, kind)) return false;
    if (findings->ignore && in_list(findings->ignore, kind)) return false;
    size_t i;
    json_t *rule;
    json_array_foreach(findings->suppressions, i, rule) {
        const char *pattern = json_string_value(json_array_get(rule, 0)),
                   *site = json_string_value(json_array_get(rule, 1));
        bool nowhere = !report_get(finding, "first") && !report_get(finding, "second");
        if (fnmatch(pattern, kind, 0)) continue;
        if (at_site(finding, "first", site) || at_site(finding, "second", site) ||
            (nowhere && strcmp(site, "*") == 0)) {
            findings->suppressed++;
            return false;
        }
    }
    return true;
}

// ---- merging -------------------------------------------------------------------------------------------

static bool same_line(const json_t *a, const json_t *b, const char *side, const char *other) {
    const json_t *x = report_get(a, side), *y = report_get(b, other);
    if (!x || !y) return !x && !y;
    return report_get_count(x, "line") == report_get_count(y, "line") &&
           strcmp(report_get_text(x, "file"), report_get_text(y, "file")) == 0;
}

// A race with a call has one line: the text says which call.
static bool is_with_call(const json_t *finding) {
    return strcmp(report_get_text(finding, "between"), "operations") == 0 && !report_get(finding, "second");
}

bool report_finding_is_same(const json_t *a, const json_t *b) {
    if (strcmp(report_get_text(a, "kind"), report_get_text(b, "kind"))) return false;
    if (is_with_call(a) && is_with_call(b) && strcmp(report_get_text(a, "text"), report_get_text(b, "text")))
        return false;
    if (!report_get(a, "first") && !report_get(a, "second"))
        return !report_get(b, "first") && !report_get(b, "second") &&
               strcmp(report_get_text(a, "text"), report_get_text(b, "text")) == 0;
    bool straight = same_line(a, b, "first", "first") && same_line(a, b, "second", "second");
    bool crossed = same_line(a, b, "first", "second") && same_line(a, b, "second", "first");
    return straight || (crossed && report_get(a, "first") && report_get(a, "second"));
}

// Lanes of a warp, warps of a block, blocks: a barrier that orders the wider of two orders the other too.
static int reach_of(const json_t *finding) {
    const char *between = report_get_text(finding, "between");
    return strcmp(between, "blocks") == 0 ? 2 : strcmp(between, "warps") == 0;
}

bool report_finding_is_wider(const json_t *a, const json_t *b) { return reach_of(a) > reach_of(b); }

// The finding in the site of a known one, with what is known of that: how often it was seen, and when.
static void replace_item(report_findings *findings, size_t at, const json_t *finding) {
    static const char *const kept[] = {"count", "target", "seeds"};
    json_t *known = json_array_get(findings->items, at), *made = json_deep_copy(finding);
    if (!made) return;
    for (size_t i = 0; i < BASE_COUNT(kept); i++)
        json_object_set(made, kept[i], json_object_get(known, kept[i]));
    json_array_set_new(findings->items, at, made);
}

void report_findings_add_one(report_findings *findings, const json_t *finding, const char *target,
                             uint64_t seed) {
    if (!is_wanted(findings, finding)) return;
    size_t i;
    json_t *known;
    json_array_foreach(findings->items, i, known) {
        if (!report_finding_is_same(known, finding) || strcmp(report_get_text(known, "target"), target))
            continue;
        json_object_set_new(known, "count",
                            json_integer((json_int_t)(report_get_count(known, "count") +
                                                      report_get_count(finding, "count"))));
        json_t *seeds = json_object_get(known, "seeds");
        size_t k = 0; // several cases go through the same seeds
        while (k < json_array_size(seeds) && json_integer_value(json_array_get(seeds, k)) != (json_int_t)seed)
            k++;
        if (k == json_array_size(seeds)) json_array_append_new(seeds, json_integer((json_int_t)seed));
        if (report_finding_is_wider(finding, known)) replace_item(findings, i, finding);
        return;
    }
    json_t *made = json_deep_copy(finding);
    if (!made) return;
    json_object_set_new(made, "target", json_string(target));
    json_object_set_new(made, "seeds", json_pack("[I]", (json_int_t)seed));
    json_array_append_new(findings->items, made);
}

static void add_short_name(const report_record *record, json_t *finding) {
    size_t at = 0;
    const json_t *kernel;
    while ((kernel = report_record_next(record, "kernel", &at)))
        if (strcmp(report_get_text(kernel, "name"), report_get_text(finding, "kernel")) == 0) {
            const char *name = report_get_text(kernel, "short");
            if (name[0]) json_object_set_new(finding, "short", json_string(name));
            return;
        }
}

static void add_target(report_findings *findings, const char *target) {
    size_t i;
    json_t *name;
    json_array_foreach(findings->targets, i, name) if (strcmp(json_string_value(name), target) == 0) return;
    json_array_append_new(findings->targets, json_string(target));
}

void report_findings_add_unchecked(report_findings *findings, const char *target, const char *text) {
    add_target(findings, target);
    json_t *made = json_pack("{s:s, s:s}", "target", target, "text", text), *known;
    size_t i;
    json_array_foreach(findings->unchecked, i, known) if (json_equal(known, made)) {
        json_decref(made);
        return;
    }
    json_array_append_new(findings->unchecked, made);
}

void report_findings_add(report_findings *findings, const report_record *record, const char *target,
                         uint64_t seed) {
    size_t at = 0;
    const json_t *line;
    add_target(findings, target);
    findings->runs++;
    while ((line = report_record_next(record, "finding", &at))) {
        json_t *named = json_deep_copy(line);
        if (!named) continue;
        add_short_name(record, named);
        report_findings_add_one(findings, named, target, seed);
        json_decref(named);
    }
    at = 0;
    while ((line = report_record_next(record, "unchecked", &at)))
        report_findings_add_unchecked(findings, target, report_get_text(line, "text"));
    at = 0;
    if ((line = report_record_next(record, "end", &at)))
        findings->launches += report_get_count(line, "launches");
}

void report_findings_name_case(report_findings *findings, const char *name) {
    size_t i;
    json_t *finding;
    json_array_foreach(findings->items, i, finding) if (!json_object_get(finding, "case"))
        json_object_set_new(finding, "case", json_string(name));
}

size_t report_findings_count(const report_findings *findings, const char *severity) {
    size_t count = 0, i;
    json_t *finding;
    json_array_foreach(findings->items, i, finding) count +=
        strcmp(report_get_text(finding, "severity"), severity) == 0;
    return count;
}

// ---- machine-readable ----------------------------------------------------------------------------------

static void add_site(const json_t *finding, const char *side, const char *before, base_text *out) {
    const json_t *site = report_get(finding, side);
    if (site)
        base_text_add(out, "%s%s:%llu", before, report_prof_basename(report_get_text(site, "file")),
                      (unsigned long long)report_get_count(site, "line"));
}

void report_finding_title(const json_t *finding, base_text *out) {
    base_text_add(out, "%s", report_get_text(finding, "kind"));
    add_site(finding, "first", " at ", out);
    add_site(finding, "second", report_get(finding, "first") ? " and " : " at ", out);
}

json_t *report_findings_to_json(const report_findings *findings) {
    json_t *out = json_deep_copy(findings->items);
    json_t *summary =
        json_pack("{s:s, s:I, s:I, s:I, s:{s:I, s:I, s:I}, s:O, s:O}", "type", "summary", "runs",
                  (json_int_t)findings->runs, "launches", (json_int_t)findings->launches, "suppressed",
                  (json_int_t)findings->suppressed, "findings", "error",
                  (json_int_t)report_findings_count(findings, "error"), "warning",
                  (json_int_t)report_findings_count(findings, "warning"), "note",
                  (json_int_t)report_findings_count(findings, "note"), "targets", findings->targets,
                  "unchecked", findings->unchecked);
    if (out && summary)
        json_array_append_new(out, summary);
    else
        json_decref(summary);
    return out;
}

// A clean target is one test that passed; else each finding is one that did not.
kz_status report_findings_write_junit(const report_findings *findings, const char *path, kz_error *error) {
    report_junit *junit = report_junit_open("kz sanitize");
    if (!junit) return base_fail(error, KZ_NO_MEMORY, "no memory for %s", path);
    size_t i, k;
    json_t *target, *finding;
    json_array_foreach(findings->targets, i, target) {
        const char *name = json_string_value(target);
        size_t count = 0;
        json_array_foreach(findings->items, k, finding) {
            if (strcmp(report_get_text(finding, "target"), name)) continue;
            const char *severity = report_get_text(finding, "severity");
            bool is_note = strcmp(severity, "note") == 0;
            base_text title = {0}, message = {0};
            report_finding_title(finding, &title);
            base_text_add(&message, "%s: %s", report_get_text(finding, "title"),
                          report_get_text(finding, "text"));
            report_junit_add(junit, name, title.data ? title.data : "", 0,
                             is_note ? REPORT_SKIPPED : REPORT_FAILED, message.data);
            base_text_free(&title);
            base_text_free(&message);
            count += !is_note;
        }
        json_array_foreach(findings->unchecked, k, finding) {
            if (strcmp(report_get_text(finding, "target"), name)) continue;
            report_junit_add(junit, name, "not all was checked", 0, REPORT_FAILED,
                             report_get_text(finding, "text"));
            count++;
        }
        if (!count) report_junit_add(junit, name, "clean", 0, REPORT_PASSED, NULL);
    }
    kz_status status = report_junit_write(junit, path, error);
    report_junit_close(junit);
    return status;
}
