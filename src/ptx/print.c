// The module as PTX text again. Names are unique in a function, so scopes are flattened; labels and tables
// are named by number. Reading what is printed and printing it again gives the same text.
#include "ptx/map.h"
#include "ptx/tables.h"

#include <stdlib.h>
#include <string.h>

typedef struct printer {
    const ptx_module *module;
    const ptx_function *function;
    base_text *out;
    ptx_map *names; // inlined functions, numbered as they are met; NULL for a single instruction
} printer;

// ---- operands and instructions ---------------------------------------------------------------------

static const char *reg_name(const printer *print, int32_t reg) {
    return reg >= 0 && (uint32_t)reg < print->function->reg_count ? print->function->regs[reg].name : "%?";
}

static void print_offset(const printer *print, int64_t value) {
    if (value) base_text_add(print->out, "+%lld", (long long)value);
}

static void print_operand(const printer *print, const ptx_operand *operand);

static void print_list(const printer *print, const ptx_operand *items, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) base_text_add_bytes(print->out, ", ", 2);
        print_operand(print, &items[i]);
    }
}

static void print_address(const printer *print, const ptx_operand *operand) {
    base_text_add_bytes(print->out, "[", 1);
    if (operand->variable) {
        base_text_add(print->out, "%s", operand->variable->name);
        print_offset(print, operand->value);
    } else if (operand->reg >= 0) {
        base_text_add(print->out, "%s", reg_name(print, operand->reg));
        print_offset(print, operand->value);
    } else {
        base_text_add(print->out, "%lld", (long long)operand->value);
    }
    if (operand->element_count) base_text_add_bytes(print->out, ", ", 2);
    print_list(print, operand->elements, operand->element_count);
    base_text_add_bytes(print->out, "]", 1);
}

static void print_negation(const printer *print, const ptx_operand *operand) {
    if (!operand->negated) return;
    bool predicate = operand->kind == PTX_OPERAND_SPECIAL
                         ? ptx_special_type(operand->special) == PTX_PRED
                         : operand->reg >= 0 && print->function->regs[operand->reg].type == PTX_PRED;
    base_text_add(print->out, predicate ? "!" : "-");
}

static void print_operand(const printer *print, const ptx_operand *operand) {
    base_text *out = print->out;
    print_negation(print, operand);
    switch (operand->kind) {
    case PTX_OPERAND_NONE: break;
    case PTX_OPERAND_REG:
        base_text_add(out, "%s%s%s", reg_name(print, operand->reg), operand->select[0] ? "." : "",
                      operand->select);
        break;
    case PTX_OPERAND_INT: base_text_add(out, "%lld", (long long)operand->value); break;
    case PTX_OPERAND_FLOAT:
        if (operand->is_single)
            base_text_add(out, "0f%08llX", (unsigned long long)operand->value & 0xffffffffu);
        else
            base_text_add(out, "0d%016llX", (unsigned long long)operand->value);
        break;
    case PTX_OPERAND_SPECIAL: base_text_add(out, "%s", ptx_special_name(operand->special)); break;
    case PTX_OPERAND_VARIABLE:
        base_text_add(out, "%s", operand->variable->name);
        print_offset(print, operand->value);
        break;
    case PTX_OPERAND_FUNCTION: base_text_add(out, "%s", operand->function->name); break;
    case PTX_OPERAND_ADDRESS: print_address(print, operand); break;
    case PTX_OPERAND_VECTOR:
        base_text_add(out, "{");
        print_list(print, operand->elements, operand->element_count);
        base_text_add(out, "}");
        break;
    case PTX_OPERAND_LABEL: base_text_add(out, "$L_%lld", (long long)operand->value); break;
    case PTX_OPERAND_TABLE: base_text_add(out, "$T_%lld", (long long)operand->value); break;
    case PTX_OPERAND_SINK: base_text_add(out, "_"); break;
    }
    if (operand->second >= 0) base_text_add(out, "|%s", reg_name(print, operand->second));
}

