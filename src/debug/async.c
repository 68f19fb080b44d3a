// What is asynchronous: info mbarriers, info async; the fields of a tensor map: info map.

#include "debug/session.h"

#include <inttypes.h>
#include <string.h>

#include "sim/tensor_map.h"

enum { LANES = 32 };

// ---- mbarriers -------------------------------------------------------------------------------------------

static void show_mbarrier(debug_session *s, const sim_warp *warp, const sim_inspect_mbarrier_state *b) {
    uint32_t begin;
    const ptx_variable *variable = sim_inspect_shared_variable(warp, b->offset, &begin);
    char name[128];
    debug_say(s, "  0x%-6x", b->offset);
    if (variable) {
        debug_variable_name(variable, name, sizeof name);
        debug_say(s, "%s", name);
        if (b->offset > begin) debug_say(s, " + %u", b->offset - begin);
    }
    debug_say(s, "%sphase %" PRIu64 " (parity %u): %u of %u arrivals", variable ? ": " : "", b->phase,
              (unsigned)(b->phase & 1), b->pending, b->expected);
    if (b->bytes) debug_say(s, " and %d bytes", b->bytes);
    debug_say(s, " are missing");
    if (b->copies) debug_say(s, "; %u under way will arrive there", b->copies);
    debug_say(s, "\n");
}

void debug_show_mbarriers(debug_session *s) {
    if (!debug_is_stopped(s)) return;
    const sim_warp *warp = debug_focused_warp(s);
    unsigned shown = 0;
    sim_inspect_mbarrier_state state;
    uint32_t count = warp ? sim_inspect_mbarriers(warp) : 0;
    for (uint32_t i = 0; i < count; i++)
        if (sim_inspect_mbarrier_at(warp, i, &state)) show_mbarrier(s, warp, &state), shown++;
    if (!shown) debug_say(s, "The block has no mbarriers: mbarrier.init makes them.\n");
}

// ---- copies and products ---------------------------------------------------------------------------------

static void add_work(base_text *out, const sim_inspect_work *work, const char *one, const char *many) {
    if (!work->done && !work->open) return;
    base_text_add(out, "%s%u %s", out->length ? "; " : "", work->done + work->open,
                  work->done + work->open == 1 ? one : many);
    if (work->bytes) base_text_add(out, " (%" PRIu64 " bytes)", work->bytes);
    if (work->groups) base_text_add(out, " in %u group%s", work->groups, work->groups == 1 ? "" : "s");
    if (work->open) base_text_add(out, work->done ? ", %u not committed" : ", not committed", work->open);
}

static void lane_text(const sim_warp *warp, uint32_t lane, base_text *out) {
    sim_inspect_async work;
    sim_inspect_async_of(warp, lane, &work);
    add_work(out, &work.copies, "cp.async", "cp.asyncs");
    add_work(out, &work.bulk, "bulk copy", "bulk copies");
    add_work(out, &work.products, "product of the warpgroup", "products of the warpgroup");
    if (work.tracked)
        base_text_add(out, "%s%u bulk cop%s (%" PRIu64 " bytes) for mbarriers", out->length ? "; " : "",
                      work.tracked, work.tracked == 1 ? "y" : "ies", work.tracked_bytes);
}

// Lanes that have the same under way are told together.
static bool show_warp(debug_session *s, const sim_warp *warp, uint32_t index) {
    bool shown = false;
    uint32_t left = UINT32_MAX;
    while (left) {
        base_text text = {0};
        uint32_t same = 0;
        lane_text(warp, (uint32_t)__builtin_ctz(left), &text);
        for (uint32_t m = left; m; m &= m - 1) {
            base_text other = {0};
            uint32_t lane = (uint32_t)__builtin_ctz(m);
            lane_text(warp, lane, &other);
            if (!strcmp(other.data ? other.data : "", text.data ? text.data : ""))
                same |= UINT32_C(1) << lane;
            base_text_free(&other);
        }
        if (!same) same = left; // out of memory
        if (text.length) debug_say(s, "  warp %u, lanes %08x: %s\n", index, same, text.data);
        shown |= text.length > 0;
        left &= ~same;
        base_text_free(&text);
    }
    return shown;
}

