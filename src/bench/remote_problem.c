// bench/remote: a case and its buffers as JSON, for a rival in Python.
#include "bench/remote.h"

#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "device/share.h"

// The scalars among a kernel's arguments that are no axes, named as in the family's signature: {"a": 2.5}.
static json_t *scalars_object(const bench_data *d) {
    json_t *scalars = json_object();
    kz_arg args[KZ_PLAN_ARGS];
    size_t count = kz_guest_args(d->family, &d->c, args), i = 0;
    base_text signature = {0};
    char *rest = NULL;
    if (d->family->guest_signature) family_guest_signature(d->family, &d->c, &signature);
    for (char *one = signature.data ? strtok_r(signature.data, ",", &rest) : NULL; one && i < count;
         one = strtok_r(NULL, ",", &rest), i++) {
        const char *name = strrchr(one, ' ');
        bool is_axis = false;
        for (size_t k = 0; name && d->family->axes[k]; k++)
            is_axis = is_axis || strcmp(name + 1, d->family->axes[k]) == 0;
        if (!name || is_axis || strchr(one, '*') || args[i].kind != KZ_ARG_SCALAR) continue;
        float single;
        double real;
        memcpy(&single, &args[i].scalar, sizeof single);
        memcpy(&real, &args[i].scalar, sizeof real);
        json_t *value = strstr(one, "float ")    ? json_real((double)single)
                        : strstr(one, "double ") ? json_real(real)
                                                 : json_integer((json_int_t)args[i].scalar);
        json_object_set_new(scalars, name + 1, value);
    }
    base_text_free(&signature);
    return scalars;
}

json_t *bench_remote_problem(const bench_data *d) {
    json_t *axes = json_object();
    for (size_t i = 0; i < KZ_CASE_AXES && d->family->axes[i]; i++)
        json_object_set_new(axes, d->family->axes[i], json_integer(d->c.axes[i]));
    return json_pack("{ss, ss, ss, so, so, sI}", "family", d->family->name, "operation",
                     d->family->operations[d->c.operation], "type", kz_type_name(d->c.type), "axes", axes,
                     "scalars", scalars_object(d), "seed", (json_int_t)d->seed);
}

static kz_status add_handle(const bench_data *d, json_t *buffer, const char *key, kz_ptr address,
                            kz_error *error) {
    if (!address) return KZ_OK;
    device_memory_handle handle;
    char text[2 * DEVICE_HANDLE_BYTES + 1];
    kz_status status = device_memory_export(d->device, address, &handle, error);
    for (size_t i = 0; i < DEVICE_HANDLE_BYTES; i++) snprintf(text + 2 * i, 3, "%02x", handle.bytes[i]);
    if (!status) json_object_set_new(buffer, key, json_string(text));
    return status;
}

kz_status bench_remote_buffers(const bench_data *d, json_t **out, kz_error *error) {
    static const char *const roles[] = {[KZ_INPUT] = "input", [KZ_OUTPUT] = "output", [KZ_INOUT] = "inout"};
    kz_status status = KZ_OK;
    *out = json_array();
    for (size_t b = 0; b < d->buffer_count && !status; b++) {
        const kz_buffer *what = &d->buffers[b];
        json_t *buffer = json_pack("{ss, ss, ss, sI, sI}", "name", what->name, "type",
                                   kz_type_name(what->type), "role", roles[what->role], "count",
                                   (json_int_t)what->count, "stride", (json_int_t)d->stride[b]);
        status = add_handle(d, buffer, "handle", d->base[b], error);
        if (!status) status = add_handle(d, buffer, "pristine", d->pristine[b], error);
        json_array_append_new(*out, buffer);
    }
    return status;
}
