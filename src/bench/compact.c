// bench/compact: see compact.h.
#include "bench/compact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- what lines share --------------------------------------------------------------------------------------

// The members that two objects share, down to the innermost. A new reference, or NULL.
static json_t *intersect(const json_t *a, const json_t *b) {
    const char *key;
    json_t *value, *both = json_object();
    int failed = !both;
    json_object_foreach((json_t *)a, key, value) {
        const json_t *other = json_object_get(b, key);
        if (json_is_object(value) && json_is_object(other)) {
            json_t *inner = intersect(value, other);
            failed |= inner && !json_object_size(inner) ? 0 : json_object_set(both, key, inner);
            json_decref(inner);
        } else if (other && json_equal(value, other))
            failed |= json_object_set(both, key, value);
    }
    if (!failed) return both;
    json_decref(both);
    return NULL;
}

// The members of `object` that are not in `shared`, a part of it. A new reference, or NULL.
static json_t *subtract(const json_t *object, const json_t *shared) {
    const char *key;
    json_t *value, *rest = json_object();
    int failed = !rest;
    json_object_foreach((json_t *)object, key, value) {
        const json_t *there = json_object_get(shared, key);
        if (!there) {
            failed |= json_object_set(rest, key, value);
        } else if (json_is_object(value)) {
            json_t *inner = subtract(value, there);
            failed |= inner && !json_object_size(inner) ? 0 : json_object_set(rest, key, inner);
            json_decref(inner);
        }
    }
    if (!failed) return rest;
    json_decref(rest);
    return NULL;
}

// What all lines share; candidates are each line's own.
static json_t *shared_by_all(const json_t *lines) {
    json_t *shared = json_copy(json_array_get(lines, 0));
    json_object_del(shared, "candidates");
    for (size_t i = 1; shared && i < json_array_size(lines); i++) {
        json_t *less = intersect(shared, json_array_get(lines, i));
        json_decref(shared);
        shared = less;
    }
    return shared;
}

// ---- columns -----------------------------------------------------------------------------------------------

enum { PATH = 160 };

// What becomes of a value in place of which a new one may stand; `path` names its columns. NULL when out of memory.
typedef json_t *rewrite(json_t *columns, const char *path, json_t *value);

