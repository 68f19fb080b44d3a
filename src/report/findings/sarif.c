// Findings as SARIF 2.1.0 (OASIS), which code hosts show beside the lines.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/findings/findings.h"

static const struct {
    const char *name, *severity, *title;
} rules[] = {
#define OBSERVE_FINDING(id, name, severity, title) {name, #severity, title},
#include "observe/findings.def"
#undef OBSERVE_FINDING
};

static const char *level_of(const char *severity) {
    return strcasecmp(severity, "error") == 0     ? "error"
           : strcasecmp(severity, "warning") == 0 ? "warning"
                                                  : "note";
}

static size_t rule_index(const char *kind) {
    size_t i = 0;
    while (i < BASE_COUNT(rules) && strcmp(rules[i].name, kind)) i++;
    return i;
}

static json_t *make_rules(void) {
    json_t *list = json_array();
    for (size_t i = 0; i < BASE_COUNT(rules); i++)
        json_array_append_new(list, json_pack("{s:s, s:{s:s}, s:{s:s}}", "id", rules[i].name,
                                              "shortDescription", "text", rules[i].title,
                                              "defaultConfiguration", "level", level_of(rules[i].severity)));
    return list;
}

// A file below the current folder is named from there, as code hosts want it; others as file: URIs.
static void add_uri(const char *path, base_text *out) {
    char here[4096];
    size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
    if (path[0] == '/') {
        if (length && strncmp(path, here, length) == 0 && path[length] == '/')
            path += length + 1;
        else
            base_text_add(out, "file://");
    }
    for (; *path; path++) {
        unsigned char c = (unsigned char)*path;
        if (isalnum(c) || strchr("/-_.~+@", c))
            base_text_add_bytes(out, path, 1);
        else
            base_text_add(out, "%%%02X", c);
    }
}

static void add_triple(const json_t *site, const char *name, base_text *out) {
    const json_t *values = report_get(site, name);
    if (json_array_size(values) == 3)
        base_text_add(out, " %s (%d,%d,%d)", name, (int)json_integer_value(json_array_get(values, 0)),
                      (int)json_integer_value(json_array_get(values, 1)),
                      (int)json_integer_value(json_array_get(values, 2)));
}

static json_t *make_location(const json_t *site, bool with_message) {
    base_text uri = {0}, said = {0};
    add_uri(report_get_text(site, "file"), &uri);
    json_int_t line = (json_int_t)report_get_count(site, "line"),
               column = (json_int_t)report_get_count(site, "column");
    json_t *region = json_pack("{s:I}", "startLine", line > 0 ? line : 1);
    if (column) json_object_set_new(region, "startColumn", json_integer(column));
    json_t *location = json_pack("{s:{s:{s:s}, s:o}}", "physicalLocation", "artifactLocation", "uri",
                                 uri.data ? uri.data : "", "region", region);
    const char *access = report_get_text(site, "access");
    base_text_add(&said, "%s by", access[0] ? access : "executed");
    add_triple(site, "thread", &said);
    base_text_add(&said, " of");
    add_triple(site, "block", &said);
    if (with_message) json_object_set_new(location, "message", json_pack("{s:s}", "text", said.data));
    base_text_free(&uri);
    base_text_free(&said);
    return location;
}

static json_t *make_result(const json_t *finding) {
    const char *kind = report_get_text(finding, "kind");
    const json_t *first = report_get(finding, "first"), *second = report_get(finding, "second");
    base_text text = {0};
    base_text_add(&text, "%s: %s", report_get_text(finding, "title"), report_get_text(finding, "text"));
    const char *buffer = report_get_text(finding, "buffer");
    if (buffer[0]) base_text_add(&text, "\nmemory: %s", buffer);
    json_t *result = json_pack("{s:s, s:s, s:{s:s}}", "ruleId", kind, "level",
                               level_of(report_get_text(finding, "severity")), "message", "text",
                               text.data ? text.data : "");
    base_text_free(&text);
    if (!result) return NULL;
    if (rule_index(kind) < BASE_COUNT(rules))
        json_object_set_new(result, "ruleIndex", json_integer((json_int_t)rule_index(kind)));
    const json_t *main_site = first ? first : second;
    if (main_site) json_object_set_new(result, "locations", json_pack("[o]", make_location(main_site, true)));
    if (first && second) {
        json_t *related = make_location(second, true);
        json_object_set_new(related, "id", json_integer(1));
        json_object_set_new(result, "relatedLocations", json_pack("[o]", related));
    }
    json_int_t count = (json_int_t)report_get_count(finding, "count");
    json_object_set_new(result, "occurrenceCount", json_integer(count > 0 ? count : 1));
    json_t *properties = json_pack("{s:s, s:O}", "target", report_get_text(finding, "target"), "seeds",
                                   report_get(finding, "seeds"));
    if (report_get_text(finding, "kernel")[0])
        json_object_set_new(properties, "kernel", json_string(report_get_text(finding, "kernel")));
    json_object_set_new(result, "properties", properties);
    return result;
}

json_t *report_findings_to_sarif(const report_findings *findings) {
    json_t *results = json_array();
    size_t i;
    json_t *finding;
    json_array_foreach(findings->items, i, finding) json_array_append_new(results, make_result(finding));
    return json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s, s:o}}, s:s, s:o}]}", "$schema",
                     "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0", "runs", "tool",
                     "driver", "name", "kz sanitize", "version", KZ_VERSION, "rules", make_rules(),
                     "columnKind", "unicodeCodePoints", "results", results);
}
