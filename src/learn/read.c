// kz learn read: the pages of docs/, listed and shown.
//
// Which pages there are, and what each answers, stands in two tables: docs/concepts/README.md and docs/README.md.
// A page is known by its file's name, a README by its folder's. Blanks, dashes and underscores are the same, and so are
// small and large letters; any beginning that only one page has will do.
#include "learn/read.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "learn/learner.h"
#include "learn/pager.h"
#include "report/terminal/markdown.h"

enum { NAME = 64, ABOUT = 160, MOST_PAGES = 64 };

typedef struct entry {
    char page[NAME]; // "concepts/performance", "reference/README", below docs/
    char name[NAME]; // "performance", "reference"
    char group[NAME];
    char about[ABOUT];
} entry;

struct learn_pages {
    char folder[COURSE_PATH]; // docs/
    entry entries[MOST_PAGES];
    size_t count;
};

const char *learn_read_name(const char *page) {
    const char *slash = strrchr(page, '/');
    return slash ? slash + 1 : page;
}

// The name in [begin, end), the path of a page without its suffix: small letters, and _ between words.
static void name_of(const char *begin, const char *end, char name[NAME]) {
    const char *part = begin, *folder = begin;
    for (const char *at = begin; at < end; at++)
        if (*at == '/') folder = part, part = at + 1;
    if (part > begin && end - part == 6 && strncasecmp(part, "README", 6) == 0) {
        end = part - 1;
        part = folder;
    }
    size_t length = 0;
    for (; part < end && length < NAME - 1; part++)
        name[length++] = *part == '-' || *part == ' ' ? '_' : (char)tolower((unsigned char)*part);
    name[length] = 0;
}

// ---- which pages there are ------------------------------------------------------------------------------

// "| [Title](file.md) | what it answers |". False where the line is no such row.
static bool read_row(const char *line, size_t length, const char *below, entry *e) {
    const char *end = line + length, *open, *close, *bar, *last;
    if (length < 3 || strncmp(line, "| [", 3) != 0) return false;
    if (!(open = memmem(line, length, "](", 2)) || !(close = memchr(open, ')', (size_t)(end - open))))
        return false;
    if (!(bar = memchr(close, '|', (size_t)(end - close))) ||
        !(last = memrchr(bar, '|', (size_t)(end - bar))))
        return false;
    size_t path = (size_t)(close - open) - 2;
    if (last == bar || path < 4 || memcmp(close - 3, ".md", 3) != 0) return false;
    for (bar++; bar < last && *bar == ' ';) bar++;
    while (last > bar && last[-1] == ' ') last--;
    snprintf(e->page, sizeof e->page, "%s%.*s", below, (int)path - 3, open + 2);
    name_of(e->page, e->page + strlen(e->page), e->name);
    snprintf(e->about, sizeof e->about, "%.*s", (int)(last - bar), bar);
    return true;
}

// The rows of an index, each under the heading that it stands below.
static kz_status read_index(learn_pages *pages, const char *below, kz_error *error) {
    char path[COURSE_PATH + NAME], group[NAME] = "", *text;
    size_t size;
    snprintf(path, sizeof path, "%s/%sREADME.md", pages->folder, below);
    kz_status status = base_file_read(path, &text, &size, error);
    if (status) return status;
    for (const char *at = text, *end; *at; at = *end ? end + 1 : end) {
        end = at + strcspn(at, "\n");
        const char *words = at + strspn(at, "# ");
        entry e = {0};
        if (*at == '#') snprintf(group, sizeof group, "%.*s", (int)(end - words), words);
        if (pages->count == MOST_PAGES || !read_row(at, (size_t)(end - at), below, &e)) continue;
        memcpy(e.group, group, sizeof group);
        pages->entries[pages->count++] = e;
    }
    free(text);
    return KZ_OK;
}

// Beside the course, else what came with this kz: a course of one's own has no pages.
static void find_folder(const char *course, char folder[COURSE_PATH]) {
    char kz[LEARN_PATH], page[COURSE_PATH + 16];
    kz_error ignored;
    snprintf(folder, COURSE_PATH, "%.1000s/../docs", course);
    snprintf(page, sizeof page, "%s/README.md", folder);
    if (base_file_exists(page) || base_self_path(kz, &ignored)) return;
    snprintf(folder, COURSE_PATH, "%.*s/../share/kz/docs", (int)(strrchr(kz, '/') - kz), kz);
}