static void print_call(const printer *print, const ptx_inst *inst) {
    const ptx_operand *parts = inst->operands;
    if (parts[0].element_count) {
        base_text_add(print->out, "(");
        print_list(print, parts[0].elements, parts[0].element_count);
        base_text_add(print->out, "), ");
    }
    print_operand(print, &parts[1]);
    if (parts[2].element_count || inst->operand_count > 3) {
        base_text_add(print->out, ", (");
        print_list(print, parts[2].elements, parts[2].element_count);
        base_text_add(print->out, ")");
    }
    if (inst->operand_count < 4) return;
    base_text_add(print->out, ", ");
    bool prototype = parts[3].kind == PTX_OPERAND_FUNCTION && parts[3].function->is_prototype;
    if (prototype)
        base_text_add(print->out, "$prototype");
    else
        print_operand(print, &parts[3]);
}

void ptx_print_inst(const ptx_module *module, const ptx_function *function, const ptx_inst *inst,
                    base_text *out) {
    printer print = {.module = module, .function = function, .out = out};
    if (inst->guard >= 0)
        base_text_add(out, "@%s%s ", inst->guard_negated ? "!" : "", reg_name(&print, inst->guard));
    if (inst->op == PTX_OP_NONE) {
        base_text_add(out, "%s;", inst->text ? inst->text : "");
        return;
    }
    base_text_add(out, "%s", ptx_op_root(inst->op));
    for (uint32_t i = 0; i < inst->mod_count; i++)
        base_text_add(out, ".%s", ptx_mod_text((ptx_mod)inst->mods[i]));
    if (inst->operand_count) base_text_add(out, " ");
    if (inst->op == PTX_OP_CALL && inst->operand_count >= 3)
        print_call(&print, inst);
    else
        print_list(&print, inst->operands, inst->operand_count);
    base_text_add(out, ";");
}

// ---- variables ----------------------------------------------------------------------------------------

static uint32_t element_bytes(const ptx_variable *variable) {
    return (ptx_type_bits(variable->type) + 7) / 8;
}

static void print_relocation(base_text *out, const ptx_relocation *relocation) {
    const char *name = relocation->variable ? relocation->variable->name : relocation->function->name;
    if (relocation->mask) base_text_add(out, "0x%llx(", (unsigned long long)relocation->mask);
    base_text_add(out, relocation->generic ? "generic(%s)" : "%s", name);
    if (relocation->addend) base_text_add(out, "+%lld", (long long)relocation->addend);
    if (relocation->mask) base_text_add(out, ")");
}

static void print_element(base_text *out, const ptx_variable *variable, const uint8_t *at, uint32_t bytes) {
    uint64_t bits = 0;
    memcpy(&bits, at, bytes < 8 ? bytes : 8);
    if (variable->type == PTX_F32)
        base_text_add(out, "0f%08llX", (unsigned long long)bits);
    else if (variable->type == PTX_F64)
        base_text_add(out, "0d%016llX", (unsigned long long)bits);
    else
        base_text_add(out, "%llu", (unsigned long long)bits);
}

static void print_value(base_text *out, const ptx_variable *variable) {
    uint32_t bytes = element_bytes(variable), next = 0;
    uint64_t used = variable->size;
    while (used > 0 && variable->data[used - 1] == 0) used--;
    if (variable->relocation_count) {
        uint64_t last = variable->relocations[variable->relocation_count - 1].offset + bytes;
        if (used < last) used = last;
    }
    bool single = variable->size == bytes; // ptxas wants no braces around one value
    base_text_add(out, single ? " = " : " = {");
    for (uint64_t at = 0; at < used || at == 0; at += bytes) {
        if (at > 0) base_text_add(out, ", ");
        if (next < variable->relocation_count && variable->relocations[next].offset == at)
            print_relocation(out, &variable->relocations[next++]);
        else
            print_element(out, variable, variable->data + at, bytes);
    }
    if (!single) base_text_add(out, "}");
}

