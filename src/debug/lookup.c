// What a name stands for, for one thread: registers, variables, threadIdx and its like, enumerators.

#include <string.h>

#include "debug/expression.h"

static const debug_type *register_type(debug_symbols *symbols, ptx_type type) {
    unsigned bytes = ptx_type_bits(type) / 8;
    if (bytes < 1) bytes = 1;
    if (type == PTX_F16) return debug_type_builtin(symbols, DEBUG_HALF, 2);
    if (type == PTX_BF16) return debug_type_builtin(symbols, DEBUG_BFLOAT, 2);
    switch (ptx_type_class(type)) {
    case 'p': return debug_type_builtin(symbols, DEBUG_BOOL, 1);
    case 'f': return debug_type_builtin(symbols, DEBUG_FLOAT, bytes);
    case 's': return debug_type_builtin(symbols, DEBUG_SIGNED, bytes);
    default: return debug_type_builtin(symbols, DEBUG_UNSIGNED, bytes > 8 ? 8 : bytes);
    }
}

kz_status debug_register_value(const debug_context *context, const char *name, debug_value *value,
                               kz_error *error) {
    const ptx_function *function = sim_inspect_function(context->warp, context->frame);
    for (uint32_t i = 0; function && i < function->reg_count; i++) {
        if (strcmp(function->regs[i].name, name)) continue;
        ptx_type type = function->regs[i].type;
        const uint8_t *lanes = sim_inspect_register(context->warp, context->frame, (int32_t)i);
        if (!lanes) break;
        *value = (debug_value){.type = register_type(context->symbols, type)};
        uint32_t predicate;
        unsigned bytes = ptx_type_bits(type) <= 16 ? 2 : ptx_type_bits(type) / 8;
        if (type == PTX_PRED) {
            memcpy(&predicate, lanes, sizeof predicate);
            value->bytes[0] = predicate >> context->lane & 1;
        } else if (bytes <= sizeof value->bytes)
            memcpy(value->bytes, lanes + (size_t)context->lane * bytes, bytes);
        return KZ_OK;
    }
    return base_fail(error, KZ_INVALID,
                     "no register %s in this function\nits registers are listed by: info registers", name);
}

kz_status debug_variable_value(const debug_context *context, const debug_die *variable, debug_value *value,
                               kz_error *error) {
    const char *name = debug_die_name(variable);
    const debug_type *type = debug_type_of(context->symbols, debug_die_type(variable));
    uint32_t serial = context->inst ? context->inst->serial : 0;
    debug_location at = debug_dwarf_locate(debug_symbols_dwarf(context->symbols), variable, serial);
    uint64_t address = 0;
    *value = (debug_value){.type = type};
    switch (at.kind) {
    case DEBUG_IS_VALUE: memcpy(value->bytes, &at.value, sizeof at.value); return KZ_OK;
    case DEBUG_IN_REGISTER: {
        kz_status status = debug_register_value(context, at.reg, value, NULL);
        value->type = type;
        if (status != KZ_OK)
            return base_fail(error, status, "%s is in register %s, which this code never uses", name, at.reg);
        memcpy(&address, value->bytes, sizeof address);
        break;
    }
    case DEBUG_IN_VARIABLE:
        if (!sim_inspect_variable(context->warp, context->frame, at.variable, &address))
            return base_fail(error, KZ_INVALID, "%s is not used by this kernel, so it has no address", name);
        address += (uint64_t)at.offset;
        if (!at.indirect) {
            value->in_memory = true;
            value->address = address;
            return KZ_OK;
        }
        if (!sim_inspect_memory(context->warp, context->lane, address, &address, sizeof address))
            return base_fail(error, KZ_INVALID, "%s cannot be read: no memory at its address", name);
        break;
    default:
        return base_fail(error, KZ_INVALID,
                         "%s has no value here: the compiler keeps it nowhere at this line", name);
    }
    if (at.indirect) {
        value->in_memory = true;
        value->address = address + (at.kind == DEBUG_IN_REGISTER ? (uint64_t)at.offset : 0);
    }
    return KZ_OK;
}

static bool dimensions_value(const debug_context *context, const char *name, debug_value *value) {
    sim_inspect_where where;
    sim_inspect_at(context->warp, &where);
    uint32_t thread = where.warp * 32 + context->lane, at[3];
    if (!strcmp(name, "threadIdx")) {
        at[0] = thread % where.block[0];
        at[1] = thread / where.block[0] % where.block[1];
        at[2] = thread / where.block[0] / where.block[1];
    } else if (!strcmp(name, "blockIdx")) {
        memcpy(at, where.block_at, sizeof at);
    } else if (!strcmp(name, "blockDim")) {
        memcpy(at, where.block, sizeof at);
    } else if (!strcmp(name, "gridDim")) {
        memcpy(at, where.grid, sizeof at);
    } else if (!strcmp(name, "warpSize")) {
        *value = (debug_value){.type = debug_type_builtin(context->symbols, DEBUG_SIGNED, 4), .bytes = {32}};
        return true;
    } else
        return false;
    *value = (debug_value){.type = debug_type_dimensions(context->symbols)};
    memcpy(value->bytes, at, sizeof at);
    return true;
}

// A variable of the PTX itself, where DWARF does not know it: its bytes.
static bool ptx_variable_value(const debug_context *context, const char *name, debug_value *value) {
    const ptx_module *module = debug_symbols_module(context->symbols);
    const ptx_function *function = sim_inspect_function(context->warp, context->frame);
    const ptx_variable *found = NULL;
    for (uint32_t i = 0; i < module->variable_count && !found; i++)
        if (!strcmp(module->variables[i]->name, name)) found = module->variables[i];
    for (uint32_t i = 0; function && i < function->local_count && !found; i++)
        if (!strcmp(function->locals[i]->name, name)) found = function->locals[i];
    uint64_t address;
    if (!found || !sim_inspect_variable(context->warp, context->frame, found, &address)) return false;
    const debug_type *byte = debug_type_builtin(context->symbols, DEBUG_UNSIGNED, 1);
    *value = (debug_value){
        .type = debug_type_array(context->symbols, byte, found->size), .in_memory = true, .address = address};
    return true;
}

static bool enumerator_value(const debug_context *context, const char *name, debug_value *value) {
    const debug_dwarf *dwarf = debug_symbols_dwarf(context->symbols);
    for (size_t i = 0; i < dwarf->count; i++) {
        const debug_die *d = dwarf->all[i];
        if (d->tag != DEBUG_TAG_ENUMERATOR || !d->has_value || !d->name || strcmp(d->name, name)) continue;
        *value = (debug_value){.type = debug_type_builtin(context->symbols, DEBUG_SIGNED, 8)};
        memcpy(value->bytes, &d->value, sizeof d->value);
        if (d->parent && d->parent->tag == DEBUG_TAG_ENUMERATION)
            value->type = debug_type_of(context->symbols, d->parent);
        return true;
    }
    return false;
}

bool debug_builtin_value(const debug_context *context, const char *name, debug_value *value) {
    return dimensions_value(context, name, value) || ptx_variable_value(context, name, value) ||
           enumerator_value(context, name, value);
}
