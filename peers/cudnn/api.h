// cuDNN's functions, found in its library when they are first asked for; KZ_CUDNN names its file.
#ifndef PEERS_CUDNN_API_H
#define PEERS_CUDNN_API_H

#include <stdint.h>

#include "peers/library.h"

enum { CUDNN_ERROR = 320 }; // bytes of a message

// cuDNN's numbers of types.
enum { TYPE_F32 = 0, TYPE_F16 = 2, TYPE_I32 = 4, TYPE_BF16 = 9, TYPE_BOOLEAN = 11 };

typedef struct cudnn_api {
    size_t (*version)(void);
    int (*create)(void **handle);
    int (*destroy)(void *handle);
    int (*set_stream)(void *handle, void *stream);
    const char *(*text)(int status);
    void (*last_error)(char *message, size_t bytes);
    // Graphs.
    int (*make)(int kind, void **descriptor);
    int (*drop)(void *descriptor);
    int (*finalize)(void *descriptor);
    int (*set)(void *descriptor, int attribute, int type, int64_t count, const void *values);
    int (*get)(const void *descriptor, int attribute, int type, int64_t asked, int64_t *count, void *values);
    int (*execute)(void *handle, void *plan, void *pack);
    // Softmax, which has functions of its own.
    int (*make_tensor)(void **tensor);
    int (*drop_tensor)(void *tensor);
    int (*set_tensor)(void *tensor, int format, int type, int n, int c, int h, int w);
    int (*softmax)(void *handle, int algorithm, int mode, const void *alpha, const void *x_tensor,
                   const void *x, const void *beta, const void *y_tensor, void *y);
    int (*softmax_back)(void *handle, int algorithm, int mode, const void *alpha, const void *y_tensor,
                        const void *y, const void *dy_tensor, const void *dy, const void *beta,
                        const void *dx_tensor, void *dx);
} cudnn_api;

const peer_library *cudnn_library(void); // opened the first time
const cudnn_api *cudnn_functions(void);  // once cudnn_library can be used

// Puts what cuDNN says of a call that failed into `error`, unless that has an error already. Whether the call worked.
bool cudnn_check(int status, const char *what, char error[CUDNN_ERROR]);

#endif