// ".align 8 .v4 .f32 name[4]"
static void print_declarator(base_text *out, const ptx_variable *variable) {
    if (variable->space != PTX_MOD_REG) base_text_add(out, ".align %u ", variable->align);
    if (variable->vector > 1) base_text_add(out, ".v%u ", variable->vector);
    base_text_add(out, ".%s ", ptx_type_name(variable->type));
    if (variable->pointer_space != PTX_MOD_NONE || variable->pointer_align) {
        base_text_add(out, ".ptr ");
        if (variable->pointer_space != PTX_MOD_NONE)
            base_text_add(out, ".%s ", ptx_mod_text(variable->pointer_space));
        if (variable->pointer_align) base_text_add(out, ".align %u ", variable->pointer_align);
    }
    uint64_t bytes = (uint64_t)element_bytes(variable) * variable->vector;
    base_text_add(out, "%s", variable->name);
    if (variable->size == 0)
        base_text_add(out, "[]");
    else if (variable->size != bytes)
        base_text_add(out, "[%llu]", (unsigned long long)(variable->size / bytes));
}

static void print_variable(base_text *out, const ptx_variable *variable, bool declare_only) {
    if (variable->is_extern || declare_only) base_text_add(out, ".extern ");
    if (variable->is_visible) base_text_add(out, ".visible ");
    if (variable->is_weak) base_text_add(out, ".weak ");
    if (variable->is_common) base_text_add(out, ".common ");
    base_text_add(out, ".%s ", ptx_mod_text(variable->space));
    if (variable->is_managed) base_text_add(out, ".attribute(.managed) ");
    print_declarator(out, variable);
    if (variable->data && variable->size && !declare_only) print_value(out, variable);
    base_text_add(out, ";\n");
}

// A value that refers to a later variable needs that one declared first.
static void print_forward_declarations(base_text *out, const ptx_module *module) {
    uint8_t *needed = calloc(module->variable_count + 1, 1);
    for (uint32_t i = 0; needed && i < module->variable_count; i++) {
        const ptx_variable *variable = module->variables[i];
        for (uint32_t r = 0; r < variable->relocation_count; r++) {
            const ptx_variable *other = variable->relocations[r].variable;
            if (other && other->index > i) needed[other->index] = 1;
        }
    }
    for (uint32_t i = 0; needed && i < module->variable_count; i++)
        if (needed[i]) print_variable(out, module->variables[i], true);
    if (!needed) out->failed = true;
    free(needed);
}

// ---- functions ----------------------------------------------------------------------------------------

static void print_params(base_text *out, ptx_variable *const *params, uint32_t count) {
    base_text_add(out, "(");
    for (uint32_t i = 0; i < count; i++) {
        base_text_add(out, "%s.%s ", i ? ", " : "", ptx_mod_text(params[i]->space));
        print_declarator(out, params[i]);
    }
    base_text_add(out, ")");
}

static void print_extent(base_text *out, const char *directive, const uint32_t values[3]) {
    if (values[0]) base_text_add(out, "\n%s %u, %u, %u", directive, values[0], values[1], values[2]);
}

static void print_number(base_text *out, const char *directive, uint32_t value) {
    if (value) base_text_add(out, "\n%s %u", directive, value);
}

static void print_head(base_text *out, const ptx_function *function) {
    if (function->is_extern && !function->has_body) base_text_add(out, ".extern ");
    if (function->is_visible) base_text_add(out, ".visible ");
    if (function->is_weak) base_text_add(out, ".weak ");
    base_text_add(out, function->is_entry ? ".entry " : ".func ");
    if (function->return_count) {
        print_params(out, function->returns, function->return_count);
        base_text_add(out, " ");
    }
    base_text_add(out, "%s", function->name);
    print_params(out, function->params, function->param_count);
    print_extent(out, ".maxntid", function->max_threads);
    print_extent(out, ".reqntid", function->required_threads);
    print_extent(out, ".reqnctapercluster", function->cluster);
    print_number(out, ".minnctapersm", function->min_blocks);
    print_number(out, ".maxnctapersm", function->max_blocks);
    print_number(out, ".maxnreg", function->max_registers);
    print_number(out, ".maxclusterrank", function->max_cluster_rank);
    if (function->explicit_cluster) base_text_add(out, "\n.explicitcluster");
    if (function->blocks_are_clusters) base_text_add(out, "\n.blocksareclusters");
    if (function->is_noreturn) base_text_add(out, "\n.noreturn");
}

static uint32_t count_reg_params(ptx_variable *const *params, uint32_t count) {
    uint32_t regs = 0;
    for (uint32_t i = 0; i < count; i++)
        regs += params[i]->space == PTX_MOD_REG && strcmp(params[i]->name, "_") != 0;
    return regs;
}

