// A scan for entries and their parameter lists: words and parentheses, comments and strings passed over. The
// whole of PTX is read by src/ptx; a GPU's driver reads it again, so here the little that is asked suffices.
#include "device/entries.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool in_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%'; }

static const char *skip_comment(const char *at) {
    if (at[1] == '/') return at + strcspn(at, "\n");
    const char *end = strstr(at + 2, "*/");
    return end ? end + 2 : at + strlen(at);
}

static const char *skip_string(const char *at) {
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1]) at++;
    return *at ? at + 1 : at;
}

// The next word (with the dot before it, if any) or sign; its length is 0 at the end.
static const char *next_token(const char *at, size_t *length) {
    for (;;) {
        if (isspace((unsigned char)*at))
            at++;
        else if (at[0] == '/' && (at[1] == '/' || at[1] == '*'))
            at = skip_comment(at);
        else if (*at == '"')
            at = skip_string(at);
        else
            break;
    }
    size_t n = *at == '.' || in_name(*at);
    while (n && in_name(at[n])) n++;
    *length = n ? n : *at != 0;
    return at;
}

static bool is(const char *token, size_t length, const char *text) {
    return strlen(text) == length && memcmp(token, text, length) == 0;
}

kz_status device_entries_add(device_entries *entries, const char *name, size_t length, int params,
                             kz_error *error) {
    device_entry *grown = realloc(entries->items, (entries->count + 1) * sizeof *grown);
    if (grown) entries->items = grown;
    char *copy = grown ? strndup(name, length) : NULL;
    if (!copy) return base_fail(error, KZ_NO_MEMORY, "no memory for the list of kernels");
    entries->items[entries->count++] = (device_entry){copy, params};
    return KZ_OK;
}

kz_status device_entries_read(const char *ptx, device_entries *entries, kz_error *error) {
    *entries = (device_entries){0};
    kz_status status = KZ_OK;
    size_t length, name_length;
    for (const char *at = ptx ? ptx : ""; !status; at += length) {
        at = next_token(at, &length);
        if (!length) break;
        if (!is(at, length, ".entry")) continue;
        const char *name = next_token(at + length, &name_length);
        int params = 0;
        at = next_token(name + name_length, &length);
        if (is(at, length, "("))
            while (length && !is(at, length, ")")) {
                at = next_token(at + length, &length);
                params += is(at, length, ".param");
            }
        status = device_entries_add(entries, name, name_length, params, error);
    }
    if (status) device_entries_free(entries);
    return status;
}

void device_entries_free(device_entries *entries) {
    for (size_t i = 0; i < entries->count; i++) free(entries->items[i].name);
    free(entries->items);
    *entries = (device_entries){0};
}

int device_entries_params(const device_entries *entries, const char *name) {
    for (size_t i = 0; i < entries->count; i++)
        if (strcmp(entries->items[i].name, name) == 0) return entries->items[i].params;
    return -1;
}
