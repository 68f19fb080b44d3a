// The lab notebook's pages.
#include "learn/notebook_page.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char BEGIN[] =
    "<!-- kz: begin; kz notebook writes anew what stands between these two lines -->\n";
static const char BEGIN_START[] = "<!-- kz: begin", END[] = "<!-- kz: end -->\n",
                  END_START[] = "<!-- kz: end";

// The last line that begins so, before `limit`; NULL.
static const char *last_line(const char *page, const char *limit, const char *start) {
    const char *found = NULL;
    for (const char *at = page; at && at < limit;) {
        if (strncmp(at, start, strlen(start)) == 0) found = at;
        at = strchr(at, '\n');
        if (at) at++;
    }
    return found;
}

static void add_section(base_text *out, const char *section) {
    base_text_add(out, "%s%s%s", BEGIN, section, END);
}

static const char *weekday(const char *day) {
    static const char *const names[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                        "Thursday", "Friday", "Saturday"};
    static const int before[] = {0, 3, 2, 5, 0, 3,
                                 5, 1, 4, 6, 2, 4}; // weekdays before each month, March first
    int y, m, d;
    if (sscanf(day, "%d-%d-%d", &y, &m, &d) != 3 || m < 1 || m > 12) return "";
    if (m < 3) y--;
    return names[(y + y / 4 - y / 100 + y / 400 + before[m - 1] + d) % 7];
}

void learn_notebook_merge(const char *page, const char *day, const char *section, base_text *out) {
    if (!page) {
        base_text_add(out, "# %s, %s\n\n", day, weekday(day));
        add_section(out, section);
        base_text_add(
            out,
            "\n## What did I learn?\n\n\n## What failed, and why?\n\n\n## What do I not understand yet?\n\n\n"
            "## What do I try next, and what do I expect?\n\n");
        return;
    }
    size_t length = strlen(page);
    const char *end = last_line(page, page + length, END_START);
    const char *begin = end ? last_line(page, end, BEGIN_START) : NULL;
    if (!begin) {
        bool open_line = length > 0 && page[length - 1] != '\n';
        base_text_add(out, "%s%s", page, open_line ? "\n\n" : length ? "\n" : "");
        add_section(out, section);
        return;
    }
    const char *rest = strchr(end, '\n');
    base_text_add_bytes(out, page, (size_t)(begin - page));
    add_section(out, section);
    base_text_add(out, "%s", rest ? rest + 1 : "");
}

void learn_notebook_insight(const char *title, const char *day, base_text *out) {
    base_text_add(out,
                  "# %s\n\n%s\n\nTasks: (ids of the tasks that it is about, such as vector-add: kz portfolio "
                  "shows this "
                  "page beside them)\n\n## What I believed before\n\n\n## What I saw, and how (the command, "
                  "the figure, the "
                  "device)\n\n\n## Why it is so\n\n\n## When it does not hold\n\n",
                  title, day);
}

void learn_notebook_microbench(const char *name, const char *day, const char *device, base_text *out) {
    base_text_add(
        out,
        "# %s\n\n%s, on %s\n\n## Question\n\nOne sentence, with the number that you expect and why:\n\n## "
        "Set-up\n\n"
        "- kernel:\n- sizes, types, launch:\n- what is varied, what is held:\n- command:\n\n## Result\n\n"
        "| varied | measured | expected |\n|---|---|---|\n|  |  |  |\n\n## What follows\n\n\n## What could "
        "make this "
        "figure wrong\n\n(clocks, caches, too short, the compiler removed it)\n\n",
        name, day, device);
}

bool learn_notebook_slug(const char *title, char *slug, size_t size) {
    size_t length = 0;
    for (const unsigned char *at = (const unsigned char *)title; *at && length + 1 < size; at++) {
        if (isalnum(*at) && *at < 128)
            slug[length++] = (char)tolower(*at);
        else if (length && slug[length - 1] != '-')
            slug[length++] = '-';
    }
    while (length && slug[length - 1] == '-') length--;
    slug[length] = 0;
    return length > 0;
}