kz_status learn_pages_open(const char *course, learn_pages **out, kz_error *error) {
    learn_pages *pages = *out = calloc(1, sizeof *pages);
    if (!pages) return base_fail(error, KZ_NO_MEMORY, "no memory for the list of pages");
    find_folder(course, pages->folder);
    char *real = realpath(pages->folder, NULL);
    if (real) snprintf(pages->folder, sizeof pages->folder, "%s", real);
    free(real);
    kz_status status = read_index(pages, "concepts/", error);
    if (!status) status = read_index(pages, "", error);
    if (!status) return KZ_OK;
    base_fail_note(error, "the pages belong beside the course (share/kz/docs): install kz anew");
    learn_pages_close(pages);
    *out = NULL;
    return status;
}

void learn_pages_close(learn_pages *pages) { free(pages); }

const char *learn_pages_get(const learn_pages *pages, size_t index, const char **about) {
    if (index >= pages->count) return NULL;
    *about = pages->entries[index].about;
    return pages->entries[index].name;
}

static bool is_among(const char *const *names, const char *name) {
    for (; names && *names; names++)
        if (strcmp(*names, name) == 0) return true;
    return false;
}

void learn_pages_list(const learn_pages *pages, const char *const *beside, FILE *file,
                      const report_style *style) {
    size_t width = 0;
    for (size_t i = 0; i < pages->count; i++) {
        size_t length = strlen(pages->entries[i].name);
        if (length > width) width = length;
    }
    for (size_t i = 0; i < pages->count; i++) {
        const entry *e = &pages->entries[i];
        bool marked = is_among(beside, e->page);
        if (i == 0 || strcmp(e->group, e[-1].group) != 0)
            report_print(file, style, REPORT_BOLD, "%s%s\n", i ? "\n" : "", e->group);
        fprintf(file, "%c%3zu ", marked ? '>' : ' ', i + 1);
        report_print(file, style, marked ? REPORT_BOLD : REPORT_PLAIN, "%-*s  ", (int)width, e->name);
        bool narrow = style->width < (int)width + 40;
        if (narrow) fputs("\n       ", file);
        int column = narrow ? 7 : (int)width + 7;
        report_wrap(file, style, e->about, column, column);
    }
    if (beside && *beside) report_print(file, style, REPORT_DIM, "\n> beside your task\n");
}

// ---- which one is meant -----------------------------------------------------------------------------------

// "docs/concepts/Execution-model.md#x" is "execution_model"; the section goes into `section`.
static void simplify(const char *word, char name[NAME], char section[NAME]) {
    const char *hash = strchr(word, '#'), *end = hash ? hash : word + strlen(word);
    if (end - word > 3 && strncasecmp(end - 3, ".md", 3) == 0) end -= 3;
    name_of(word, end, name);
    snprintf(section, NAME, "%s", hash ? hash + 1 : "");
}

static const entry *find_entry(const learn_pages *pages, const char *name, kz_error *error) {
    const entry *found = NULL;
    const char *names[MOST_PAGES + 1] = {NULL};
    size_t fitting = 0, length = strlen(name);
    char *end;
    unsigned long number = strtoul(name, &end, 10);
    if (isdigit((unsigned char)*name) && !*end && number >= 1 && number <= pages->count)
        return &pages->entries[number - 1];
    base_text several = {0};
    for (size_t i = 0; i < pages->count; i++) {
        const entry *e = &pages->entries[i];
        names[i] = e->name;
        if (strcmp(names[i], name) == 0) {
            base_text_free(&several);
            return e;
        }
        if (!length || strncmp(names[i], name, length) != 0) continue;
        found = e;
        base_text_add(&several, "%s%s", fitting++ ? ", " : "", names[i]);
    }
    if (fitting > 1) {
        base_fail(error, KZ_NOT_FOUND, "several pages begin with \"%s\": %s", name, several.data);
        base_fail_note(error, "a letter more tells them apart; kz learn read lists them all");
    } else if (fitting == 0) {
        const char *near = base_nearest(name, names);
        base_fail(error, KZ_NOT_FOUND, "there is no page \"%s\"", name);
        if (near) base_fail_note(error, "did you mean %s?", near);
        base_fail_note(error, "kz learn read lists them");
    }
    base_text_free(&several);
    return fitting == 1 ? found : NULL;
}

// ---- a section ----------------------------------------------------------------------------------------------

// A heading's name in an address: its letters and digits, small, dashes between words.
static void heading_name(const char *words, size_t length, char name[NAME]) {
    size_t n = 0;
    for (size_t i = 0; i < length && n < NAME - 1; i++) {
        unsigned char c = (unsigned char)words[i];
        if (c == ' ' || c == '-')
            name[n++] = '-';
        else if (isalnum(c) || c == '_' || c >= 0x80)
            name[n++] = (char)tolower(c);
    }
    name[n] = 0;
}