void debug_show_async(debug_session *s) {
    if (!debug_is_stopped(s)) return;
    const sim_warp *warp = debug_focused_warp(s), *each;
    bool shown = false;
    for (uint32_t i = 0; warp && (each = sim_inspect_warp(warp, i)); i++) shown |= show_warp(s, each, i);
    if (!shown) debug_say(s, "Nothing asynchronous is under way in this block.\n");
}

// ---- tensor maps -----------------------------------------------------------------------------------------

static void show_list(debug_session *s, const char *name, const uint32_t *values, uint32_t count) {
    debug_say(s, "  %s", name);
    for (uint32_t i = 0; i < count; i++) debug_say(s, "%s%u", i ? " x " : " ", values[i]);
    debug_say(s, "\n");
}

static void show_map(debug_session *s, const sim_tensor_map *map) {
    static const char *const interleaves[] = {"none", "16 bytes", "32 bytes"};
    sim_tensor_breach breach = sim_tensor_map_check(map);
    kz_error error = {0};
    if (breach.rule) {
        sim_tensor_breach_fail(&breach, &error);
        debug_say(s, "This is no tensor map: %.*s\n", (int)strcspn(error.message, "\n"), error.message);
        return;
    }
    debug_say(s, "  %u dimensions of %s at 0x%" PRIx64 "%s\n  sizes", map->rank,
              sim_tensor_type_name((sim_tensor_type)map->type), map->address, map->im2col ? ", im2col" : "");
    for (uint32_t i = 0; i < map->rank; i++) debug_say(s, "%s%" PRIu64, i ? " x " : " ", map->dim[i]);
    debug_say(s, " elements, the first contiguous\n");
    for (uint32_t i = 0; i + 1 < map->rank; i++)
        debug_say(s, "%s%" PRIu64, i ? ", " : "  strides ", map->stride[i]);
    if (map->rank > 1) debug_say(s, " bytes\n");
    if (map->im2col)
        debug_say(s, "  boxes of %u channels, %u pixels\n", map->channels, map->pixels);
    else
        show_list(s, "boxes of", map->box, map->rank);
    show_list(s, "every", map->step, map->rank);
    debug_say(s, map->swizzle ? "  swizzle of %u bytes, " : "  no swizzle%.0u, ",
              sim_swizzle_bytes(map->swizzle));
    debug_say(s, "interleave %s, outside the tensor %s\n", interleaves[map->interleave],
              map->fill ? "NaN" : "zero");
}

void debug_show_map(debug_session *s, const char *text) {
    debug_context context;
    debug_value value;
    kz_error error = {0};
    uint64_t address = 0;
    uint8_t bytes[SIM_TENSOR_MAP_BYTES];
    sim_tensor_map map;
    if (!*text) {
        debug_say(s, "Say which: info map NAME, of a CUtensorMap or a pointer to one.\n");
        return;
    }
    if (!debug_focused_context(s, &context)) return;
    if (debug_evaluate(&context, text, NULL, &value, &error) != KZ_OK) {
        debug_say(s, "%s\n", error.message);
        return;
    }
    debug_kind kind = debug_type_real(value.type)->kind;
    if (kind == DEBUG_STRUCT || kind == DEBUG_ARRAY)
        address = value.address;
    else if (!debug_value_bits(&context, &value, &address))
        address = 0;
    if (!sim_inspect_memory(context.warp, context.lane, address, bytes, sizeof bytes))
        debug_say(s, "There is no memory at 0x%" PRIx64 ".\n", address);
    else if (!sim_tensor_map_decode(bytes, &map))
        debug_say(s, "This is no tensor map: it is all zeros.\n");
    else
        show_map(s, &map);
}