static int compare_keys(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// Sorted, so that the same records give the same bytes in whatever order their members stand. A new reference, or NULL.
static json_t *keys_of(json_t *object) {
    size_t count = json_object_size(object), i = 0;
    const char *key, **sorted = calloc(count + 1, sizeof *sorted);
    json_t *value, *keys = json_array();
    int failed = !sorted || !keys;
    json_object_foreach(object, key, value) if (!failed) sorted[i++] = key;
    if (!failed) qsort(sorted, count, sizeof *sorted, compare_keys);
    for (i = 0; i < count && !failed; i++) failed = json_array_append_new(keys, json_string(sorted[i]));
    free(sorted);
    if (!failed) return keys;
    json_decref(keys);
    return NULL;
}

// The members of an object as the rewriter makes them, below `path`.
static json_t *rewrite_members(rewrite *make, json_t *columns, const char *path, json_t *object) {
    const char *key;
    json_t *value, *made = json_object();
    int failed = !made;
    json_object_foreach(object, key, value) {
        char inner[PATH];
        snprintf(inner, sizeof inner, "%s%s%s", path, *path ? "." : "", key);
        failed |= json_object_set_new(made, key, make(columns, inner, value));
    }
    if (!failed) return made;
    json_decref(made);
    return NULL;
}

static json_t *rewrite_elements(rewrite *make, json_t *columns, const char *path, json_t *array) {
    size_t i;
    char inner[PATH];
    json_t *value, *made = json_array();
    int failed = !made;
    snprintf(inner, sizeof inner, "%s[]", path);
    json_array_foreach(array, i, value) failed |= json_array_append_new(made, make(columns, inner, value));
    if (!failed) return made;
    json_decref(made);
    return NULL;
}

// An object as a row, if its keys are the columns of its path. The first object there decides which these are.
static json_t *to_row(json_t *columns, const char *path, json_t *value) {
    if (json_is_array(value)) return rewrite_elements(to_row, columns, path, value);
    if (!json_is_object(value) || !json_object_size(value)) return json_incref(value);
    json_t *object = rewrite_members(to_row, columns, path, value), *keys = keys_of(value), *key;
    if (!json_object_get(columns, path)) json_object_set(columns, path, keys);
    json_t *made = json_equal(json_object_get(columns, path), keys) ? json_array() : json_incref(object);
    size_t i;
    int failed = !object || !keys || !made;
    if (json_is_array(made))
        json_array_foreach(keys, i, key) failed |=
            json_array_append(made, json_object_get(object, json_string_value(key)));
    json_decref(object);
    json_decref(keys);
    if (!failed) return made;
    json_decref(made);
    return NULL;
}

// A row as the object it was. Where a path has columns, an array is a row of it.
static json_t *to_object(json_t *columns, const char *path, json_t *value) {
    json_t *keys = json_object_get(columns, path), *key, *object;
    if (json_is_object(value)) return rewrite_members(to_object, columns, path, value);
    if (!json_is_array(value)) return json_incref(value);
    if (!keys) return rewrite_elements(to_object, columns, path, value);
    size_t i;
    int failed = !(object = json_object());
    json_array_foreach(keys, i, key) {
        json_t *cell = json_array_get(value, i); // NULL where a damaged row is too short
        if (cell) failed |= json_object_set(object, json_string_value(key), cell);
    }
    json_t *whole = failed ? NULL : rewrite_members(to_object, columns, path, object);
    json_decref(object);
    return whole;
}

// ---- parts -------------------------------------------------------------------------------------------------

static bool has_parts(const char *key) {
    return strcmp(key, "modes") == 0 || strcmp(key, "candidates") == 0 || strcmp(key, "results") == 0;
}

// Counts the keys of all parts of a line, by what they are parts of. False when out of memory.
static bool count_keys(json_t *counts, json_t *object) {
    const char *key, *name;
    json_t *parts, *value;
    int failed = 0;
    json_object_foreach(object, key, parts) {
        if (!has_parts(key)) continue;
        size_t count = json_is_array(parts) ? json_array_size(parts) : json_object_size(parts);
        void *at = json_object_iter(parts);
        for (size_t i = 0; i < count && !failed; i++) {
            json_t *part = at ? json_object_iter_value(at) : json_array_get(parts, i);
            if (!json_object_get(counts, key)) failed |= json_object_set_new(counts, key, json_object());
            json_t *known = json_object_get(counts, key);
            json_object_foreach(part, name, value) failed |= json_object_set_new(
                known, name, json_integer(json_integer_value(json_object_get(known, name)) + 1));
            failed |= !count_keys(counts, part);
            if (at) at = json_object_iter_next(parts, at);
        }
    }
    return !failed;
}

// Keys as columns: those that most parts have come first, since a row may end early. A new reference, or NULL.
static json_t *columns_of(json_t *counts) {
    json_t *left = keys_of(counts), *sorted = json_array(), *key;
    int failed = !left || !sorted;
    while (!failed && json_array_size(left)) {
        size_t i, best = 0;
        json_int_t most = -1;
        json_array_foreach(left, i, key) {
            json_int_t here = json_integer_value(json_object_get(counts, json_string_value(key)));
            if (here <= most) continue;
            most = here;
            best = i;
        }
        failed = json_array_append(sorted, json_array_get(left, best)) | json_array_remove(left, best);
    }
    json_decref(left);
    if (!failed) return sorted;
    json_decref(sorted);
    return NULL;
}

// A part as a row that ends with the last column it has; where it lacks one before that, as it is.
static json_t *part_to_row(const json_t *keys, json_t *part) {
    json_t *row = json_array(), *value = part;
    for (size_t i = 0; row && json_array_size(row) < json_object_size(part) && value; i++) {
        value = json_object_get(part, json_string_value(json_array_get(keys, i)));
        if (value) json_array_append(row, value);
    }
    if (row && json_array_size(row) == json_object_size(part)) return row;
    json_decref(row);
    return json_incref(part);
}

static json_t *row_to_part(const json_t *keys, json_t *part) {
    size_t i;
    json_t *value, *object;
    if (!json_is_array(part)) return json_incref(part);
    int failed = !(object = json_object());
    json_array_foreach(part, i, value) if (i < json_array_size(keys)) failed |=
        json_object_set(object, json_string_value(json_array_get(keys, i)), value);
    if (!failed) return object;
    json_decref(object);
    return NULL;
}

// ---- what candidates repeat --------------------------------------------------------------------------------

static const char *const repeated_keys[] = {"candidate", "kernel", "source", "memory", "check"};

// The lists of what candidates repeat, by those keys, and the columns of what stands in them.
typedef struct repeats {
    json_t *lists, *columns;
} repeats;

// A member of a candidate in its other form. A new reference, or NULL.
typedef json_t *exchange(const repeats *r, const char *key, json_t *value);

// An object as its index in the list, to whose end it goes where it is new.
static json_t *to_index(const repeats *r, const char *key, json_t *value) {
    size_t i;
    json_t *known, *list = json_object_get(r->lists, key);
    if (!json_is_object(value)) return json_incref(value);
    json_t *row = to_row(r->columns, key, value);
    json_array_foreach(list, i, known) if (json_equal(known, row)) break;
    int failed = !row || (i == json_array_size(list) && json_array_append(list, row) != 0);
    json_decref(row);
    return failed ? NULL : json_integer((json_int_t)i);
}

static json_t *from_index(const repeats *r, const char *key, json_t *value) {
    json_t *list = json_object_get(r->lists, key);
    json_t *row = json_is_integer(value) ? json_array_get(list, (size_t)json_integer_value(value)) : NULL;
    return row ? to_object(r->columns, key, row) : json_incref(value);
}

static json_t *exchange_in_candidate(exchange *make, const repeats *r, json_t *candidate) {
    json_t *made = json_copy(candidate);
    int failed = !made;
    for (size_t i = 0; i < BASE_COUNT(repeated_keys) && !failed; i++) {
        json_t *value = json_object_get(candidate, repeated_keys[i]);
        if (value) failed = json_object_set_new(made, repeated_keys[i], make(r, repeated_keys[i], value));
    }
    if (!failed) return made;
    json_decref(made);
    return NULL;
}

// A line whose candidates have those members exchanged. A new reference, or NULL.
static json_t *exchange_in_line(exchange *make, const repeats *r, json_t *line) {
    size_t i;
    json_t *one, *candidates = json_object_get(line, "candidates");
    if (!candidates) return json_incref(line);
    json_t *made = json_array(), *whole = json_copy(line);
    int failed = !made || !whole;
    json_array_foreach(candidates, i, one) failed |=
        json_array_append_new(made, exchange_in_candidate(make, r, one));
    failed |= json_object_set_new(whole, "candidates", made);
    if (!failed) return whole;
    json_decref(whole);
    return NULL;
}

static json_t *empty_lists(void) {
    json_t *lists = json_object();
    int failed = !lists;
    for (size_t i = 0; i < BASE_COUNT(repeated_keys); i++)
        failed |= json_object_set_new(lists, repeated_keys[i], json_array());
    if (!failed) return lists;
    json_decref(lists);
    return NULL;
}

// ---- lines -------------------------------------------------------------------------------------------------

static json_t *rewrite_line(rewrite *make, json_t *columns, json_t *object);

static json_t *rewrite_part(rewrite *make, json_t *columns, const char *key, json_t *part) {
    const json_t *keys = json_object_get(columns, key);
    json_t *whole = row_to_part(keys, part), *made = rewrite_line(make, columns, whole), *row = made;
    if (made && make == to_row) {
        row = part_to_row(keys, made);
        json_decref(made);
    }
    json_decref(whole);
    return row;
}

// Each of the modes, candidates or results: their own members have columns, whichever of them they are of.
static json_t *rewrite_each(rewrite *make, json_t *columns, const char *key, json_t *parts) {
    size_t i;
    const char *name;
    json_t *part, *made = json_copy(parts);
    int failed = !made;
    json_array_foreach(parts, i, part) failed |=
        json_array_set_new(made, i, rewrite_part(make, columns, key, part));
    json_object_foreach(parts, name, part) failed |=
        json_object_set_new(made, name, rewrite_part(make, columns, key, part));
    if (!failed) return made;
    json_decref(made);
    return NULL;
}

static json_t *rewrite_line(rewrite *make, json_t *columns, json_t *object) {
    const char *key;
    json_t *value, *made = json_object();
    int failed = !made;
    json_object_foreach(object, key, value) failed |= json_object_set_new(
        made, key, has_parts(key) ? rewrite_each(make, columns, key, value) : make(columns, key, value));
    if (!failed) return made;
    json_decref(made);
    return NULL;
}

// Adds the columns of the parts of all lines. False when out of memory.
static bool add_part_columns(json_t *lines, json_t *columns) {
    const char *key;
    size_t i;
    json_t *line, *keys, *counts = json_object();
    int failed = !counts;
    json_array_foreach(lines, i, line) failed |= !count_keys(counts, line);
    json_object_foreach(counts, key, keys) failed |= json_object_set_new(columns, key, columns_of(keys));
    json_decref(counts);
    return !failed;
}

// A line without what all share, and with an index in the place of what candidates repeat. A new reference, or NULL.
static json_t *own_part(json_t *line, json_t *shared, const repeats *r) {
    json_t *own = subtract(line, shared), *made = own ? exchange_in_line(to_index, r, own) : NULL;
    json_decref(own);
    return made;
}

bool bench_compact(const json_t *lines, json_t **head, json_t **kept) {
    size_t i;
    json_t *own, *shared = shared_by_all(lines), *rest = json_array();
    const repeats r = {empty_lists(), json_object()};
    int failed = !shared || !rest || !r.lists || !r.columns || !(*kept = json_array());
    for (i = 0; i < json_array_size(lines) && !failed; i++)
        failed = json_array_append_new(rest, own_part(json_array_get(lines, i), shared, &r));
    if (!failed) failed = !add_part_columns(rest, r.columns);
    json_array_foreach(rest, i, own) if (!failed) failed =
        json_array_append_new(*kept, rewrite_line(to_row, r.columns, own));
    json_decref(rest);
    *head = json_pack("{si, so, so, so}", "schema", BENCH_COMPACT_SCHEMA, "columns", r.columns, "shared",
                      shared, "repeated", r.lists);
    if (*head && !failed) return true;
    json_decref(*head);
    json_decref(*kept);
    *head = *kept = NULL;
    return false;
}

bool bench_is_head(const json_t *line) { return json_is_object(json_object_get(line, "columns")); }

json_t *bench_expand(const json_t *head, const json_t *line) {
    const repeats r = {json_object_get(head, "repeated"), json_object_get(head, "columns")};
    json_t *written = rewrite_line(to_object, r.columns, (json_t *)line);
    json_t *own = written ? exchange_in_line(from_index, &r, written) : NULL;
    json_decref(written);
    json_t *shared = json_object_get(head, "shared");
    json_t *whole = shared ? json_deep_copy(shared) : json_object();
    int failed = !own || json_object_update_recursive(whole, own) != 0;
    json_decref(own);
    if (!failed) return whole;
    json_decref(whole);
    return NULL;
}
