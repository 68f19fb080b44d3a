// Feeds any bytes to the PTX reader. What it accepts must survive being printed: reading the printed text
// and printing it again gives the same text.
#include "ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_at_everything(const ptx_module *module) {
    base_text text = {0};
    for (uint32_t f = 0; f < module->function_count; f++) {
        const ptx_function *function = module->functions[f];
        for (uint32_t i = 0; i < function->inst_count; i++) {
            const ptx_inst *inst = &function->insts[i];
            const char *why;
            if (!ptx_is_simulated(inst, &why) && !why) abort();
            text.length = 0;
            ptx_print_source(module, inst, &text);
            for (uint32_t o = 0; o < inst->operand_count; o++) ptx_immediate(&inst->operands[o], PTX_F32);
        }
    }
    base_text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    kz_error error;
    ptx_module *module, *again;
    kz_status status = ptx_module_open("fuzz.ptx", (const char *)data, size, &module, &error);
    if (status != KZ_OK) {
        if (module || strlen(error.message) == 0) abort();
        return 0;
    }
    look_at_everything(module);
    base_text first = {0}, second = {0};
    ptx_print_module(module, &first);
    if (ptx_module_open("printed.ptx", first.data, first.length, &again, &error) != KZ_OK) abort();
    ptx_print_module(again, &second);
    if (first.length != second.length || memcmp(first.data, second.data, first.length) != 0) abort();
    base_text_free(&first);
    base_text_free(&second);
    ptx_module_close(again);
    ptx_module_close(module);
    return 0;
}
