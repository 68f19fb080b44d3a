// Markdown on a terminal: blocks line by line, then the marks inside a line, then wrapping.
//
// A line inside is text with escape sequences, which take no columns, and HARD_SPACE for spaces at which it must
// not be broken. A block's own indentation in the source is kept, so that lists nest as they were written.
#include "report/terminal/markdown.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define HARD_SPACE '\037'

enum { UNBROKEN_CODE = 40, TABLE_COLUMNS = 12, LEAST_COLUMN = 8 };

typedef struct page {
    FILE *file;
    const report_style *style;
    const report_links *links; // NULL: addresses as they are
    int indent, width;         // width: of the whole line
    bool begun;                // something was printed: the next block is separated from it by an empty line
    bool in_list;
} page;

typedef struct line {
    const char *text; // not NUL-terminated
    size_t length;
    size_t indent; // leading spaces
} line;

// ---- characters -----------------------------------------------------------------------------------

static const struct {
    const char *sign, *ascii;
} spellings[] = {
    {"×", "x"},   {"–", "-"},   {"—", "--"},    {"“", "\""},    {"”", "\""},     {"‘", "'"},
    {"’", "'"},   {"…", "..."}, {"≤", "<="},    {"≥", ">="},    {"≠", "!="},     {"→", "->"},
    {"←", "<-"},  {"·", "*"},   {"µ", "u"},     {"μ", "u"},     {"²", "^2"},     {"³", "^3"},
    {"±", "+-"},  {"≈", "~"},   {"✓", "ok"},    {"✗", "x"},     {"∑", "sum"},    {"√", "sqrt"},
    {"∞", "inf"}, {"ε", "eps"}, {"σ", "sigma"}, {"Δ", "delta"}, {"\u00a0", " "},
};

// The bytes of the character at `text`, at most `length`.
static size_t character_bytes(const char *text, size_t length) {
    size_t n = 1;
    while (n < length && ((unsigned char)text[n] & 0xc0) == 0x80) n++;
    return n;
}

static void add_character(base_text *out, const report_style *style, const char *text, size_t bytes) {
    if (style->utf8 || bytes == 1) {
        base_text_add_bytes(out, text, bytes);
        return;
    }
    for (size_t i = 0; i < BASE_COUNT(spellings); i++)
        if (strlen(spellings[i].sign) == bytes && memcmp(spellings[i].sign, text, bytes) == 0) {
            base_text_add(out, "%s", spellings[i].ascii);
            return;
        }
    base_text_add(out, "?");
}

// Columns of the first `length` bytes of a line inside.
static int columns_of(const char *text, size_t length) {
    int columns = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\033') {
            while (i < length && text[i] != 'm') i++;
        } else if (((unsigned char)text[i] & 0xc0) != 0x80) {
            columns++;
        }
    }
    return columns;
}

// ---- marks inside a line ----------------------------------------------------------------------------

typedef struct marks {
    const report_style *style;
    const report_links *links;
    base_text *out;
    bool strong, emphasis;
} marks;

static void put_tone(const marks *m) {
    if (m->style->colour)
        base_text_add(m->out, "\033[0m%s%s", m->strong ? "\033[1m" : "", m->emphasis ? "\033[3m" : "");
}

// `code`, with as many backquotes on either side as it takes. Returns the bytes taken, 0 where it does not end.
static size_t put_code(const marks *m, const char *text, size_t length) {
    size_t ticks = 0;
    while (ticks < length && text[ticks] == '`') ticks++;
    size_t begin = ticks, end = ticks;
    for (;; end++) {
        if (end + ticks > length) return 0;
        size_t run = 0;
        while (end + run < length && text[end + run] == '`') run++;
        if (run == ticks) break;
        if (run) end += run - 1;
    }
    size_t after = end + ticks;
    if (end - begin > 2 && text[begin] == ' ' && text[end - 1] == ' ') begin++, end--;
    bool whole = columns_of(text + begin, end - begin) <= UNBROKEN_CODE;
    base_text_add(m->out, "%s", m->style->colour ? "\033[36m" : "`");
    for (size_t i = begin, bytes; i < end; i += bytes) {
        bytes = character_bytes(text + i, end - i);
        if (text[i] == ' ' && whole)
            base_text_add(m->out, "%c", HARD_SPACE);
        else
            add_character(m->out, m->style, text + i, bytes);
    }
    if (m->style->colour)
        put_tone(m);
    else
        base_text_add(m->out, "`");
    return after;
}

