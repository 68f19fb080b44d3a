// Source text and PTX, around where threads are.

#include "debug/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_LINES = 10 };

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void debug_forget_sources(debug_session *s) {
    for (uint32_t i = 0; i < s->source_count; i++) {
        free(s->sources[i].path);
        free(s->sources[i].text);
        free(s->sources[i].lines);
    }
    free(s->sources);
    s->sources = NULL;
    s->source_count = 0;
}

static bool index_lines(debug_source *source, size_t size) {
    uint32_t count = 1;
    for (size_t i = 0; i < size; i++) count += source->text[i] == '\n';
    source->lines = malloc((count + 1) * sizeof *source->lines);
    if (!source->lines) return false;
    source->lines[source->line_count++] = 0;
    for (size_t i = 0; i < size; i++)
        if (source->text[i] == '\n') source->lines[source->line_count++] = (uint32_t)i + 1;
    source->lines[source->line_count] = (uint32_t)size + 1;
    return true;
}

static void load(debug_session *s, debug_source *source) {
    size_t size = 0;
    char *text = NULL;
    const char *folder = s->folder ? s->folder : s->terminal.folder;
    if (base_file_read(source->path, &text, &size, NULL) != KZ_OK && folder) {
        base_text path = {0};
        base_text_add(&path, "%s/%s", folder, source->path);
        if (base_file_read(path.data, &text, &size, NULL) != KZ_OK) {
            path.length = 0;
            base_text_add(&path, "%s/%s", folder, last_part(source->path));
            base_file_read(path.data, &text, &size, NULL);
        }
        base_text_free(&path);
    }
    if (!text || size > UINT32_MAX - 2) {
        free(text);
        return;
    }
    source->text = text;
    if (!index_lines(source, size)) source->line_count = 0;
}

const debug_source *debug_source_of(debug_session *s, uint32_t file) {
    const ptx_module *m = s->launch.module;
    if (!m || file >= m->file_count) return NULL;
    if (!s->sources) {
        s->sources = calloc(m->file_count, sizeof *s->sources);
        s->source_count = s->sources ? m->file_count : 0;
    }
    if (file >= s->source_count) return NULL;
    debug_source *source = &s->sources[file];
    if (!source->path) {
        source->path = strdup(m->files[file].path);
        if (source->path) load(s, source);
    }
    return source;
}

bool debug_show_line(debug_session *s, uint32_t file, uint32_t line, bool here) {
    const debug_source *source = debug_source_of(s, file);
    if (!source || line == 0 || line > source->line_count) return false;
    uint32_t from = source->lines[line - 1], to = source->lines[line] - 1;
    if (from >= to && line == source->line_count) return false; // behind the last newline
    const char *mark = here ? (s->terminal.colors ? "\033[1;32m=>\033[0m" : "=>") : "  ";
    debug_say(s, "%s %-5u%.*s\n", mark, line, (int)(to - from), source->text + from);
    return true;
}

void debug_show_list(debug_session *s, uint32_t file, uint32_t line) {
    const ptx_module *m = s->launch.module;
    const debug_source *source = debug_source_of(s, file);
    if (!source) {
        debug_say(s, "No source is known here: this code was compiled without line numbers.\n");
        return;
    }
    if (!source->line_count) {
        debug_say(s, "The source %s cannot be read. Where it lies elsewhere, say: directory FOLDER\n",
                  m->files[file].path);
        return;
    }
    debug_line at = {UINT32_MAX, 0};
    debug_context context;
    if (s->event && debug_focused_context(s, &context) && context.inst)
        at = debug_line_at(s->symbols, context.inst, UINT32_MAX, NULL);
    uint32_t here = at.file == file ? at.line : 0;
    uint32_t first = line > LIST_LINES / 2 ? line - LIST_LINES / 2 : 1;
    for (uint32_t i = 0; i < LIST_LINES; i++) {
        if (debug_show_line(s, file, first + i, first + i == here)) continue;
        if (i == 0) debug_say(s, "%s has %u lines.\n", last_part(source->path), source->line_count);
        break;
    }
    s->listed_file = file;
    s->listed_line = first + LIST_LINES + LIST_LINES / 2;
}

void debug_show_code(debug_session *s, const debug_context *context, uint32_t around) {
    const ptx_function *f = sim_inspect_function(context->warp, context->frame);
    if (!f || !context->inst) return;
    uint32_t index = (uint32_t)(context->inst - f->insts);
    uint32_t first = index > around ? index - around : 0;
    uint32_t last = index + around < f->inst_count ? index + around + 1 : f->inst_count;
    int32_t line_before = -1;
    for (uint32_t i = first; i < last; i++) {
        int32_t at = ptx_user_location(s->launch.module, &f->insts[i]);
        if (around && at >= 0 && at != line_before) {
            const ptx_location *l = &s->launch.module->locations[at];
            if (l->file < s->launch.module->file_count)
                debug_say(s, "%s:%u\n", last_part(s->launch.module->files[l->file].path), l->line);
        }
        line_before = at;
        debug_say(s, "%s ptx %-5u ", i == index ? "=>" : "  ", f->insts[i].line);
        ptx_print_inst(s->launch.module, f, &f->insts[i], &s->out);
        debug_say(s, "%s\n",
                  s->mark_count && !s->has_step[f->insts[i].serial] ? "   // names a constant" : "");
    }
}
