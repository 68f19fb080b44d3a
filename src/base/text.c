// A growing string. Once an append has failed, the text keeps what it had and takes no more.
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool text_reserve(base_text *text, size_t more) {
    if (text->failed) return false;
    if (more >= SIZE_MAX / 4 - text->length) {
        text->failed = true;
        return false;
    }
    size_t need = text->length + more + 1;
    if (need <= text->capacity) return true;
    size_t capacity = text->capacity ? text->capacity * 2 : 64;
    while (capacity < need) capacity *= 2;
    char *data = realloc(text->data, capacity);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void base_text_add_v(base_text *text, const char *format, va_list list) {
    va_list again;
    va_copy(again, list);
    size_t room = text->failed ? 0 : text->capacity - text->length;
    int length = vsnprintf(room ? text->data + text->length : NULL, room, format, list);
    if (length < 0) {
        text->failed = true;
    } else if ((size_t)length < room) {
        text->length += (size_t)length;
    } else if (text_reserve(text, (size_t)length)) {
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    } else if (room) {
        text->data[text->length] = 0; // undo the part that was written
    }
    va_end(again);
}

void base_text_add(base_text *text, const char *format, ...) {
    va_list list;
    va_start(list, format);
    base_text_add_v(text, format, list);
    va_end(list);
}

void base_text_add_bytes(base_text *text, const char *bytes, size_t length) {
    if (!text_reserve(text, length)) return;
    if (length) memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = 0;
}

size_t base_utf8_length(const char *text) {
    const unsigned char *at = (const unsigned char *)text;
    if (at[0] < 0x80) return 1;
    size_t length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
    if (at[0] < 0xc2 || at[0] > 0xf4) return 0;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80) return 0;
    if (at[0] == 0xe0 && at[1] < 0xa0) return 0; // longer than need be
    if (at[0] == 0xf0 && at[1] < 0x90) return 0;
    if (at[0] == 0xed && at[1] > 0x9f) return 0; // surrogates
    if (at[0] == 0xf4 && at[1] > 0x8f) return 0; // past U+10FFFF
    return length;
}

// Bytes that are no UTF-8 become U+FFFD: paths and names may hold anything, a JSON text may not.
void base_text_add_json(base_text *text, const char *string) {
    if (!string) {
        base_text_add(text, "null");
        return;
    }
    base_text_add_bytes(text, "\"", 1);
    for (const unsigned char *at = (const unsigned char *)string; *at;) {
        size_t length = base_utf8_length((const char *)at);
        if (length == 0)
            base_text_add(text, "\\ufffd");
        else if (*at == '"' || *at == '\\')
            base_text_add(text, "\\%c", *at);
        else if (*at == '\n')
            base_text_add(text, "\\n");
        else if (*at < 0x20)
            base_text_add(text, "\\u%04x", *at);
        else
            base_text_add_bytes(text, (const char *)at, length);
        at += length ? length : 1;
    }
    base_text_add_bytes(text, "\"", 1);
}

// The controls of ASCII and of ISO 6429's second set (U+009B begins a sequence as ESC [ does); what turns the direction
// of text, so that a name reads as another; and tags, which nobody sees.
static bool is_obeyed(uint32_t c) {
    static const struct {
        uint32_t from, to;
    } ranges[] = {{0x00, 0x08},     {0x0b, 0x1f},     {0x7f, 0x9f},     {0x061c, 0x061c},  {0x200e, 0x200f},
                  {0x2028, 0x202e}, {0x2066, 0x2069}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};
    for (size_t i = 0; i < BASE_COUNT(ranges); i++)
        if (c >= ranges[i].from && c <= ranges[i].to) return true;
    return false;
}

// The bytes at `at` that no terminal may get: a character that it obeys, or one byte that is no UTF-8. 0 for others.
static size_t unprintable(const char *at) {
    const unsigned char *byte = (const unsigned char *)at;
    size_t length = base_utf8_length(at);
    if (length == 0) return 1;
    uint32_t c = length == 1 ? byte[0] : byte[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) c = c << 6 | (byte[i] & 0x3f);
    return is_obeyed(c) ? length : 0;
}

void base_text_add_clean(base_text *text, const char *string) {
    for (const char *at = string; *at;) {
        size_t bad = unprintable(at), length = bad ? bad : base_utf8_length(at);
        bool ends_line = at[0] == '\r' && at[1] == '\n';
        if (!bad)
            base_text_add_bytes(text, at, length);
        else if (!ends_line)
            base_text_add(text, "\xef\xbf\xbd");
        at += length;
    }
}

void base_text_add_word(base_text *text, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%^";
    if (*word && !word[strspn(word, plain)]) {
        base_text_add(text, "%s", word);
        return;
    }
    base_text_add(text, "'");
    for (; *word; word++)
        if (*word == '\'')
            base_text_add(text, "'\\''");
        else if (*word == '\n')
            base_text_add(text, "'$'\\n''"); // one word is never two lines
        else
            base_text_add(text, "%c", *word);
    base_text_add(text, "'");
}

void base_clean(char *text) {
    for (size_t length; *text; text += length) {
        size_t bad = unprintable(text);
        if (bad) memset(text, '?', bad);
        length = bad ? bad : base_utf8_length(text);
    }
}

const char *base_bare_name(const char *mangled, size_t *length) {
    const char *at = mangled + 2, *found = mangled;
    *length = strlen(mangled);
    if (strncmp(mangled, "_Z", 2) != 0) return mangled;
    bool nested = *at == 'N';
    if (nested) at++;
    while (*at == 'L' || *at == 'K' || *at == 'V') at++; // internal linkage, qualifiers
    while (*at >= '1' && *at <= '9') {
        char *name;
        size_t bytes = strtoul(at, &name, 10);
        if (bytes > strlen(name)) break;
        found = name;
        *length = bytes;
        at = name + bytes;
        if (!nested) break;
    }
    return found;
}

bool base_ends_with(const char *text, const char *suffix) {
    size_t n = strlen(text), m = strlen(suffix);
    return n >= m && strcmp(text + n - m, suffix) == 0;
}

void base_text_free(base_text *text) {
    free(text->data);
    *text = (base_text){0};
}