static void put_inline(marks *m, const char *text, size_t length);

static void put_address(const marks *m, const char *address, size_t length, bool is_image) {
    base_text asked = {0}, said = {0};
    base_text_add_bytes(&asked, address, length);
    if (asked.data) m->links->say(m->links->context, asked.data, is_image, &said);
    if (said.length) base_text_add(m->out, " (%s)", said.data);
    base_text_free(&asked);
    base_text_free(&said);
}

// [words](address) and ![words](address): "words (address)". Returns the bytes taken, 0 where it is none.
static size_t put_link(marks *m, const char *text, size_t length) {
    size_t at = text[0] == '!' ? 1 : 0, depth = 0, close = at;
    if (at >= length || text[at] != '[') return 0;
    for (; close < length; close++) {
        if (text[close] == '[') depth++;
        if (text[close] == ']' && --depth == 0) break;
    }
    if (close + 1 >= length || text[close + 1] != '(') return 0;
    const char *end = memchr(text + close, ')', length - close);
    if (!end) return 0;
    const char *words = text + at + 1, *address = text + close + 2;
    size_t words_length = close - at - 1, address_length = (size_t)(end - address);
    put_inline(m, words, words_length);
    if (m->links)
        put_address(m, address, address_length, at == 1);
    else if (words_length != address_length || memcmp(words, address, address_length) != 0)
        base_text_add(m->out, " (%.*s)", (int)address_length, address);
    return (size_t)(end - text) + 1;
}

// Whether the run of '*' or '_' at `at` can open or close emphasis: underscores inside words are names.
static bool is_mark(const char *text, size_t length, size_t at, size_t run, bool open) {
    bool before = at > 0 && !isspace((unsigned char)text[at - 1]);
    bool after = at + run < length && !isspace((unsigned char)text[at + run]);
    if (open ? !after : !before) return false;
    if (text[at] == '*') return true;
    bool word = open ? at > 0 && isalnum((unsigned char)text[at - 1])
                     : at + run < length && isalnum((unsigned char)text[at + run]);
    return !word;
}

static bool closes_later(const char *text, size_t length, size_t at, size_t run) {
    for (size_t i = at + run + 1; i + run <= length; i++) {
        if (text[i] == '`') return memchr(text + i, text[at], length - i) != NULL;
        if (memcmp(text + i, text + at, run) == 0 && is_mark(text, length, i, run, false)) return true;
    }
    return false;
}

// Emphasis at `at`. Returns the bytes taken, 0 where the character stands for itself.
static size_t put_emphasis(marks *m, const char *text, size_t length, size_t at) {
    size_t run = at + 1 < length && text[at + 1] == text[at] ? 2 : 1;
    bool *on = run == 2 ? &m->strong : &m->emphasis;
    if (*on ? !is_mark(text, length, at, run, false)
            : !is_mark(text, length, at, run, true) || !closes_later(text, length, at, run))
        return 0;
    *on = !*on;
    put_tone(m);
    if (!m->style->colour && run == 1) base_text_add(m->out, "*");
    return run;
}

static void put_inline(marks *m, const char *text, size_t length) {
    for (size_t i = 0, taken; i < length; i += taken) {
        char c = text[i];
        taken = 0;
        if (c == '\\' && i + 1 < length && ispunct((unsigned char)text[i + 1])) {
            base_text_add_bytes(m->out, text + i + 1, 1);
            taken = 2;
        } else if (c == '`') {
            taken = put_code(m, text + i, length - i);
        } else if (c == '[' || c == '!') {
            taken = put_link(m, text + i, length - i);
        } else if (c == '*' || c == '_') {
            taken = put_emphasis(m, text, length, i);
        } else if (c == '<' && length - i > 5 && memcmp(text + i, "<http", 5) == 0) {
            const char *end = memchr(text + i, '>', length - i);
            if (end) base_text_add_bytes(m->out, text + i + 1, (size_t)(end - text) - i - 1);
            if (end) taken = (size_t)(end - text) - i + 1;
        }
        if (taken) continue;
        taken = character_bytes(text + i, length - i);
        add_character(m->out, m->style, text + i, taken);
    }
}