static void print_registers(const printer *print) {
    enum { PER_LINE = 8 };
    const ptx_function *function = print->function;
    // Parameters in registers are the first ones and were declared in the head.
    uint32_t first = count_reg_params(function->returns, function->return_count) +
                     count_reg_params(function->params, function->param_count);
    uint32_t on_line = 0;
    for (uint32_t i = first; i < function->reg_count; i++) {
        bool same = on_line > 0 && on_line < PER_LINE && function->regs[i].type == function->regs[i - 1].type;
        if (same) {
            base_text_add(print->out, ", %s", function->regs[i].name);
        } else {
            base_text_add(print->out, "%s    .reg .%s %s", on_line ? ";\n" : "",
                          ptx_type_name(function->regs[i].type), function->regs[i].name);
            on_line = 0;
        }
        on_line++;
    }
    if (on_line) base_text_add(print->out, ";\n");
}

static void print_tables(const printer *print) {
    for (uint32_t t = 0; t < print->function->table_count; t++) {
        const ptx_table *table = &print->function->tables[t];
        base_text_add(print->out, "$T_%u: %s ", t, table->functions ? ".calltargets" : ".branchtargets");
        for (uint32_t i = 0; i < table->count; i++) {
            if (i > 0) base_text_add(print->out, ", ");
            if (table->functions)
                base_text_add(print->out, "%s", table->functions[i]->name);
            else
                base_text_add(print->out, "$L_%u", table->labels[i]);
        }
        base_text_add(print->out, ";\n");
    }
}

// The label in .debug_str of an inlined function's name.
static uint32_t name_label(const printer *print, const char *name) {
    size_t length = strlen(name);
    uint32_t hash = ptx_map_hash(name, length);
    ptx_map_entry *entry = ptx_map_find(print->names, name, length, hash, 0);
    if (entry) return entry->number;
    entry = ptx_map_add(print->names, name, length, hash, 0);
    if (!entry) {
        print->out->failed = true;
        return 0;
    }
    return entry->number = print->names->count - 1;
}

static void print_location(const printer *print, int32_t index) {
    enum { DEEPEST = 64 };
    int32_t chain[DEEPEST];
    uint32_t depth = 0;
    const ptx_location *all = print->module->locations;
    for (; index >= 0 && depth < DEEPEST; index = all[index].inlined_at) chain[depth++] = index;
    while (depth-- > 0) { // the outermost first, for inlined_at refers to what was said before
        const ptx_location *at = &all[chain[depth]];
        uint32_t file =
            at->file < print->module->file_count ? print->module->files[at->file].number : UINT32_MAX;
        base_text_add(print->out, "    .loc %u %u %u", file, at->line, at->column);
        if (at->function) base_text_add(print->out, ", function_name $S_%u", name_label(print, at->function));
        if (at->inlined_at >= 0) {
            const ptx_location *outer = &all[at->inlined_at];
            file = outer->file < print->module->file_count ? print->module->files[outer->file].number
                                                           : UINT32_MAX;
            base_text_add(print->out, ", inlined_at %u %u %u", file, outer->line, outer->column);
        }
        base_text_add(print->out, "\n");
    }
}

static void mark_labels(const ptx_function *function, uint8_t *marks) {
    for (uint32_t i = 0; i < function->inst_count; i++)
        for (uint32_t o = 0; o < function->insts[i].operand_count; o++)
            if (function->insts[i].operands[o].kind == PTX_OPERAND_LABEL)
                marks[function->insts[i].operands[o].value] = 1;
    for (uint32_t t = 0; t < function->table_count; t++)
        for (uint32_t i = 0; function->tables[t].labels && i < function->tables[t].count; i++)
            marks[function->tables[t].labels[i]] = 1;
}

static void print_statement(const printer *print, const ptx_inst *inst) {
    bool scoped = inst->op == PTX_OP_CALL && inst->operand_count == 4 &&
                  inst->operands[3].kind == PTX_OPERAND_FUNCTION && inst->operands[3].function->is_prototype;
    if (scoped) {
        const ptx_function *prototype = inst->operands[3].function;
        base_text_add(print->out, "    {\n$prototype: .callprototype ");
        print_params(print->out, prototype->returns, prototype->return_count);
        base_text_add(print->out, " _ ");
        print_params(print->out, prototype->params, prototype->param_count);
        base_text_add(print->out, "%s;\n", prototype->is_noreturn ? " .noreturn" : "");
    }
    base_text_add(print->out, "    ");
    ptx_print_inst(print->module, print->function, inst, print->out);
    base_text_add(print->out, scoped ? "\n    }\n" : "\n");
}

