// The watched file: waits for the folder's changes, so that editors that write a new file and rename it are seen.
//
// Where nobody tells (network folders, links, a system out of watches), it looks twice a second instead. A change is
// believed once the file has been quiet for a moment: editors save in several steps.
#include "learn/learn.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define QUIET      0.06 // seconds without an event before the file is looked at
#define LOOK_EVERY 0.5
#define GONE_AFTER 0.5 // an editor may take the file away for a moment

// Changes made on another machine (or by the host of a virtual one) raise no event there.
static bool is_remote(const char *folder) {
    static const uint32_t kinds[] = {
        0x6969u,     // NFS
        0x517bu,     // SMB
        0xff534d42u, // CIFS
        0xfe534d42u, // SMB 2
        0x01021997u, // 9P: Windows' folders in WSL, some virtual machines
        0x65735546u, // FUSE: sshfs, desktop file sharing
        0x786f4256u, // VirtualBox's shared folders
        0x5346414fu, // AFS
    };
    struct statfs info;
    if (statfs(folder, &info) != 0) return false;
    for (size_t i = 0; i < BASE_COUNT(kinds); i++)
        if ((uint32_t)info.f_type == kinds[i]) return true;
    return false;
}

static bool is_new(learn_watch *w, const struct stat *s) {
    bool same = w->inode == s->st_ino && w->size == s->st_size && w->modified.tv_sec == s->st_mtim.tv_sec &&
                w->modified.tv_nsec == s->st_mtim.tv_nsec;
    w->inode = s->st_ino;
    w->size = s->st_size;
    w->modified = s->st_mtim;
    return !same;
}

// What it points to changes elsewhere, and perhaps to another file.
static bool is_link(const char *file) {
    struct stat s;
    return lstat(file, &s) == 0 && S_ISLNK(s.st_mode);
}

static void begin(learn_watch *w, bool poll) {
    w->fd = -1;
    if (!poll && !is_link(w->file) && !is_remote(w->folder)) w->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (w->fd >= 0) {
        int number = inotify_add_watch(w->fd, w->folder,
                                       IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE |
                                           IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR);
        if (number < 0) close(w->fd), w->fd = -1;
    }
    if (w->fd < 0) w->due = base_seconds() + LOOK_EVERY;
}

void learn_watch_open(learn_watch *w, const char *file, bool poll) {
    *w = (learn_watch){.fd = -1};
    snprintf(w->file, sizeof w->file, "%s", file);
    const char *slash = strrchr(file, '/');
    snprintf(w->folder, sizeof w->folder, "%.*s", slash ? (int)(slash - file) : 1, slash ? file : ".");
    begin(w, poll);
    struct stat s;
    if (stat(file, &s) == 0) is_new(w, &s);
}

void learn_watch_close(learn_watch *w) {
    if (w->fd >= 0) close(w->fd);
    w->fd = -1;
    w->due = 0;
}

void learn_watch_take(learn_watch *w) {
    const char *name = strrchr(w->file, '/');
    name = name ? name + 1 : w->file;
    _Alignas(struct inotify_event) char events[4096];
    ssize_t got;
    while ((got = read(w->fd, events, sizeof events)) > 0)
        for (char *at = events; at < events + got;) {
            const struct inotify_event *e = (const struct inotify_event *)(const void *)at;
            at += sizeof *e + e->len;
            bool ours = e->len ? strcmp(e->name, name) == 0 : true; // without a name: the folder itself
            if (ours) w->due = base_seconds() + QUIET;
            if (e->mask & (IN_IGNORED | IN_MOVE_SELF)) w->lost = true;
        }
}

int learn_watch_wait(const learn_watch *w) {
    if (w->due == 0) return -1;
    double left = w->due - base_seconds();
    return left <= 0 ? 0 : (int)(left * 1000) + 1;
}

learn_change learn_watch_look(learn_watch *w) {
    double time = base_seconds();
    if (w->due == 0 || time < w->due) return LEARN_SAME;
    w->due = w->fd < 0 ? time + LOOK_EVERY : 0;
    if (w->lost) { // the folder was taken away, and perhaps made anew: that would be another one
        learn_watch_close(w);
        begin(w, false);
        w->lost = false;
    }
    struct stat s;
    if (stat(w->file, &s) == 0) {
        w->gone_since = 0;
        if (w->fd >= 0 && is_link(w->file)) {
            learn_watch_close(w);
            begin(w, true);
        }
        return is_new(w, &s) ? LEARN_SAVED : LEARN_SAME;
    }
    if (w->gone_since == 0) w->gone_since = time;
    if (time - w->gone_since >= GONE_AFTER) return LEARN_GONE;
    w->due = time + QUIET;
    return LEARN_SAME;
}