static void render(const report_style *style, const report_links *links, const char *text, size_t length,
                   base_text *out) {
    marks m = {.style = style, .links = links, .out = out};
    put_inline(&m, text, length);
    if (m.strong || m.emphasis) m.strong = m.emphasis = false, put_tone(&m);
}

// ---- wrapping ---------------------------------------------------------------------------------------

static void print_inside(FILE *file, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) fputc(text[i] == HARD_SPACE ? ' ' : text[i], file);
}

// The next piece of `text` that fits into `room` columns, broken at a space; a word that is too long is taken
// whole. *next is where the rest begins.
static size_t take_line(const char *text, int room, const char **next) {
    const char *end = text, *last = NULL;
    for (;; end++) {
        if (*end && *end != ' ') continue;
        if (last && columns_of(text, (size_t)(end - text)) > room) break;
        last = end;
        if (!*end) break;
    }
    *next = last;
    while (**next == ' ') (*next)++;
    return (size_t)(last - text);
}

static void wrap(FILE *file, const char *text, int column, int indent, int width) {
    while (*text == ' ') text++;
    for (bool first = true; *text || first; first = false) {
        if (!first) fprintf(file, "%*s", indent, "");
        const char *next;
        size_t length = take_line(text, width - (first ? column : indent), &next);
        print_inside(file, text, length);
        fputc('\n', file);
        text = next;
    }
}

static int reading_width(const report_style *style) {
    return style->width > REPORT_READING_WIDTH ? REPORT_READING_WIDTH : style->width - 1;
}

void report_wrap(FILE *file, const report_style *style, const char *text, int column, int indent) {
    base_text out = {0};
    for (size_t i = 0, length = strlen(text), bytes; i < length; i += bytes) {
        bytes = character_bytes(text + i, length - i);
        add_character(&out, style, text + i, bytes);
    }
    wrap(file, out.data ? out.data : "", column, indent, reading_width(style));
    base_text_free(&out);
}

// ---- lines of the source ------------------------------------------------------------------------------

static line read_line(const char **at) {
    line l = {.text = *at, .length = strcspn(*at, "\n")};
    *at += l.length + ((*at)[l.length] == '\n');
    while (l.length && isspace((unsigned char)l.text[l.length - 1])) l.length--;
    while (l.indent < l.length && l.text[l.indent] == ' ') l.indent++;
    l.text += l.indent;
    l.length -= l.indent;
    return l;
}

static bool begins(const line *l, const char *with) {
    return l->length >= strlen(with) && memcmp(l->text, with, strlen(with)) == 0;
}

// The columns of a list's mark with the spaces after it: 2 for "- ", 3 for "1. "; 0 where there is none.
static size_t list_mark(const line *l) {
    size_t n = 0;
    if (l->length && strchr("-*+", l->text[0])) {
        n = 1;
    } else {
        while (n < l->length && n < 3 && isdigit((unsigned char)l->text[n])) n++;
        if (n == 0 || n >= l->length || (l->text[n] != '.' && l->text[n] != ')')) return 0;
        n++;
    }
    if (n >= l->length || l->text[n] != ' ') return 0;
    while (n < l->length && l->text[n] == ' ') n++;
    return n;
}

static bool is_rule(const line *l) {
    size_t marks_seen = 0;
    for (size_t i = 0; i < l->length; i++) {
        if (l->text[i] != l->text[0] && l->text[i] != ' ') return false;
        marks_seen += l->text[i] != ' ';
    }
    return marks_seen >= 3 && strchr("-*_", l->text[0]);
}

static bool is_fence(const line *l) { return begins(l, "```") || begins(l, "~~~"); }

static size_t heading_level(const line *l) {
    size_t level = 0;
    while (level < l->length && l->text[level] == '#') level++;
    return level && level <= 6 && level < l->length && l->text[level] == ' ' ? level : 0;
}

