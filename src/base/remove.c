// Removes a folder with all that is in it, however deep it goes and whatever its modes say: others may have filled it.
//
// What lies deeper is moved up to the folder itself, and emptied there. So two folders are open at a time, no path grows,
// and each folder is moved once. Links are removed, not followed.
#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static DIR *open_folder(int parent, const char *name) {
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == EACCES && fchmodat(parent, name, 0700, 0) == 0)
        fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0) fchmod(fd, 0700); // it may be listed, and yet not be changed
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    if (!folder && fd >= 0) close(fd);
    return folder;
}

static struct dirent *next_entry(DIR *folder) {
    struct dirent *entry;
    do entry = readdir(folder);
    while (entry && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
    return entry;
}

static bool remove_name(int folder, const char *name) {
    return unlinkat(folder, name, 0) == 0 || unlinkat(folder, name, AT_REMOVEDIR) == 0;
}

// The folder `name` in `top`: its folders that are not empty go up, and it goes.
static bool remove_inner(int top, const char *name, unsigned long *moved) {
    DIR *folder = open_folder(top, name);
    if (!folder) return false;
    int fd = dirfd(folder);
    for (struct dirent *entry; (entry = next_entry(folder));) {
        char up[32];
        if (remove_name(fd, entry->d_name)) continue;
        struct stat about;
        if (fstatat(fd, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(about.st_mode)) continue;
        fchmodat(fd, entry->d_name, 0700, 0); // its own ".." changes
        do snprintf(up, sizeof up, "kz-up-%lu", (*moved)++);
        while (faccessat(top, up, F_OK, AT_SYMLINK_NOFOLLOW) == 0);
        renameat(fd, entry->d_name, top, up);
    }
    closedir(folder);
    return unlinkat(top, name, AT_REMOVEDIR) == 0;
}

void base_remove_tree(const char *path) {
    unsigned long moved = 0;
    if (unlink(path) == 0 || rmdir(path) == 0) return;
    DIR *top = open_folder(AT_FDCWD, path);
    for (bool goes_on = top != NULL; goes_on;) {
        goes_on = false;
        rewinddir(top);
        for (struct dirent *entry; (entry = next_entry(top));)
            if (remove_name(dirfd(top), entry->d_name) || remove_inner(dirfd(top), entry->d_name, &moved))
                goes_on = true; // what was moved up meanwhile
    }
    if (top) closedir(top);
    rmdir(path);
}
