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

void base_text_add_clean(base_text *text, const char *string) {
    for (const unsigned char *at = (const unsigned char *)string; *at;) {
        size_t length = base_utf8_length((const char *)at);
        bool is_control = (*at < 0x20 && *at != '\n' && *at != '\t') || *at == 0x7f;
        if (length == 0 || (is_control && (at[0] != '\r' || at[1] != '\n')))
            base_text_add(text, "\xef\xbf\xbd");
        else if (!is_control)
            base_text_add_bytes(text, (const char *)at, length);
        at += length ? length : 1;
    }
}

bool base_ends_with(const char *text, const char *suffix) {
    size_t n = strlen(text), m = strlen(suffix);
    return n >= m && strcmp(text + n - m, suffix) == 0;
}

void base_text_free(base_text *text) {
    free(text->data);
    *text = (base_text){0};
}
