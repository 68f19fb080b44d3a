// Messages through a socket.
#include "channel.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static bool send_all(int channel, const void *from, size_t count) {
    for (const char *at = from; count;) {
        ssize_t put = send(channel, at, count, MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        at += put;
        count -= (size_t)put;
    }
    return true;
}

bool remote_send(int channel, const remote_message *message, const void *bytes) {
    return send_all(channel, message, sizeof *message) && send_all(channel, bytes, message->bytes);
}

bool remote_take(int channel, void *bytes, size_t count) {
    for (char *at = bytes; count;) {
        ssize_t got = read(channel, at, count);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        count -= (size_t)got;
    }
    return true;
}

bool remote_receive(int channel, remote_message *message) {
    return remote_take(channel, message, sizeof *message);
}

// ---- the door: a descriptor travels with the greeting -----------------------------------------------------------

typedef union control {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
} control;

bool remote_greet(int door, const remote_greeting *greeting, int channel) {
    control c = {0};
    struct iovec data = {.iov_base = (void *)(uintptr_t)greeting, .iov_len = sizeof *greeting};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = c.bytes, .msg_controllen = sizeof c.bytes};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof channel);
    memcpy(CMSG_DATA(head), &channel, sizeof channel);
    ssize_t put;
    while ((put = sendmsg(door, &message, MSG_NOSIGNAL)) < 0 && errno == EINTR) {}
    return put == (ssize_t)sizeof *greeting;
}

int remote_meet(int door, remote_greeting *greeting) {
    for (;;) {
        control c = {0};
        struct iovec data = {.iov_base = greeting, .iov_len = sizeof *greeting};
        struct msghdr message = {.msg_iov = &data,
                                 .msg_iovlen = 1,
                                 .msg_control = c.bytes,
                                 .msg_controllen = CMSG_LEN(sizeof(int))}; // no room for a second one
        ssize_t got = recvmsg(door, &message, MSG_CMSG_CLOEXEC);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return -1;
        const struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        int channel = -1;
        if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
            head->cmsg_len == CMSG_LEN(sizeof channel))
            memcpy(&channel, CMSG_DATA(head), sizeof channel);
        if (channel >= 0 && got == (ssize_t)sizeof *greeting) return channel;
        if (channel >= 0) close(channel); // nonsense
    }
}
