// The frame that HTML pages share: style for light and dark, escaped text. Nothing is fetched from elsewhere,
// and no page needs script.
#include "report/pages/html.h"

#include <string.h>

static const char style[] =
    ":root{--back:#fdfdfb;--text:#1f2328;--dim:#656d76;--line:#d8dee4;--panel:#f4f5f2;--hot:#c4320a;--warm:#"
    "a15c00;"
    "--good:#1a7f37;--bar:#b9c0c7}\n"
    "@media(prefers-color-scheme:dark){:root{--back:#15181c;--text:#dfe3e8;--dim:#8b949e;--line:#30363d;"
    "--panel:#1c2127;--hot:#ff8a65;--warm:#e0b050;--good:#5fc27e;--bar:#4b535d}}\n"
    "body{background:var(--back);color:var(--text);font:16px/1.5 "
    "system-ui,sans-serif;max-width:68rem;margin:0 auto;"
    "padding:1.5rem}\n"
    "h1{font-size:1.5rem;margin:.2rem 0}h2{font-size:1.25rem;margin:2.5rem 0 .3rem;border-top:1px solid "
    "var(--line);"
    "padding-top:1.2rem}h3{font-size:1rem;margin:1.4rem 0 .4rem}\n"
    "a{color:inherit}td.n{white-space:nowrap}\n"
    "code,pre,.src,.n{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.86em}\n"
    ".dim{color:var(--dim)}.hot{color:var(--hot)}.warm{color:var(--warm)}.good{color:var(--good)}\n"
    ".change{font-weight:600;margin:.2rem 0 .8rem}\n"
    ".bound{color:var(--hot);font-weight:600;font-size:1.1rem;margin:.2rem 0}\n"
    "table{border-collapse:collapse;margin:.5rem 0}td,th{padding:.15rem .8rem .15rem 0;text-align:left;"
    "vertical-align:top}th{color:var(--dim);font-weight:500;border-bottom:1px solid var(--line)}\n"
    "th.s{cursor:pointer}td.n,th.n{text-align:right}\n"
    ".facts td:first-child{color:var(--dim);white-space:nowrap}\n"
    ".bar{background:var(--bar);height:.7rem;border-radius:2px;display:inline-block;min-width:2px}"
    ".bar.first{background:var(--hot)}\n"
    ".cost{background:var(--panel);border-left:3px solid var(--bar);padding:.5rem .9rem;margin:.5rem 0}"
    ".cost.h{border-color:var(--hot)}.cost.w{border-color:var(--warm)}.cost pre{margin:.2rem "
    "0;white-space:pre-wrap}\n"
    ".scroll{overflow-x:auto}.src{width:100%}.src td{padding:0 .6rem 0 0;white-space:pre;line-height:1.45}"
    ".src td.n{text-align:right}.src tr.h{background:color-mix(in srgb,var(--hot) 16%,transparent)}"
    ".src tr.w{background:color-mix(in srgb,var(--warm) 12%,transparent)}.src tr.u{color:var(--dim)}\n"
    "svg text{fill:var(--text);font:12px system-ui,sans-serif}svg .grid{stroke:var(--line)}svg .peak{stroke:"
    "var(--text);fill:none;stroke-width:2}svg .at{fill:var(--hot)}svg "
    ".best{stroke:var(--hot);stroke-dasharray:4 3}"
    "svg .dim{fill:var(--dim)}\n"
    "details summary{cursor:pointer}li{margin:.15rem 0}\n"
    "@media print{body{max-width:none}}\n";

void report_html_begin(base_text *out, const char *title, const char *more_style) {
    base_text_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n<title>");
    report_html_text(out, title);
    base_text_add(out, "</title>\n<style>\n%s%s</style>\n</head>\n<body>\n", style, more_style);
}

void report_html_end(base_text *out) { base_text_add(out, "</body>\n</html>\n"); }

static void add_escaped(base_text *out, const char *text, size_t length, bool lines) {
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '<')
            base_text_add(out, "&lt;");
        else if (c == '>')
            base_text_add(out, "&gt;");
        else if (c == '&')
            base_text_add(out, "&amp;");
        else if (c == '"')
            base_text_add(out, "&quot;");
        else if (c == '\n')
            base_text_add(out, lines ? "\n" : " ");
        else if (c >= ' ' || c == '\t')
            base_text_add_bytes(out, &text[i], 1);
    }
}

void report_html_bytes(base_text *out, const char *text, size_t length) {
    add_escaped(out, text, length, false);
}

void report_html_text(base_text *out, const char *text) { add_escaped(out, text, strlen(text), false); }

void report_html_lines(base_text *out, const char *text) { add_escaped(out, text, strlen(text), true); }
