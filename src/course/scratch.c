// Folders for gradings: made with copies of the task's and the learner's files, removed with all that is in them.
#include "scratch.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "toolchain/toolchain.h"

enum { LARGEST = 64 << 20, MOST_FILES = 256, DEEPEST = 4 };

typedef struct copying {
    const char *root; // no link is followed out of it; without links itself, "" for all of the machine
    int files;
    bool has_new; // what was copied was not there already
} copying;

// Where it is not there already.
static kz_status put_file(const char *to, const char *data, size_t size, bool *is_new, kz_error *error) {
    char *there = NULL;
    size_t there_size = 0;
    bool same = base_file_exists(to) && base_file_read(to, &there, &there_size, NULL) == KZ_OK &&
                there_size == size && memcmp(there, data, size) == 0;
    free(there);
    if (!same) *is_new = true;
    return same ? KZ_OK : base_file_write_scratch(to, data, size, error);
}

static kz_status copy_file(copying *c, const char *from, const char *to, const struct stat *about,
                           kz_error *error) {
    char *data;
    size_t size;
    kz_status status = base_file_read(from, &data, &size, error);
    if (status) return status;
    status = put_file(to, data, size, &c->has_new, error);
    free(data);
    if (status == KZ_OK && (about->st_mode & S_IXUSR)) chmod(to, 0755);
    return status;
}

// Whether a path, its links followed, lies in the folder `root`. What is copied can be read by code of others: a link
// beside it may lead to a key.
static bool stays_in(const char *root, const char *path) {
    char *real = realpath(path, NULL);
    size_t length = strlen(root);
    bool stays = real && strncmp(real, root, length) == 0 && (real[length] == '/' || real[length] == 0);
    free(real);
    return stays;
}

// Plain files of `from`; those of folders in it where `depth` allows. Nothing where `from` is not there.
static kz_status copy_folder(copying *c, const char *from, const char *to, int depth, kz_error *error) {
    DIR *listing = stays_in(c->root, from) ? opendir(from) : NULL;
    if (!listing) return KZ_OK;
    kz_status status = base_make_folders(to, error);
    for (struct dirent *entry; status == KZ_OK && (entry = readdir(listing));) {
        if (entry->d_name[0] == '.') continue;
        char source[COURSE_PATH], target[COURSE_PATH];
        if (snprintf(source, sizeof source, "%s/%s", from, entry->d_name) >= (int)sizeof source ||
            snprintf(target, sizeof target, "%s/%s", to, entry->d_name) >= (int)sizeof target)
            continue;
        struct stat about;
        if (!stays_in(c->root, source) || stat(source, &about) != 0) continue;
        if (S_ISDIR(about.st_mode) && depth > 0)
            status = copy_folder(c, source, target, depth - 1, error);
        else if (S_ISREG(about.st_mode) && about.st_size <= LARGEST && ++c->files <= MOST_FILES)
            status = copy_file(c, source, target, &about, error);
    }
    closedir(listing);
    return status;
}

// A clash costs a compilation that is repeated, for texts are written before they are used.
static uint64_t add_hash(uint64_t hash, const char *text) {
    return base_hash(hash, text, strlen(text) + 1); // the NUL parts it from the next text
}

// ---- the task's files ----------------------------------------------------------------------------------

static bool is_code(const char *name) {
    static const char *const endings[] = {".cu", ".cuh", ".c", ".h", ".cpp"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < BASE_COUNT(endings); i++)
        if (strcmp(dot, endings[i]) == 0) return true;
    return false;
}

// Sources in `to` become links to the same in `stable`.
static void link_code(const char *stable, const char *to, int depth) {
    DIR *listing = opendir(to);
    if (!listing) return;
    for (struct dirent *entry; (entry = readdir(listing));) {
        char kept[COURSE_PATH], copy[COURSE_PATH];
        struct stat about;
        if (entry->d_name[0] == '.' ||
            snprintf(kept, sizeof kept, "%s/%s", stable, entry->d_name) >= (int)sizeof kept ||
            snprintf(copy, sizeof copy, "%s/%s", to, entry->d_name) >= (int)sizeof copy ||
            lstat(copy, &about) != 0)
            continue;
        if (S_ISDIR(about.st_mode) && depth > 0)
            link_code(kept, copy, depth - 1);
        else if (S_ISREG(about.st_mode) && is_code(entry->d_name) && base_file_exists(kept) &&
                 unlink(copy) == 0 && symlink(kept, copy) != 0)
            copy_file(&(copying){.root = ""}, kept, copy, &about, NULL);
    }
    closedir(listing);
}