static void print_body(const printer *print) {
    const ptx_function *function = print->function;
    uint8_t *marks = calloc((size_t)function->inst_count + 1, 1);
    if (!marks) {
        print->out->failed = true;
        return;
    }
    mark_labels(function, marks);
    base_text_add(print->out, "\n{\n");
    print_registers(print);
    for (uint32_t i = 0; i < function->local_count; i++) {
        base_text_add(print->out, "    ");
        print_variable(print->out, function->locals[i], false);
    }
    print_tables(print);
    int32_t source = -1;
    for (uint32_t i = 0; i <= function->inst_count; i++) {
        if (marks[i]) base_text_add(print->out, "$L_%u:\n", i);
        if (i == function->inst_count) break;
        const ptx_inst *inst = &function->insts[i];
        if (inst->source != source) print_location(print, inst->source);
        source = inst->source;
        print_statement(print, inst);
    }
    base_text_add(print->out, "}\n");
    free(marks);
}

static void print_functions(const ptx_module *module, bool entries, ptx_map *names, base_text *out) {
    for (uint32_t i = 0; i < module->function_count; i++) {
        const ptx_function *function = module->functions[i];
        if (function->is_entry != entries || !function->has_body) continue;
        base_text_add(out, "\n");
        print_head(out, function);
        print_body(&(printer){.module = module, .function = function, .out = out, .names = names});
    }
}

static void print_debug_strings(const ptx_module *module, ptx_map *names, base_text *out) {
    if (names->count == 0) return;
    const char **by_number = calloc(names->count, sizeof *by_number);
    for (uint32_t i = 0; by_number && i <= names->mask; i++)
        for (const ptx_map_entry *entry = names->buckets[i]; entry; entry = entry->next)
            by_number[entry->number] = entry->text;
    base_text_add(out, "\n.section .debug_str\n{\n");
    for (uint32_t i = 0; by_number && i < names->count; i++) {
        base_text_add(out, "$S_%u: .b8 ", i);
        for (const char *c = by_number[i]; *c; c++) base_text_add(out, "%u,", (unsigned char)*c);
        base_text_add(out, "0\n");
    }
    base_text_add(out, "}\n");
    if (!by_number) out->failed = true;
    free(by_number);
}

static void print_module(const ptx_module *module, ptx_map *names, base_text *out) {
    base_text_add(out, ".version %d.%d\n.target sm_%d", module->version / 10, module->version % 10,
                  module->sm);
    if (module->sm_suffix) base_text_add(out, "%c", module->sm_suffix);
    base_text_add(out, "\n.address_size %u\n", module->address_bits);
    for (uint32_t i = 0; i < module->file_count; i++)
        base_text_add(out, ".file %u \"%s\"\n", module->files[i].number, module->files[i].path);
    for (uint32_t i = 0; i < module->function_count; i++) {
        const ptx_function *function = module->functions[i];
        if (function->is_entry && function->has_body) continue;
        print_head(out, function);
        base_text_add(out, ";\n");
    }
    print_forward_declarations(out, module);
    for (uint32_t i = 0; i < module->variable_count; i++) print_variable(out, module->variables[i], false);
    print_functions(module, false, names, out);
    print_functions(module, true, names, out);
    for (uint32_t i = 0; i < module->function_count; i++)
        if (module->functions[i]->alias)
            base_text_add(out, ".alias %s, %s;\n", module->functions[i]->name,
                          module->functions[i]->alias->name);
    print_debug_strings(module, names, out);
}

void ptx_print_module(const ptx_module *module, base_text *out) {
    ptx_map names = {0};
    base_arena *arena = base_arena_open();
    if (arena && ptx_map_open(&names, arena))
        print_module(module, &names, out);
    else
        out->failed = true;
    ptx_map_close(&names);
    base_arena_close(arena);
}
