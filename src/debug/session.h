// The inside of a session, shared by the files of this layer.
#ifndef DEBUG_SESSION_H
#define DEBUG_SESSION_H

#include <signal.h>

#include "debug/debug.h"
#include "debug/expression.h"

// ---- breakpoints ------------------------------------------------------------------------------------

typedef struct debug_breakpoint {
    uint32_t id;
    bool temporary, enabled, is_watch;
    bool has_block, has_thread;
    uint32_t block[3], thread[3];
    char *file;      // NULL: the file of the kernel that runs
    uint32_t line;   // 0: a function
    char *function;  // NULL: a line
    char *condition; // NULL: none
    uint64_t hits;
    // In the module at hand:
    uint32_t *serials;
    uint32_t serial_count;
    uint32_t actual_line; // where there is code; 0: nowhere
    // watch:
    char *expression;
    uint64_t address; // generic
    uint32_t bytes, watch_lane, watch_block;
    bool is_local; // of one thread: lane and warp count
    uint32_t watch_warp;
    const debug_type *type;
    uint64_t old;
} debug_breakpoint;

typedef enum debug_mode { DEBUG_RUNS, DEBUG_STEPS, DEBUG_NEXT, DEBUG_STEPI, DEBUG_FINISH } debug_mode;

// A thread, or what it is looked at for.
typedef struct debug_focus {
    uint32_t block, warp, lane;
    unsigned level; // 0: the innermost call
} debug_focus;

typedef struct debug_step {
    debug_mode mode;
    bool whole_warp; // any lane of the warp
    debug_focus of;
    debug_line line;  // where it began
    uint32_t depth;   // calls
    uint32_t inlined; // of calls that the compiler inlined
    uint64_t count;   // times to go
    bool forward;     // only to lines further down
    uint32_t mask;    // the lanes that began it
} debug_step;

typedef struct debug_writer { // who wrote a word of shared memory last
    uint32_t thread_plus_one, serial;
} debug_writer;
typedef struct debug_shadow {
    uint32_t block;
    uint32_t words;
    debug_writer *writers;
} debug_shadow;

typedef struct debug_source {
    char *path, *text;
    uint32_t *lines; // offset of each line; lines[line_count] is the end
    uint32_t line_count;
} debug_source;

struct debug_session {
    sim_listener listener; // first
    debug_terminal terminal;
    volatile sig_atomic_t interrupted;
    bool detached; // no more stops
    bool killed;   // the launch is being ended
    bool started;  // the first launch was announced
    bool stopped_in_launch;

    // the launch
    sim_launch_event launch;
    debug_symbols *symbols;   // of its module
    const char *symbols_text; // the text of that module: another one may come to lie at its address
    bool *has_step;           // by serial
    uint8_t *marks;           // by serial: how many breakpoints are there
    uint32_t mark_count;
    debug_shadow *shadows;
    uint32_t shadow_count, shadow_capacity;
    uint32_t ended_blocks;

    debug_breakpoint *breakpoints;
    uint32_t breakpoint_count, breakpoint_capacity, next_id;
    uint32_t watch_count, watch_hit; // id + 1 of one about to be written
    sim_event watch_event;
    uint32_t watch_writer; // the lane
    debug_step step;
    bool thread_ended; // the one that was stepped

    // the stop
    const sim_event *event; // NULL while it runs, and before a launch
    debug_focus focus;
    base_text out;
    char *last_line;
    char *displays[16];
    char *folder;                      // of `directory`
    uint32_t listed_file, listed_line; // what `list` goes on with
    debug_source *sources;
    uint32_t source_count;
};

// session.c
void debug_say(debug_session *session, const char *format, ...) __attribute__((format(printf, 2, 3)));
void debug_flush(debug_session *session);
bool debug_is_stopped(debug_session *session); // says so where not
// The focused warp; NULL where its block is not there any more.
const sim_warp *debug_focused_warp(const debug_session *session);
// The focused lane's path; false where the thread has ended.
bool debug_path_of(const debug_session *session, const sim_warp *warp, uint32_t lane, sim_inspect_path *path);
// The focused thread, in the selected call. False, having said why, where there is none.
bool debug_focused_context(debug_session *session, debug_context *context);
uint32_t debug_depth(const sim_warp *warp, uint32_t frame);
void debug_clear_step(debug_session *session);
// Begins a step of the focused thread; false, having said why, where it cannot.
bool debug_begin_step(debug_session *session, debug_mode mode, uint64_t count, bool whole_warp, bool forward);

// breakpoints.c
// The file and line that a word means: LINE, FILE:LINE or a function; false where there is none.
bool debug_find_line(debug_session *session, const char *word, uint32_t *file, uint32_t *line);
void debug_resolve_breakpoints(debug_session *session);
void debug_free_breakpoint(debug_breakpoint *breakpoint);
void debug_delete_breakpoint(debug_session *session, uint32_t index);
// "23", "file.cu:23", "kernel" with "if ..."; "" is the focused line. Says what was made.
void debug_add_breakpoint(debug_session *session, const char *text, bool temporary);
void debug_add_watch(debug_session *session, const char *text);
// The lane of the event that the breakpoint is for, or -1.
int debug_breakpoint_lane(debug_session *session, debug_breakpoint *breakpoint, const sim_event *event);
void debug_describe_breakpoint(debug_session *session, const debug_breakpoint *breakpoint);

// commands.c: takes commands until one lets the launch go on
void debug_prompt(debug_session *session);

// show.c
// Where the focused thread is; brief: the line alone.
void debug_show_where(debug_session *session, bool brief, bool with_code);
void debug_show_focus(debug_session *session);
void debug_show_frames(debug_session *session);
void debug_show_threads(debug_session *session, bool all);
void debug_show_location(debug_session *session, const ptx_inst *inst, base_text *out); // "kernel at t.cu:23"

// source.c
void debug_forget_sources(debug_session *session);
const debug_source *debug_source_of(debug_session *session, uint32_t file); // index into the module's files
bool debug_show_line(debug_session *session, uint32_t file, uint32_t line, bool here);
void debug_show_list(debug_session *session, uint32_t file, uint32_t line);
void debug_show_code(debug_session *session, const debug_context *context, uint32_t around);

// memory.c
void debug_show_memory(debug_session *session, const char *options, const char *text); // x/8f ADDRESS
void debug_show_shared(debug_session *session, const char *options, const char *text);
void debug_note_write(debug_session *session, const sim_access *access);
debug_shadow *debug_shadow_of(debug_session *session, uint32_t block);

// fragment.c
void debug_show_fragment(debug_session *session, const char *options, const char *text);

// async.c
void debug_show_mbarriers(debug_session *session);
void debug_show_async(debug_session *session);
void debug_show_map(debug_session *session, const char *text);

// print.c
void debug_show_print(debug_session *session, const char *options, const char *text);
void debug_show_locals(debug_session *session, bool parameters);
void debug_show_registers(debug_session *session, const char *text);

#endif