static bool begins_block(const line *l) {
    return l->length == 0 || is_fence(l) || heading_level(l) || list_mark(l) || begins(l, "> ") ||
           begins(l, "|") || begins(l, "<!--") || is_rule(l);
}

// ---- blocks -------------------------------------------------------------------------------------------

static void part(page *p) {
    if (p->begun) fputc('\n', p->file);
    p->begun = true;
}

// Text that goes on over the lines that follow, until another block begins.
static void gather(const page *p, const line *first, size_t skip, const char **at, base_text *raw) {
    base_text_add_bytes(raw, first->text + skip, first->length - skip);
    while (**at) {
        const char *next = *at;
        line l = read_line(&next);
        // Outside a list, a line that happens to begin with "32. " ends a sentence; a list begins with 1.
        bool number = list_mark(&l) && isdigit((unsigned char)l.text[0]) && !begins(&l, "1. ");
        if (begins_block(&l) && !(number && !p->in_list)) return;
        base_text_add(raw, " ");
        base_text_add_bytes(raw, l.text, l.length);
        *at = next;
    }
}

static void print_paragraph(page *p, const line *first, const char **at) {
    base_text raw = {0}, out = {0};
    gather(p, first, 0, at, &raw);
    render(p->style, p->links, raw.data ? raw.data : "", raw.length, &out);
    int indent = p->indent + (p->in_list ? (int)first->indent : 0);
    fprintf(p->file, "%*s", indent, "");
    wrap(p->file, out.data ? out.data : "", indent, indent, p->width);
    base_text_free(&raw);
    base_text_free(&out);
}

static void print_item(page *p, const line *first, const char **at) {
    base_text raw = {0}, out = {0};
    size_t mark = list_mark(first);
    gather(p, first, mark, at, &raw);
    render(p->style, p->links, raw.data ? raw.data : "", raw.length, &out);
    int left = p->indent + (int)first->indent, indent = left + (int)mark;
    bool bullet = !isdigit((unsigned char)first->text[0]);
    fprintf(p->file, "%*s%.*s%*s", left, "",
            bullet ? (p->style->utf8 ? 3 : 1) : (int)strcspn(first->text, " "),
            bullet ? (p->style->utf8 ? "•" : "-") : first->text,
            bullet ? (int)mark - 1 : (int)(mark - strcspn(first->text, " ")), "");
    wrap(p->file, out.data ? out.data : "", indent, indent, p->width);
    base_text_free(&raw);
    base_text_free(&out);
}

static void print_heading(page *p, const line *l, size_t level) {
    base_text out = {0};
    const report_style plain = {.utf8 = p->style->utf8};
    render(&plain, p->links, l->text + level + 1, l->length - level - 1, &out);
    fprintf(p->file, "%*s", p->indent, "");
    report_print(p->file, p->style, REPORT_BOLD, "%s", out.data ? out.data : "");
    fputc('\n', p->file);
    if (!p->style->colour && level <= 2) { // nothing else would tell it from a paragraph
        fprintf(p->file, "%*s", p->indent, "");
        for (int i = columns_of(out.data ? out.data : "", out.length); i > 0; i--)
            fputc(level == 1 ? '=' : '-', p->file);
        fputc('\n', p->file);
    }
    base_text_free(&out);
}

static void print_code_line(page *p, const char *text, size_t length, int indent) {
    base_text out = {0};
    for (size_t i = 0, bytes; i < length; i += bytes) {
        bytes = character_bytes(text + i, length - i);
        add_character(&out, p->style, text + i, bytes);
    }
    if (out.length) fprintf(p->file, "%*s%s", indent, "", out.data);
    fputc('\n', p->file);
    base_text_free(&out);
}

// How far code is set in: by 4, by less where its longest line would not fit otherwise.
static int code_indent(const page *p, const line *fence, const char *at, const char *mark) {
    int longest = 0;
    while (*at) {
        line l = read_line(&at);
        if (begins(&l, mark)) break;
        int more = l.indent > fence->indent ? (int)(l.indent - fence->indent) : 0;
        int columns = more + columns_of(l.text, l.length);
        if (columns > longest) longest = columns;
    }
    int before = p->indent + (p->in_list ? (int)fence->indent : 0);
    int room = p->style->width - before - longest;
    return before + (room < 0 ? 0 : room < 4 ? room : 4);
}

