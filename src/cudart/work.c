// What operations carry of a program's data, so that those that carry nothing count for nothing.
//
// A kernel's part is what it uses of the device memory that copies from and to the host use and that are in order with
// it: a kernel that uses other memory, or none, moves none of the data. It is known where uses are watched (uses.c).
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PAGES = 1024, ARRAYS = 8 };
// A kernel hides copies of twice the bytes that it uses, in each direction. A fair part of the time is half of what the
// largest kernel uses; of the streams' work, an eighth of the mean.
enum { HIDES = 2, FAIR = 2, FAIR_STREAM = 8 };

// ---- while it runs ------------------------------------------------------------------------------------------

static bool is_whole(const observe_extent *e) { return e->bytes == e->end - e->first; }

// Kernels go through a few arrays at once: one extent grows for each.
static bool grows(cudart_done *done, const observe_extent *extent) {
    for (size_t i = done->page_count; i-- > 0 && i + ARRAYS >= done->page_count;) {
        observe_extent *last = &done->pages[i];
        if (last->end != extent->first || !is_whole(last) || !is_whole(extent)) continue;
        last->end = extent->end;
        last->bytes += extent->bytes;
        return true;
    }
    return false;
}

// What is beyond the most that is kept counts for nothing.
static void keep_page(void *context, const observe_extent *extent) {
    cudart_done *done = context;
    done->used += extent->bytes;
    if (grows(done, extent) || done->page_count == MOST_PAGES) return;
    if ((done->page_count & (done->page_count - 1)) == 0) {
        size_t capacity = done->page_count ? 2 * done->page_count : 1;
        observe_extent *grown = realloc(done->pages, capacity * sizeof *grown);
        if (!grown) return;
        done->pages = grown;
    }
    done->pages[done->page_count++] = *extent;
}

void cudart_work_keep(cudart_done *done) {
    done->is_watched = true;
    observe_streams_used(cudart.uses, keep_page, done);
}

// ---- at the end ---------------------------------------------------------------------------------------------

static bool holds(const cudart_order *order, const cudart_done *d) {
    return observe_order_has(&order->set, d->turn);
}

bool cudart_work_is_across(const cudart_done *d) {
    return d->kind == CUDART_DONE_TO_DEVICE || d->kind == CUDART_DONE_TO_HOST;
}

static bool are_ordered(const cudart_done *a, const cudart_done *b) {
    return holds(&a->before, b) || holds(&b->before, a);
}

static uint64_t common_bytes(const observe_extent *page, const cudart_done *copy) {
    uint64_t at = copy->kind == CUDART_DONE_TO_DEVICE ? copy->to : copy->from, end = at + copy->span;
    uint64_t first = page->first > at ? page->first : at, last = page->end < end ? page->end : end;
    uint64_t bytes = first < last ? last - first : 0;
    return bytes < page->bytes ? bytes : page->bytes;
}

static uint64_t part_of(const cudart_journal *j, const cudart_done *kernel) {
    uint64_t sum = 0;
    for (size_t p = 0; p < kernel->page_count; p++) {
        uint64_t common = 0;
        for (size_t i = 0; i < j->kept && common < kernel->pages[p].bytes; i++)
            if (cudart_work_is_across(&j->done[i]) && are_ordered(kernel, &j->done[i]))
                common += common_bytes(&kernel->pages[p], &j->done[i]);
        sum += common < kernel->pages[p].bytes ? common : kernel->pages[p].bytes;
    }
    return sum;
}

// The bytes of each copy that kernels can hide: each kernel so many, once in each direction.
static void hide(cudart_journal *j) {
    for (size_t k = 0; k < j->kept; k++)
        for (int direction = 0; direction <= CUDART_DONE_TO_HOST; direction++)
            j->done[k].hides[direction] = j->done[k].is_watched ? HIDES * j->done[k].part : UINT64_MAX;
    for (size_t i = 0; i < j->kept; i++) {
        cudart_done *copy = &j->done[i];
        if (!cudart_work_is_across(copy)) continue;
        for (size_t k = 0; k < j->kept && copy->hidden < copy->bytes; k++) {
            uint64_t *left = &j->done[k].hides[copy->kind], wanted = copy->bytes - copy->hidden;
            if (j->done[k].kind != CUDART_DONE_KERNEL || are_ordered(copy, &j->done[k])) continue;
            uint64_t taken = wanted < *left ? wanted : *left;
            copy->hidden += taken;
            *left -= taken;
        }
    }
}

static void count_timed(cudart_journal *j) {
    uint64_t most = 0;
    for (size_t i = 0; i < j->kept; i++)
        if (j->done[i].used > most) most = j->done[i].used;
    for (size_t i = 0; i < j->kept; i++) {
        const cudart_done *d = &j->done[i];
        if (d->kind != CUDART_DONE_KERNEL || (d->is_watched && d->used < most / FAIR)) continue;
        j->timed_kernels += d->timed;
    }
}

static int by_work(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

// Streams that carry a fair part: as many as there are, of the largest, of which each has some of the mean.
static void count_streams(cudart_journal *j, bool has_copies) {
    uint64_t *work = calloc(j->kept + 1, sizeof *work), total = 0;
    size_t count = 0;
    for (size_t i = 0; work && i < j->kept; i++) {
        const cudart_done *d = &j->done[i];
        size_t first = 0; // of its stream
        while (j->done[first].stream != d->stream) first++;
        uint64_t part = cudart_work_is_across(d) ? d->bytes : has_copies ? d->part : d->used;
        work[first] += part;
        total += part;
    }
    if (work) qsort(work, j->kept, sizeof *work, by_work);
    for (size_t i = 0; work && i < j->kept; i++)
        if (work[i] && work[i] >= total / (FAIR_STREAM * (i + 1))) count = i + 1;
    if (work) j->streams = (unsigned)count;
    free(work);
}

void cudart_work_count(cudart_journal *j) {
    bool is_watched = cudart.uses != NULL, has_copies = false;
    for (size_t i = 0; i < j->kept; i++) {
        cudart_done *d = &j->done[i];
        has_copies = has_copies || cudart_work_is_across(d);
        if (d->kind != CUDART_DONE_KERNEL) continue;
        is_watched = is_watched && d->is_watched;
        d->part = part_of(j, d);
    }
    hide(j);
    count_timed(j);
    if (is_watched && j->kept == j->operations) count_streams(j, has_copies);
    for (size_t i = 0; i < j->kept; i++) {
        free(j->done[i].pages);
        j->done[i].pages = NULL;
        j->done[i].page_count = 0;
    }
}
