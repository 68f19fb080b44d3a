// The texture and surface objects of a machine: a list; handles are a base plus the index in it.
#include "sim/texture.h"

#include <inttypes.h>
#include <stdlib.h>

#include "sim/core.h"

#define HANDLE_BASE UINT64_C(0x7e000000) // looks like no address, so that a mix-up shows

struct sim_textures {
    sim_texture **list;
    size_t count, capacity;
};

static size_t index_of(uint64_t handle) {
    return handle > HANDLE_BASE ? (size_t)(handle - HANDLE_BASE - 1) : SIZE_MAX;
}

kz_status sim_texture_create(sim_machine *machine, const sim_texture *texture, uint64_t *handle,
                             kz_error *error) {
    sim_textures *all = machine->textures;
    if (!all) all = machine->textures = calloc(1, sizeof *all);
    sim_texture *made = malloc(sizeof *made);
    if (all && all->count == all->capacity) {
        size_t capacity = all->capacity ? all->capacity * 2 : 16;
        sim_texture **grown = realloc(all->list, capacity * sizeof *grown);
        if (grown) all->list = grown, all->capacity = capacity;
    }
    if (!all || !made || all->count == all->capacity) {
        free(made);
        return base_fail(error, KZ_NO_MEMORY, "no memory for a texture object");
    }
    *made = *texture;
    all->list[all->count++] = made;
    *handle = HANDLE_BASE + all->count;
    return KZ_OK;
}

kz_status sim_texture_destroy(sim_machine *machine, uint64_t handle, kz_error *error) {
    sim_textures *all = machine->textures;
    size_t index = index_of(handle);
    if (!all || index >= all->count || !all->list[index])
        return base_fail(error, KZ_INVALID, "0x%" PRIx64 " is no live texture or surface object", handle);
    free(all->list[index]);
    all->list[index] = NULL;
    return KZ_OK;
}

const sim_texture *sim_texture_find(const sim_machine *machine, uint64_t handle) {
    const sim_textures *all = machine->textures;
    size_t index = index_of(handle);
    return all && index < all->count ? all->list[index] : NULL;
}

void sim_texture_close_all(sim_machine *machine) {
    sim_textures *all = machine->textures;
    for (size_t i = 0; all && i < all->count; i++) free(all->list[i]);
    if (all) free(all->list);
    free(all);
    machine->textures = NULL;
}