static void print_fence(page *p, const line *fence, const char **at) {
    char mark[4] = {fence->text[0], fence->text[0], fence->text[0], 0};
    int indent = code_indent(p, fence, *at, mark);
    while (**at) {
        line l = read_line(at);
        if (begins(&l, mark)) return;
        int more = l.indent > fence->indent ? (int)(l.indent - fence->indent) : 0;
        print_code_line(p, l.text, l.length, indent + more);
    }
}

static void print_indented_code(page *p, const line *first, const char **at) {
    line l = *first;
    for (;;) {
        print_code_line(p, l.text, l.length, p->indent + (int)l.indent);
        const char *next = *at;
        if (!*next) return;
        l = read_line(&next);
        if (l.length == 0 || l.indent < 4) return;
        *at = next;
    }
}

static void print_quote(page *p, const line *first, const char **at) {
    base_text raw = {0};
    line l = *first;
    for (;;) {
        size_t skip = l.length > 1 && l.text[1] == ' ' ? 2 : 1;
        base_text_add_bytes(&raw, l.text + skip, l.length > skip ? l.length - skip : 0);
        base_text_add(&raw, "\n");
        const char *next = *at;
        if (!*next) break;
        l = read_line(&next);
        if (!begins(&l, ">")) break;
        *at = next;
    }
    report_style narrow = *p->style;
    narrow.width = p->width + 1;
    report_markdown_print_linked(p->file, &narrow, raw.data ? raw.data : "", p->indent + 4, p->links);
    base_text_free(&raw);
}

// ---- tables ---------------------------------------------------------------------------------------------

typedef struct cells {
    base_text cell[TABLE_COLUMNS];
    size_t count;
} cells;

// The cells of "| a | b |"; a bar in `code` or after a backslash belongs to its cell.
static cells read_cells(const page *p, const line *l) {
    cells row = {0};
    size_t i = 1;
    while (i < l->length && row.count < TABLE_COLUMNS) {
        size_t begin = i;
        bool code = false;
        for (; i < l->length && (code || l->text[i] != '|'); i++) {
            if (l->text[i] == '`') code = !code;
            if (l->text[i] == '\\' && i + 1 < l->length) i++;
        }
        size_t end = i++;
        while (begin < end && l->text[begin] == ' ') begin++;
        while (end > begin && l->text[end - 1] == ' ') end--;
        render(p->style, p->links, l->text + begin, end - begin, &row.cell[row.count++]);
    }
    return row;
}

static bool is_separator(const line *l) {
    return begins(l, "|") && strspn(l->text, "|:- ") >= l->length && memchr(l->text, '-', l->length);
}

// Makes the widest column narrower until the line fits.
static void fit_columns(int *widths, size_t count, int room) {
    for (;;) {
        int sum = 0;
        size_t widest = 0;
        for (size_t c = 0; c < count; c++) {
            sum += widths[c] + (c ? 2 : 0);
            if (widths[c] > widths[widest]) widest = c;
        }
        if (sum <= room || widths[widest] <= LEAST_COLUMN) return;
        widths[widest]--;
    }
}

static void print_row(const page *p, const cells *row, const int *widths, size_t count, bool header) {
    const char *rest[TABLE_COLUMNS];
    for (size_t c = 0; c < count; c++) rest[c] = c < row->count && row->cell[c].data ? row->cell[c].data : "";
    for (bool more = true; more;) {
        more = false;
        fprintf(p->file, "%*s", p->indent, "");
        int behind = 0; // spaces that are printed only where something follows
        for (size_t c = 0; c < count; c++) {
            const char *next = rest[c];
            size_t length = take_line(rest[c], widths[c], &next);
            if (length) fprintf(p->file, "%*s", behind, ""), behind = 0;
            if (header && p->style->colour && length) fputs("\033[1m", p->file);
            print_inside(p->file, rest[c], length);
            if (header && p->style->colour && length) fputs("\033[0m", p->file);
            behind += widths[c] - columns_of(rest[c], length) + 2;
            rest[c] = next;
            more |= *next != 0;
        }
        fputc('\n', p->file);
    }
}

