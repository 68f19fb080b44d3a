// See softmax.h.
#include "peers/cudnn/softmax.h"

#include <string.h>

// cuDNN's numbers. ACCURATE takes the largest of a row away, as the family does; FAST, which does not, overflows.
enum { NCHW = 0, ACCURATE = 1, LOGARITHMIC = 2, BATCH = 0, ROWS = 1, COLUMNS = 2 };

bool softmax_open(softmax *s, const kz_peer_problem *p, int type) {
    const cudnn_api *api = cudnn_functions();
    s->logarithmic = strncmp(p->operation, "log_", 4) == 0;
    s->back = strstr(p->operation, "backward") != NULL;
    if (!cudnn_check(api->create(&s->handle), "cudnnCreate", s->error)) return false;
    if (!cudnn_check(api->make_tensor(&s->rows), "cudnnCreateTensorDescriptor", s->error)) return false;
    int rows = (int)(p->axes[BATCH] * p->axes[ROWS]), columns = (int)p->axes[COLUMNS];
    return cudnn_check(api->set_tensor(s->rows, NCHW, type, rows, columns, 1, 1),
                       "cudnnSetTensor4dDescriptor", s->error);
}

bool softmax_run(softmax *s, int mode, const kz_peer_call *call) {
    const cudnn_api *api = cudnn_functions();
    const float one = 1.0f, zero = 0.0f; // floats for half types too
    int algorithm = s->logarithmic ? LOGARITHMIC : ACCURATE;
    void *at[3];
    for (int i = 0; i < (s->back ? 3 : 2); i++) at[i] = (void *)(uintptr_t)call->buffers[i];
    s->error[0] = '\0';
    if (!cudnn_check(api->set_stream(s->handle, call->stream), "cudnnSetStream", s->error)) return false;
    if (s->back) // y, dy, dx
        return cudnn_check(api->softmax_back(s->handle, algorithm, mode, &one, s->rows, at[0], s->rows, at[1],
                                             &zero, s->rows, at[2]),
                           "cudnnSoftmaxBackward", s->error);
    return cudnn_check(api->softmax(s->handle, algorithm, mode, &one, s->rows, at[0], &zero, s->rows, at[1]),
                       "cudnnSoftmaxForward", s->error);
}

void softmax_close(softmax *s) {
    if (s->rows) cudnn_functions()->drop_tensor(s->rows);
    if (s->handle) cudnn_functions()->destroy(s->handle);
}
