// Debugging sections: damaged ones are refused or read in part, and nothing outside them is touched.
//
// The input is the sections .debug_info, .debug_abbrev, .debug_str and .debug_loc one behind the other; its
// first six bytes are the lengths of the first three, each in two bytes, the lower first.
#include "debug/dwarf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {".debug_info", ".debug_abbrev", ".debug_str", ".debug_loc"};
enum { SECTIONS = sizeof names / sizeof names[0], HEAD = 2 * (SECTIONS - 1), SERIALS = 8 };

static void ask_everything(const debug_dwarf *dwarf) {
    debug_dwarf_has_variables(dwarf);
    for (size_t i = 0; i < dwarf->count; i++) {
        const debug_die *die = dwarf->all[i];
        debug_die_name(die);
        debug_die_type(die);
        for (uint32_t serial = 0; serial < SERIALS; serial++) {
            debug_die_covers(die, serial);
            debug_dwarf_locate(dwarf, die, serial);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < HEAD) return 0;
    ptx_section sections[SECTIONS];
    size_t at = HEAD;
    for (int i = 0; i < SECTIONS; i++) {
        size_t length = i < SECTIONS - 1 ? data[2 * i] | (size_t)data[2 * i + 1] << 8 : size;
        if (length > size - at) length = size - at;
        sections[i] = (ptx_section){.name = names[i], .data = data + at, .size = length};
        at += length;
    }
    const ptx_module module = {.name = "fuzz.ptx", .sections = sections, .section_count = SECTIONS};
    debug_dwarf dwarf;
    kz_error error;
    if (debug_dwarf_open(&module, &dwarf, &error) == KZ_OK) {
        ask_everything(&dwarf);
        debug_dwarf_close(&dwarf);
    }
    return 0;
}
