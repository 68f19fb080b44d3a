// course, inside: the pieces of a catalogue while it is loaded. All memory is the catalogue's arena's.
#ifndef COURSE_CATALOGUE_H
#define COURSE_CATALOGUE_H

#include "course/course.h"

// A growing array in an arena: the old one is left behind. NULL when memory is short.
void *course_grow(base_arena *arena, void *array, size_t count, size_t element);

// Names in `folder` that end in `suffix` (a file) or hold the file `inside` (a folder), sorted; without the suffix.
typedef struct course_names {
    const char **names;
    size_t count;
} course_names;
kz_status course_list_files(base_arena *arena, const char *folder, const char *suffix, course_names *names,
                            kz_error *error);
kz_status course_list_folders(base_arena *arena, const char *folder, const char *inside, course_names *names,
                              kz_error *error);

// Whether a topic's list and its folders differ: the first name of each side that the other lacks, or NULL.
bool course_topic_differs(base_arena *arena, const char *folder, const char *topic, const char **missing,
                          const char **extra);

// paths.c: parts.toml, skills.toml, paths/*.toml, items/*.toml.
kz_status course_load_parts(course_catalogue *catalogue, kz_error *error);
kz_status course_load_skills(course_catalogue *catalogue, kz_error *error);
kz_status course_load_paths(course_catalogue *catalogue, kz_error *error);
kz_status course_load_items(course_catalogue *catalogue, kz_error *error);

#endif