// All of the task's files/, wherever its links lead: they are the course's.
static kz_status copy_given(const course_task *task, const char *to, kz_error *error) {
    char from[COURSE_PATH + 8];
    copying all = {.root = ""};
    snprintf(from, sizeof from, "%s/files", task->folder);
    return copy_folder(&all, from, to, DEEPEST, error);
}

// files/ of the task, in `folder`. Compilers keep results by a source's true path: sources lie in the cache, the same
// for every grading, and are linked to from here.
static kz_status copy_files(const course_task *task, const char *folder, kz_error *error) {
    char from[COURSE_PATH + 8], to[COURSE_PATH + 8], stable[COURSE_PATH];
    toolchain tools;
    snprintf(from, sizeof from, "%s/files", task->folder);
    snprintf(to, sizeof to, "%s/files", folder);
    kz_status status = copy_given(task, to, error);
    if (status || !base_file_exists(from)) return status;
    toolchain_find(&tools, NULL); // the cache is known without a CUDA compiler too
    int length = snprintf(stable, sizeof stable, "%s/files/%016llx", tools.cache,
                          (unsigned long long)add_hash(BASE_HASH, task->folder));
    if (tools.cache[0] && length < COURSE_PATH && copy_given(task, stable, NULL) == KZ_OK)
        link_code(stable, to, DEEPEST);
    return KZ_OK;
}

// The learner's folder of this task bears its name; the course's own holds a task.toml, and the solution.
static bool is_learners_folder(const course_task *task, const char *folder) {
    const char *slash = strrchr(folder, '/');
    char description[COURSE_PATH + 16];
    snprintf(description, sizeof description, "%s/task.toml", folder);
    return strcmp(slash ? slash + 1 : folder, task->id) == 0 && !base_file_exists(description);
}

static kz_status copy_learners(const course_task *task, const char *file, const char *folder,
                               bool *has_own_files, kz_error *error) {
    char own[COURSE_PATH], from[COURSE_PATH + 8], to[COURSE_PATH + 256];
    struct stat about;
    char *path = realpath(file, NULL);
    if (!path || stat(path, &about) != 0) {
        free(path);
        return base_file_fail_open(file, errno, error);
    }
    snprintf(own, sizeof own, "%s", path);
    free(path);
    char *slash = strrchr(own, '/');
    snprintf(to, sizeof to, "%s/%.200s", folder, slash + 1);
    copying submission = {.root = ""}, beside = {.root = own};
    kz_status status = copy_file(&submission, file, to, &about, error);
    *slash = 0;
    if (status || !is_learners_folder(task, own)) return status;
    status = copy_folder(&beside, own, folder, 0, error);
    snprintf(from, sizeof from, "%s/files", own);
    snprintf(to, sizeof to, "%s/files", folder);
    if (status == KZ_OK) status = copy_folder(&beside, from, to, DEEPEST, error);
    if (has_own_files) *has_own_files = beside.has_new;
    return status;
}

kz_status course_scratch_open(const course_task *task, const char *file, char folder[COURSE_PATH],
                              bool *has_own_files, kz_error *error) {
    char work[TOOLCHAIN_PATH];
    folder[0] = 0;
    kz_status status = toolchain_work_open(work, error);
    if (status) return status;
    snprintf(folder, COURSE_PATH, "%s", work);
    if (has_own_files) *has_own_files = false;
    status = copy_files(task, folder, error);
    if (status == KZ_OK && file) status = copy_learners(task, file, folder, has_own_files, error);
    if (status) {
        course_scratch_close(folder);
        folder[0] = 0;
    }
    return status;
}

kz_status course_scratch_keep(const course_task *task, const char *text, char file[COURSE_PATH],
                              kz_error *error) {
    toolchain tools;
    char folder[COURSE_PATH], to[COURSE_PATH + 8];
    toolchain_find(&tools, NULL); // the cache is known without a CUDA compiler too
    if (!tools.cache[0]) return base_fail(error, KZ_NOT_FOUND, "there is no cache folder");
    uint64_t hash = add_hash(add_hash(BASE_HASH, task->folder), text);
    int length = snprintf(folder, sizeof folder, "%s/proofs/%016llx", tools.cache, (unsigned long long)hash);
    if (length >= COURSE_PATH ||
        snprintf(file, COURSE_PATH, "%s/%s.%s", folder, task->id, task->extension) >= COURSE_PATH)
        return base_fail(error, KZ_NOT_FOUND, "the path of the cache folder is too long");
    kz_status status = base_make_folders(folder, error);
    bool is_new;
    snprintf(to, sizeof to, "%s/files", folder);
    if (status == KZ_OK) status = copy_given(task, to, error);
    if (status == KZ_OK) status = put_file(file, text, strlen(text), &is_new, error);
    return status;
}

void course_scratch_close(const char *folder) { toolchain_work_close(folder); }
