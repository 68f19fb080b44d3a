// Files, whole or not at all. A write goes to a file beside the target, is synced and renamed over it,
// so that a full disk or a crash leaves the old file as it was.
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static kz_status fail_errno(kz_error *error, const char *what, const char *path, int code) {
    kz_status status = code == ENOMEM ? KZ_NO_MEMORY : KZ_IO;
    base_fail(error, status, "cannot %s %s: %s", what, path, strerror(code));
    if (code == ENOENT) base_fail_note(error, "make its folder first");
    if (code == ENOSPC)
        base_fail_note(error, "free some space on that disk and try again; the old file is untouched");
    if (code == EACCES || code == EROFS)
        base_fail_note(error, "check the permissions of the folder and the file");
    return status;
}

kz_status base_file_fail_open(const char *path, int code, kz_error *error) {
    if (code != ENOENT) return fail_errno(error, "open", path, code);
    base_fail(error, KZ_NOT_FOUND, "there is no file %s", path);
    base_fail_note(error, "check the path");
    return KZ_NOT_FOUND;
}

static const size_t LARGEST_FILE = (size_t)1 << 30;

// Reads to the end whatever the size says: pipes and /proc files have none.
static kz_status read_all(int fd, const char *path, size_t expected, char **data, size_t *size,
                          kz_error *error) {
    size_t capacity = expected + 1, used = 0;
    char *bytes = malloc(capacity + 1);
    if (!bytes) return base_fail(error, KZ_NO_MEMORY, "no memory to read %s (%zu bytes)", path, capacity);
    for (;;) {
        if (used == capacity) {
            char *larger = realloc(bytes, capacity * 2 + 1);
            if (!larger) {
                free(bytes);
                return base_fail(error, KZ_NO_MEMORY, "no memory to read %s (%zu bytes)", path, capacity * 2);
            }
            bytes = larger;
            capacity *= 2;
        }
        ssize_t got = read(fd, bytes + used, capacity - used);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            int code = errno;
            free(bytes);
            return fail_errno(error, "read", path, code);
        }
        if (got == 0) break;
        used += (size_t)got;
        if (used > LARGEST_FILE) { // something without an end, such as /dev/zero
            free(bytes);
            return base_fail(error, KZ_LIMIT,
                             "%s is larger than %zu bytes: it is not a file that is read here", path,
                             LARGEST_FILE);
        }
    }
    bytes[used] = 0;
    *data = bytes;
    *size = used;
    return KZ_OK;
}

// What whoever wrote the folder may have put in the place of a file is not waited for, followed or read without end.
static kz_status check_untrusted(const char *path, const struct stat *info, size_t most, kz_error *error) {
    if (!S_ISREG(info->st_mode))
        return base_fail(error, KZ_INVALID, "%s is no plain file, but a link, a pipe, a device or a folder",
                         path);
    if (info->st_size > 0 && (uint64_t)info->st_size > most)
        return base_fail(error, KZ_LIMIT, "%s is larger than the %zu bytes that are read here", path, most);
    return KZ_OK;
}

kz_status base_file_read_untrusted(const char *path, size_t most, char **data, size_t *size,
                                   kz_error *error) {
    struct stat info = {0};
    *data = NULL;
    *size = 0;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int code = fd < 0 ? errno : 0;
    if (code == ELOOP || code == ENXIO) return check_untrusted(path, &info, most, error);
    if (code) return base_file_fail_open(path, code, error);
    kz_status status = fstat(fd, &info) != 0 ? fail_errno(error, "look at", path, errno)
                                             : check_untrusted(path, &info, most, error);
    if (!status) status = read_all(fd, path, (size_t)info.st_size, data, size, error);
    close(fd);
    return status;
}

// Who names /dev/stdin wants to wait for it.
static bool is_device_name(const char *path) {
    return strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
}

// Where a file is expected, nobody may ever write to a pipe.
static kz_status fail_special(const char *path, kz_error *error) {
    base_fail(error, KZ_IO, "cannot read %s: it is no plain file, but a pipe or a device", path);
    base_fail_note(error, "remove it, or put a file in its place");
    return KZ_IO;
}

kz_status base_file_read(const char *path, char **data, size_t *size, kz_error *error) {
    *data = NULL;
    *size = 0;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return base_file_fail_open(path, errno, error);
    struct stat info;
    kz_status status;
    if (fstat(fd, &info) != 0)
        status = errno == ENOENT ? base_file_fail_open(path, errno, error)
                                 : fail_errno(error, "look at", path, errno);
    else if (S_ISDIR(info.st_mode))
        status = base_fail(error, KZ_IO, "cannot read %s: it is a folder", path);
    else if (!S_ISREG(info.st_mode) && !is_device_name(path))
        status = fail_special(path, error);
    else if (fcntl(fd, F_SETFL, 0) != 0)
        status = fail_errno(error, "look at", path, errno);
    else
        status = read_all(fd, path, info.st_size > 0 ? (size_t)info.st_size : 4096, data, size, error);
    close(fd);
    return status;
}