static void print_table(page *p, const line *first, const char **at) {
    cells *rows = NULL;
    size_t count = 0, columns = 0, room = 0;
    int widths[TABLE_COLUMNS] = {0};
    line l = *first;
    for (;;) {
        if (count == room) {
            cells *more = realloc(rows, (room = room ? 2 * room : 16) * sizeof *rows);
            if (!more) break;
            rows = more;
        }
        if (!is_separator(&l)) rows[count++] = read_cells(p, &l);
        const char *next = *at;
        if (!*next) break;
        l = read_line(&next);
        if (!begins(&l, "|")) break;
        *at = next;
    }
    for (size_t r = 0; r < count; r++)
        for (size_t c = 0; c < rows[r].count; c++) {
            int width = rows[r].cell[c].data ? columns_of(rows[r].cell[c].data, rows[r].cell[c].length) : 0;
            if (width > widths[c]) widths[c] = width;
            if (c >= columns) columns = c + 1;
        }
    fit_columns(widths, columns, p->width - p->indent);
    for (size_t r = 0; r < count; r++) {
        print_row(p, &rows[r], widths, columns, r == 0);
        if (r == 0 && !p->style->colour) {
            fprintf(p->file, "%*s", p->indent, "");
            for (size_t c = 0; c < columns; c++)
                for (int i = 0; i < widths[c] + (c + 1 < columns ? 2 : 0); i++)
                    fputc(i < widths[c] ? '-' : ' ', p->file);
            fputc('\n', p->file);
        }
        for (size_t c = 0; c < rows[r].count; c++) base_text_free(&rows[r].cell[c]);
    }
    free(rows);
}

// ---- the page -------------------------------------------------------------------------------------------

static void skip_comment(const line *l, const char **at) {
    const char *end = strstr(l->text, "-->");
    if (!end) {
        *at += strlen(*at);
    } else if (end >= l->text + l->length) {
        *at = end + 3;
        *at += strcspn(*at, "\n");
        *at += **at == '\n';
    }
}

// "[name]: address": where links by that name lead, in a file; at a terminal the name is all.
static bool is_address(const line *l) {
    const char *close = begins(l, "[") ? memchr(l->text, ']', l->length) : NULL;
    return close && (size_t)(close - l->text) + 1 < l->length && close[1] == ':';
}

static void print_block(page *p, const line *l, const char **at, bool separated) {
    size_t level = heading_level(l);
    bool item = list_mark(l) && !is_rule(l);
    if (begins(l, "<!--")) {
        skip_comment(l, at);
        return;
    }
    if (is_address(l)) return;
    if (!p->begun || separated || !item || !p->in_list) part(p);
    if (!item && l->indent < 2) p->in_list = false;
    if (is_fence(l)) {
        print_fence(p, l, at);
    } else if (level) {
        print_heading(p, l, level);
    } else if (is_rule(l)) {
        fprintf(p->file, "%*s", p->indent, "");
        for (int i = p->indent; i < p->width; i++) fputs(p->style->utf8 ? "─" : "-", p->file);
        fputc('\n', p->file);
    } else if (item) {
        p->in_list = true;
        print_item(p, l, at);
    } else if (begins(l, ">")) {
        print_quote(p, l, at);
    } else if (begins(l, "|")) {
        print_table(p, l, at);
    } else if (l->indent >= 4 && !p->in_list) {
        print_indented_code(p, l, at);
    } else {
        print_paragraph(p, l, at);
    }
}

void report_markdown_print_linked(FILE *file, const report_style *style, const char *markdown, int indent,
                                  const report_links *links) {
    page p = {.file = file, .style = style, .links = links, .indent = indent, .width = reading_width(style)};
    bool separated = false;
    while (*markdown) {
        line l = read_line(&markdown);
        if (l.length) print_block(&p, &l, &markdown, separated);
        separated = l.length == 0;
    }
}

void report_markdown_print(FILE *file, const report_style *style, const char *markdown, int indent) {
    report_markdown_print_linked(file, style, markdown, indent, NULL);
}
