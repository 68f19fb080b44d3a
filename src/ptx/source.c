// Where an instruction comes from, in words.
#include "ptx/ptx.h"

#include <string.h>

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool ptx_is_foreign(const char *path) {
    static const char *const marks[] = {"/cuda/", "/cuda-",       "/nvidia/",      "-linux/include/",
                                        "/cccl/", "/libcudacxx/", "/usr/include/", "/usr/lib/"};
    for (size_t i = 0; i < BASE_COUNT(marks); i++)
        if (strstr(path, marks[i])) return true;
    return strncmp(path, "cuda/include/", 13) == 0; // as tools/compile_kernel calls the toolkit's in the zoo
}

static const char *path_of(const ptx_module *module, int32_t location) {
    uint32_t file = module->locations[location].file;
    return file < module->file_count ? module->files[file].path : "?";
}

static void print_location(const ptx_module *module, int32_t location, base_text *out) {
    uint32_t line = module->locations[location].line;
    base_text_add(out, "%s", last_part(path_of(module, location)));
    if (line)
        base_text_add(out, ":%u", line);
    else
        base_text_add(out, ":? (made by the compiler)");
}

int32_t ptx_user_location(const ptx_module *module, const ptx_inst *inst) {
    if (inst->source < 0 || (uint32_t)inst->source >= module->location_count) return -1;
    const ptx_location *all = module->locations;
    int32_t user = inst->source;
    while (ptx_is_foreign(path_of(module, user)) && all[user].inlined_at >= 0) user = all[user].inlined_at;
    return ptx_is_foreign(path_of(module, user)) ? inst->source : user;
}

void ptx_print_source(const ptx_module *module, const ptx_inst *inst, base_text *out) {
    int32_t user = ptx_user_location(module, inst);
    if (user < 0) {
        base_text_add(out, "line %u of %s", inst->line, module->name);
        return;
    }
    const ptx_location *all = module->locations;
    print_location(module, user, out);
    const char *before = " (";
    for (int32_t at = inst->source; at != user; at = all[at].inlined_at) {
        base_text_add(out, "%sin ", before);
        print_location(module, at, out);
        before = ", ";
    }
    for (int32_t at = all[user].inlined_at; at >= 0; at = all[at].inlined_at) {
        base_text_add(out, "%sinlined into ", before);
        print_location(module, at, out);
        before = ", ";
    }
    if (before[0] == ',') base_text_add(out, ")");
}
