// The frame of the profiler's HTML pages: the shared one, and a few lines of script that sort tables. Without
// script everything is there, in the order of cost.
#include "report/pages/html.h"
#include "report/profile/html.h"

// Sorts by the cells' data-v where they have one. XHTML-safe: no character that XML would read as its own.
static const char script[] =
    "for(const t of "
    "document.querySelectorAll('table.sort')){t.querySelectorAll('th').forEach((h,i)=>{h.className+=' "
    "s';h.onclick=()=>{const b=t.tBodies[0],d=h.dataset.d=h.dataset.d==1?-1:1,k=r=>{const "
    "c=r.cells[i];return "
    "c.dataset.v===undefined?c.textContent:Number(c.dataset.v)};[...b.rows].sort((x,y)=>{const "
    "p=k(x),q=k(y);return p==q?0:(p>q?d:-d)}).forEach(r=>b.append(r))}})}";

void report_prof_html_begin(base_text *out, const char *title) { report_html_begin(out, title, ""); }

void report_prof_html_end(base_text *out) {
    base_text_add(out, "<script>\n//<![CDATA[\n%s\n//]]>\n</script>\n", script);
    report_html_end(out);
}

void report_prof_html_bytes(base_text *out, const char *text, size_t length) {
    report_html_bytes(out, text, length);
}

void report_prof_html_text(base_text *out, const char *text) { report_html_text(out, text); }