static size_t heading_level(const char *line) {
    size_t level = strspn(line, "#");
    return line[level] == ' ' ? level : 0;
}

// Leaves of `text` the first section whose heading's name begins so, with what is below it.
static kz_status cut_section(char *text, const char *page, const char *section, kz_error *error) {
    char *begin = NULL, *end, name[NAME], wanted[NAME];
    base_text all = {0};
    size_t level = 0;
    bool code = false;
    heading_name(section, strlen(section), wanted);
    for (char *at = text; *at; at = *end ? end + 1 : end) {
        end = at + strcspn(at, "\n");
        if (strncmp(at, "```", 3) == 0) code = !code;
        size_t here = code ? 0 : heading_level(at);
        if (!here) continue;
        if (begin && here <= level) {
            *at = 0;
            break;
        }
        heading_name(at + here + 1, (size_t)(end - at) - here - 1, name);
        if (here > 1) base_text_add(&all, "%s%s", all.length ? ", " : "", name);
        if (!begin && *wanted && strncmp(name, wanted, strlen(wanted)) == 0) begin = at, level = here;
    }
    if (begin) {
        memmove(text, begin, strlen(begin) + 1);
    } else {
        base_fail(error, KZ_NOT_FOUND, "the page %s has no section \"%s\"", page, section);
        if (all.data) base_fail_note(error, "it has: %s", all.data);
    }
    base_text_free(&all);
    return begin ? KZ_OK : KZ_NOT_FOUND;
}

// ---- showing ------------------------------------------------------------------------------------------------

// What a reader at a terminal can do with an address: another page is read in the same way, a figure is a file to be
// opened, and a task or a source file is known by its name already.
static void say_address(void *context, const char *address, bool is_image, base_text *out) {
    const learn_pages *pages = context;
    char name[NAME], section[NAME];
    kz_error ignored;
    if (strstr(address, "://")) {
        base_text_add(out, "%s", address);
    } else if (is_image) {
        base_text_add(out, "figure: %s/concepts/%s", pages->folder, address);
    } else if (strstr(address, ".md")) {
        simplify(address, name, section);
        const entry *e = strstr(address, "course/") ? NULL : find_entry(pages, name, &ignored);
        if (e) base_text_add(out, "kz learn read %s%s%s", e->name, *section ? "#" : "", section);
    }
}

kz_status learn_pages_text(const learn_pages *pages, const char *word, const report_style *style, char **text,
                           size_t *size, kz_error *error) {
    char name[NAME], section[NAME], path[COURSE_PATH + NAME + 8], *markdown = NULL;
    size_t length;
    *text = NULL;
    simplify(word, name, section);
    const entry *e = find_entry(pages, name, error);
    if (!e) return KZ_NOT_FOUND;
    snprintf(path, sizeof path, "%s/%s.md", pages->folder, e->page);
    kz_status status = base_file_read(path, &markdown, &length, error);
    if (!status && *section) status = cut_section(markdown, e->name, section, error);
    FILE *page = status ? NULL : open_memstream(text, size);
    if (!status && !page) status = base_fail(error, KZ_NO_MEMORY, "no memory for the page %s", name);
    if (page) {
        const report_links links = {.say = say_address, .context = (void *)(uintptr_t)pages};
        report_markdown_print_linked(page, style, markdown, 0, &links);
        report_print(page, style, REPORT_DIM, "\n%s%s\n",
                     strchr(e->page, '/') ? "kz learn TASK goes to a task that is named here.\n" : "", path);
        if (fclose(page)) status = base_fail(error, KZ_NO_MEMORY, "no memory for the page %s", name);
    }
    free(markdown);
    if (status) free(*text), *text = NULL;
    return status;
}

kz_status learn_read(const char *word, kz_error *error) {
    char course[COURSE_PATH], *text = NULL;
    size_t size = 0;
    learn_pages *pages = NULL;
    kz_status status = course_find(course, error);
    if (!status) status = learn_pages_open(course, &pages, error);
    if (status) return status;
    report_style style = report_detect_style(stdout);
    if (!*word) {
        learn_pages_list(pages, NULL, stdout, &style);
        printf("\nkz learn read PAGE shows one; its first letters are enough.\n");
    } else {
        status = learn_pages_text(pages, word, &style, &text, &size, error);
        bool shown = !status && style.terminal && isatty(STDIN_FILENO) && learn_pager_is_longer(text, 2) &&
                     learn_pager_show(text, size, 1, "Space goes on, b goes back, q ends");
        if (!status && !shown) fwrite(text, 1, size, stdout);
    }
    free(text);
    learn_pages_close(pages);
    return status;
}
