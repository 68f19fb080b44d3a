// JSON text.
#include "observe/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// The length of the UTF-8 sequence at `text`, or 0 where it is none.
static unsigned utf8_length(const unsigned char *text) {
    static const struct {
        unsigned char low, high; // of the first byte
        unsigned length;
        unsigned char second_low, second_high; // keeps out overlong forms and surrogates
    } forms[] = {
        {0xc2, 0xdf, 2, 0x80, 0xbf}, {0xe0, 0xe0, 3, 0xa0, 0xbf}, {0xe1, 0xec, 3, 0x80, 0xbf},
        {0xed, 0xed, 3, 0x80, 0x9f}, {0xee, 0xef, 3, 0x80, 0xbf}, {0xf0, 0xf0, 4, 0x90, 0xbf},
        {0xf1, 0xf3, 4, 0x80, 0xbf}, {0xf4, 0xf4, 4, 0x80, 0x8f},
    };
    if (text[0] < 0x80) return 1;
    for (size_t i = 0; i < BASE_COUNT(forms); i++) {
        if (text[0] < forms[i].low || text[0] > forms[i].high) continue;
        if (text[1] < forms[i].second_low || text[1] > forms[i].second_high) return 0;
        for (unsigned k = 2; k < forms[i].length; k++)
            if (text[k] < 0x80 || text[k] > 0xbf) return 0;
        return forms[i].length;
    }
    return 0;
}

void observe_write_string(base_text *out, const char *text) {
    base_text_add_bytes(out, "\"", 1);
    const unsigned char *at = (const unsigned char *)(text ? text : "");
    while (*at) {
        unsigned length = utf8_length(at);
        switch (*at) {
        case '"': base_text_add(out, "\\\""); break;
        case '\\': base_text_add(out, "\\\\"); break;
        case '\n': base_text_add(out, "\\n"); break;
        case '\t': base_text_add(out, "\\t"); break;
        default:
            if (length == 0)
                base_text_add(out, "\\ufffd");
            else if (*at < 0x20 || *at == 0x7f)
                base_text_add(out, "\\u%04x", *at);
            else
                base_text_add_bytes(out, (const char *)at, length);
        }
        at += length ? length : 1;
    }
    base_text_add_bytes(out, "\"", 1);
}

void observe_write_number(base_text *out, double number) {
    if (!isfinite(number)) {
        base_text_add(out, "null");
    } else if (number == floor(number) && fabs(number) < 9007199254740992.0) {
        base_text_add(out, "%.0f", number);
    } else {
        char text[40];
        snprintf(text, sizeof text, "%.15g", number);
        if (strtod(text, NULL) != number) snprintf(text, sizeof text, "%.17g", number);
        for (char *c = text; *c; c++) // the observed program may have chosen a locale
            if (*c == ',') *c = '.';
        base_text_add(out, "%s", text);
    }
}

void observe_write_3(base_text *out, const uint32_t values[3]) {
    base_text_add(out, "[%u,%u,%u]", values[0], values[1], values[2]);
}
