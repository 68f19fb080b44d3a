// json_lines KEY [VALUE]: reads JSON lines from stdin and prints how many objects have KEY (equal to the text
// VALUE, where one is given). Fails where a line is no JSON object. KEY may be a path: "case.name".
#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const json_t *find(const json_t *object, const char *path) {
    char key[256];
    while (object && *path) {
        size_t length = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        object = json_object_get(object, key);
        path += length + (path[length] == '.');
    }
    return object;
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    char *line = NULL;
    size_t capacity = 0, found = 0, number = 0;
    while (getline(&line, &capacity, stdin) > 0) {
        json_error_t error;
        json_t *object = json_loads(line, 0, &error);
        number++;
        if (!json_is_object(object)) {
            fprintf(stderr, "line %zu is no JSON object: %s\n", number, error.text);
            return 1;
        }
        const json_t *value = find(object, argv[1]);
        if (value && (argc < 3 || (json_is_string(value) && strcmp(json_string_value(value), argv[2]) == 0)))
            found++;
        json_decref(object);
    }
    free(line);
    printf("%zu\n", found);
    return 0;
}