static int write_all(int fd, const char *data, size_t size) {
    while (size > 0) {
        ssize_t done = write(fd, data, size);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return errno;
        data += done;
        size -= (size_t)done;
    }
    return 0;
}

// Makes the rename itself last: without it a crash may bring the old name back.
static void sync_folder(const char *path) {
    char *copy = strdup(path);
    if (!copy) return;
    char *slash = strrchr(copy, '/');
    if (slash) slash[slash == copy] = 0;
    int fd = open(slash ? copy : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(copy);
}

// A pipe or a device is written as it is: a rename would put a plain file in its place.
static kz_status write_special(const char *path, const void *data, size_t size, kz_error *error) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return fail_errno(error, "open", path, errno);
    int code = write_all(fd, data, size);
    if (close(fd) != 0 && !code) code = errno;
    return code ? fail_errno(error, "write", path, code) : KZ_OK;
}

static kz_status write_whole(const char *path, const void *data, size_t size, bool lasting, kz_error *error) {
    base_text beside = {0};
    base_text_add(&beside, "%s.XXXXXX", path);
    if (beside.failed) {
        base_text_free(&beside);
        return base_fail(error, KZ_NO_MEMORY, "no memory to write %s", path);
    }
    kz_status status = KZ_OK;
    int code = 0;
    int fd = mkostemp(beside.data, O_CLOEXEC);
    if (fd < 0) {
        status = fail_errno(error, "write", path, errno);
        base_text_free(&beside);
        return status;
    }
    // mkostemp makes it private; a result is as readable as the user's umask lets it be.
    mode_t mask = umask(0);
    umask(mask);
    code = write_all(fd, data, size);
    if (!code && fchmod(fd, 0666 & ~mask) != 0) code = errno;
    if (!code && lasting && fsync(fd) != 0) code = errno;
    if (close(fd) != 0 && !code) code = errno;
    if (!code && rename(beside.data, path) != 0) code = errno;
    if (code) {
        unlink(beside.data);
        status = fail_errno(error, "write", path, code);
    } else if (lasting) {
        sync_folder(path);
    }
    base_text_free(&beside);
    return status;
}

kz_status base_file_write(const char *path, const void *data, size_t size, kz_error *error) {
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) return write_special(path, data, size, error);
    return write_whole(path, data, size, true, error);
}

kz_status base_file_write_scratch(const char *path, const void *data, size_t size, kz_error *error) {
    return write_whole(path, data, size, false, error);
}

kz_status base_file_append_line(const char *path, const char *line, kz_error *error) {
    int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) return fail_errno(error, "open", path, errno);
    int code = 0;
    while (flock(fd, LOCK_EX) != 0) {
        if (errno == EINTR) continue;
        code = errno;
        break;
    }
    off_t end = code ? 0 : lseek(fd, 0, SEEK_END);
    if (end < 0) code = errno;
    // A line that an earlier crash left unfinished must not swallow this one.
    char last = '\n';
    if (!code && end > 0 && pread(fd, &last, 1, end - 1) != 1) last = '\n';
    if (!code && last != '\n') code = write_all(fd, "\n", 1);
    size_t length = strlen(line);
    if (!code) code = write_all(fd, line, length);
    if (!code && (length == 0 || line[length - 1] != '\n')) code = write_all(fd, "\n", 1);
    if (!code && fsync(fd) != 0) code = errno;
    if (code && end >= 0 && ftruncate(fd, end) != 0) last = 0; // the best that can be done was tried
    close(fd);
    return code ? fail_errno(error, "append to", path, code) : KZ_OK;
}

static int make_folder(const char *path) {
    if (mkdir(path, 0777) == 0) return 0;
    int code = errno;
    struct stat info;
    if (code == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode)) return 0;
    return code == EEXIST ? ENOTDIR : code;
}

kz_status base_make_folders(const char *path, kz_error *error) {
    char *copy = strdup(path);
    if (!copy) return base_fail(error, KZ_NO_MEMORY, "no memory for the path %s", path);
    int code = 0;
    for (char *at = copy + 1; *copy && *at && !code; at++) {
        if (*at != '/') continue;
        *at = 0;
        code = make_folder(copy);
        *at = '/';
    }
    if (*copy && !code) code = make_folder(copy);
    free(copy);
    if (!code) return KZ_OK;
    fail_errno(error, "make the folder", path, code);
    if (error && code != ENOMEM) error->status = KZ_IO;
    return code == ENOMEM ? KZ_NO_MEMORY : KZ_IO;
}

bool base_file_exists(const char *path) { return access(path, F_OK) == 0; }

const char *base_file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool base_path_up(char *path) {
    char *slash = strrchr(path, '/');
    if (slash) *slash = 0;
    return slash != NULL;
}
