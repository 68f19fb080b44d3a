// The names of errors and what they mean.
#include <cuda_runtime_api.h>

#include "base/base.h"
#include "error_words.h"

static const struct {
    cudaError_t error;
    const char *name, *text;
} errors[] = {
#define CUDART_ERROR(name, text) {name, #name, text},
#include "errors.def"
#undef CUDART_ERROR
};

const char *cudart_error_name(int error) {
    for (size_t i = 0; i < BASE_COUNT(errors); i++)
        if ((int)errors[i].error == error) return errors[i].name;
    return "unrecognized error code";
}

const char *cudart_error_text(int error) {
    for (size_t i = 0; i < BASE_COUNT(errors); i++)
        if ((int)errors[i].error == error) return errors[i].text;
    return "unrecognized error code";
}
