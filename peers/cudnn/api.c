// See api.h.
#include "peers/cudnn/api.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Opened once, for the life of the process.
static pthread_once_t once = PTHREAD_ONCE_INIT;
static peer_library library;
static cudnn_api api;

// libcudnn is a shell: a call opens the part that it needs, which lies beside it, and aborts where it cannot.
static bool open_part(const char *name) {
    Dl_info at;
    char path[PATH_MAX];
    const char *slash = dladdr(*(void **)&api.version, &at) ? strrchr(at.dli_fname, '/') : NULL;
    if (!slash) return true;
    int folder = (int)(slash - at.dli_fname);
    if (snprintf(path, sizeof path, "%.*s/%s", folder, at.dli_fname, name) >= PATH_MAX) return true;
    if (access(path, R_OK) != 0 || dlopen(path, RTLD_NOW | RTLD_LOCAL)) return true;
    snprintf(library.problem, sizeof library.problem, "a part of it cannot be opened: %.150s", dlerror());
    library.handle = NULL;
    return false;
}

static void open_library(void) {
    static const peer_symbol symbols[] = {
        {"cudnnGetVersion", &api.version},
        {"cudnnCreate", &api.create},
        {"cudnnDestroy", &api.destroy},
        {"cudnnSetStream", &api.set_stream},
        {"cudnnGetErrorString", &api.text},
        {"cudnnGetLastErrorString", &api.last_error},
        {"cudnnBackendCreateDescriptor", &api.make},
        {"cudnnBackendDestroyDescriptor", &api.drop},
        {"cudnnBackendFinalize", &api.finalize},
        {"cudnnBackendSetAttribute", &api.set},
        {"cudnnBackendGetAttribute", &api.get},
        {"cudnnBackendExecute", &api.execute},
        {"cudnnCreateTensorDescriptor", &api.make_tensor},
        {"cudnnDestroyTensorDescriptor", &api.drop_tensor},
        {"cudnnSetTensor4dDescriptor", &api.set_tensor},
        {"cudnnSoftmaxForward", &api.softmax},
        {"cudnnSoftmaxBackward", &api.softmax_back},
    };
    const peer_wanted wanted = {.variable = "KZ_CUDNN",
                                .files = {"libcudnn.so.9", "libcudnn.so"},
                                .symbols = symbols,
                                .symbol_count = sizeof symbols / sizeof symbols[0]};
    peer_library_open(&library, &wanted);
    if (!api.version || !open_part("libcudnn_graph.so.9") || !open_part("libcudnn_ops.so.9")) return;
    int number = (int)api.version(), thousand = number < 10000 ? 1000 : 10000; // 8907, 91900
    snprintf(library.version, sizeof library.version, "%d.%d.%d", number / thousand, number % thousand / 100,
             number % 100);
    peer_library_require(&library, "9.0", number >= 90000);
}

const peer_library *cudnn_library(void) {
    pthread_once(&once, open_library);
    return &library;
}

const cudnn_api *cudnn_functions(void) { return &api; }

bool cudnn_check(int status, const char *what, char error[CUDNN_ERROR]) {
    if (status == 0 || error[0]) return status == 0;
    char detail[200] = "";
    api.last_error(detail, sizeof detail);
    snprintf(error, CUDNN_ERROR, "%s: %s%s%s", what, api.text(status), detail[0] ? ": " : "", detail);
    return false;
}
