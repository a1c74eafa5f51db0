/*
** tare: benchmarking for Lua with collector accounting.
** The public C header: what a host includes.
**
** A host that has a loop, a clock and an allocator of its own measures in
** steps, and is never kept longer than it allows:
**
**   if (tare_open(L, NULL) != TARE_OK) ...          -- 'tare' on the stack
**   if (tare_session_new(L, text, length, "=bench") != TARE_OK) ...
**   do {                                            -- the session is on top
**     status = tare_session_step(L, -1, 2.0, &progress);   -- 2 ms
**     ... the host's own work ...
**   } while (status == TARE_OK);
**   if (status == TARE_DONE) tare_session_report(L, -1, "json");
**
** After an error, functions that take a lua_State return TARE_FAILED and leave
** the error value (mostly a text) on top of the stack; the host pops it. Lack
** of memory is such an error. Functions of frames keep their message for
** tare_frames_message instead, unless their comment says otherwise. No function
** raises, exits, prints, writes to a file or handles signals. There is no state
** outside the lua_State: each state may be used by another thread. Functions
** need 8 free slots on the stack, which any C function has. If tare_open was
** not called in a state, or has failed, the functions below it fail with a
** message.
**
** 'session' and 'policy' are indices in the stack, from its bottom (1, 2...) or
** from its top (-1). A value that is kept in the registry has to be pushed
** first.
**
** This header needs none of Lua's; a host in C++ includes lua.hpp for itself.
*/
#ifndef TARE_H
#define TARE_H

#include <stddef.h>
#include <stdint.h>

/* Semantic version; the one place where it stands. */
#define TARE_VERSION "0.1.0"

#if defined(_WIN32) && !defined(TARE_STATIC)
#define TARE_API __declspec(dllexport)
#elif defined(__GNUC__)
#define TARE_API __attribute__((visibility("default")))
#else
#define TARE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct lua_State;

enum { TARE_OK = 0, TARE_DONE = 1, TARE_FAILED = 2 };

/*
** What a host may supply; each function may be NULL, for the default. They are
** called by the thread that called tare, and must neither raise Lua errors nor
** throw.
*/
typedef struct tare_host {
  /*
  ** Monotonic time in nanoseconds, from any origin; it has to move while Lua
  ** code runs: no session begins on a clock that stands still. A clock of whole
  ** milliseconds will do, but intervals are wide. Default: the clock of the
  ** system.
  */
  uint64_t (*now_ns)(void *ud);
  /*
  ** Memory outside of the Lua heap, where samples are kept: frees 'block' if
  ** 'new_size' is 0, else makes it that large; returns NULL if it can't.
  ** 'old_size' is 0 for a new block. Default: the allocator of the state.
  */
  void *(*alloc)(void *ud, void *block, size_t old_size, size_t new_size);
  /* Takes a text of tare_session_print. Default: none, nothing is printed. */
  void (*print)(void *ud, const char *text, size_t length);
  void *ud; /* passed to each of them */
} tare_host;

/*
** Opens tare in 'L' and pushes the module that `require "tare"` returns. It
** needs Lua's base, coroutine, math, string and table libraries (in 5.1 and
** LuaJIT coroutine comes with base); otherwise it fails, and the message names
** what is missing. Until the state is closed, tare has entries in its registry:
** under addresses of tare's own, and metatables whose names begin with "tare.".
** If the state has package.preload, `require "tare"` works in it from now on.
** '*host' (NULL: all defaults) is copied; what its 'ud' points to must live as
** long as the state. If tare is opened again, the first host stays.
*/
TARE_API int tare_open(struct lua_State *L, const tare_host *host);

/*
** Pushes a session for a Lua source of 'length' bytes. The source gets the
** module 'tare' as its argument (`local tare = ...`). It returns a suite or a
** list of suites and then, optionally, a table of options ({quota = "500ms"});
** the quota is for each bench. 'name' is for messages, as in luaL_loadbuffer. A
** bench that raises an error or yields fails, and the report has its message;
** the other benches, and the steps, go on. The session is a value like any
** other: keep it on the stack, or in the registry.
*/
TARE_API int tare_session_new(struct lua_State *L, const char *source,
                              size_t length, const char *name);

/*
** Measures for about 'budget_ms' milliseconds (at least 0.001), in whole
** batches; the last steps analyse. Returns TARE_OK if there is more to do.
** Returns TARE_DONE if all is measured and analysed, or the session was
** cancelled; each further call returns TARE_DONE again, at once. '*progress'
** (unless NULL) becomes the share that is done, 0 to 1.
*/
TARE_API int tare_session_step(struct lua_State *L, int session,
                               double budget_ms, double *progress);

/*
** Pushes the report of what was measured until now as a text, in any format
** that tare renders: "json" (or NULL), "text" (lines of any length, no
** colours), "html"... After TARE_DONE the report only has to be rendered, which
** takes a few milliseconds per bench. Before, and after cancelling, all benches
** are analysed in one go, which takes some tens of milliseconds per bench.
*/
TARE_API int tare_session_report(struct lua_State *L, int session,
                                 const char *format);

/* Hands the report in a format (NULL: "text") to the host's 'print'. */
TARE_API int tare_session_print(struct lua_State *L, int session,
                                const char *format);

/* Ends the measuring; what was measured until now can still be reported. */
TARE_API int tare_session_cancel(struct lua_State *L, int session);

/*
** Ends the measuring and frees what was measured. To close a session again does
** no harm; other functions fail for it from then on. A session need not be
** closed before its state is, but then no teardown of a bench runs. If a
** teardown raises an error, the report has it after tare_session_cancel.
*/
TARE_API int tare_session_close(struct lua_State *L, int session);

/*
** Frames of a whole session, none of them lost, in memory that does not grow:
**
**   tare_frames *frames = tare_frames_new(L, NULL);   -- the value on the stack
**   int ai = tare_scope(frames, "ai", 2.0);
**   for (;;) {                                        -- the host's loop
**     tare_frame_begin(frames);
**     tare_scope_begin(frames, ai); ...; tare_scope_end(frames, ai);
**     tare_frame_end(frames);
**   }
**
** Functions of a frame or scope call no Lua code and need no memory (unless Lua
** code streams the frames: recorder:stream). If a recorder is NULL, as after a
** failure of tare_frames_new, or was closed by a script (its `__gc`), they do
** nothing and return TARE_FAILED, or -1 for a scope: a game runs on without a
** recorder.
*/
typedef struct tare_frames tare_frames;

typedef struct tare_frames_options {
  double budget_ms; /* of a frame; 0: 1000 / 60; at most 1e12 */
  /*
  ** How many of the latest frames are kept one by one, for "csv" and
  ** "perfetto"; 0: 1000; at most 1e7.
  */
  size_t ring;
  /*
  ** 1: in a frame the collector's steps run where a scope begins or ends, and
  ** where the frame ends, and are timed. So the collector's part of each frame
  ** and scope is known. This needs Lua 5.3, 5.4 or LuaJIT; elsewhere
  ** tare_frames_new fails. A collector that the host has stopped stays stopped.
  ** Errors of finalizers are lost. 0: the collector runs when Lua finds that it
  ** is due, as usual.
  */
  int paced;
} tare_frames_options;

/*
** Pushes a recorder, the value that `tare.frames` returns to Lua code, and
** returns a pointer to it; NULL after an error. The recorder lives as long as
** the value: keep the value in the registry, or as a global for scripts to use.
** 'options' may be NULL. 'L' must live as long as the recorder, so it must not
** be a coroutine that ends before.
*/
TARE_API tare_frames *tare_frames_new(struct lua_State *L,
                                      const tare_frames_options *options);

/* A frame begins. A frame that did not end, because of an error, is dropped. */
TARE_API void tare_frame_begin(tare_frames *frames);

/*
** The frame has ended, and is recorded. If this or a function of frames below
** returns TARE_FAILED, it has recorded nothing, and the frame or scope stays
** open. Nothing is on the stack then; tare_frames_message returns the message.
** The collector's part of this frame is not known, unless frames are paced.
*/
TARE_API int tare_frame_end(tare_frames *frames);

/*
** The same, with the collector's part of the frame: nanoseconds that the host
** measured around its steps of the collector, or around tare_policy_after. A
** time longer than the frame counts as all of the frame. The time of paced
** steps is added.
*/
TARE_API int tare_frame_finish(tare_frames *frames, uint64_t collector_ns);

/*
** Records a frame that the host has measured itself, in nanoseconds, instead of
** begin and end. It has no scopes. A frame that was begun is dropped. In a
** trace it begins where the frame before it ended, so frames may overlap there
** if a recorder gets frames of both kinds. A time above 10^18 ns is refused: a
** difference that became negative is one.
*/
TARE_API int tare_frame_push(tare_frames *frames, uint64_t ns,
                             uint64_t collector_ns);

/*
** Returns the number of the scope 'name', which is made when first asked for.
** (In Lua its handle is that number plus 1.) Returns -1 if there are 32 scopes
** already, no memory, no name (NULL), or if the budget is below 0. 'budget_ms':
** in each frame; 0: none. If the scope exists already, it gets the new budget.
** The functions below refuse a number that is no scope's, such as -1.
*/
TARE_API int tare_scope(tare_frames *frames, const char *name,
                        double budget_ms);

/* A part of the frame begins. Scopes may be nested. */
TARE_API int tare_scope_begin(tare_frames *frames, int scope);

/* The scope ends. It has to be the one that began last. */
TARE_API int tare_scope_end(tare_frames *frames, int scope);

/*
** What follows is another level, scene...: a result has figures for each. At
** most 64 marks are kept. Further ones are in streams only, and return
** TARE_FAILED.
*/
TARE_API int tare_frames_mark(tare_frames *frames, const char *name);

/*
** The message of the last failure of a function above or of a stream; "" again
** once a frame begins or is pushed. So a host may look at it once per frame,
** after the frame has ended. For calls outside of frames, it has to look at
** what they return.
*/
TARE_API const char *tare_frames_message(const tare_frames *frames);

/* Figures of the frames until now; NaN where there is no value yet. */
typedef struct tare_frames_now {
  double frames, over, stutters; /* counts */
  double p50_ms, p99_ms, max_ms;
  double low1_ms, low01_ms; /* mean of the slowest 1 and 0.1 % */
  double heap_bytes;
  /* The collector's part, for frames where it is known. */
  double collector_p99_ms, collector_share;
} tare_frames_now;

/*
** For an overlay: takes some microseconds, after an hour as after a second.
** NULL has no frames. Figures of a scope are in `recorder:result()` (Lua), and
** in what tare_frames_write writes.
*/
TARE_API void tare_frames_live(const tare_frames *frames, tare_frames_now *now);

/*
** Takes a part of a text. Any result but TARE_OK stops the writing. It must
** neither raise Lua errors nor throw.
*/
typedef int (*tare_write)(void *ud, const char *text, size_t length);

/*
** Writes the frames: as "json" (or NULL), a capture that `tare frames` reads;
** as "html", "text" or "markdown", a report; as "csv" or "perfetto" (for
** ui.perfetto.dev), the latest frames ('ring' above) one by one. Takes memory
** and milliseconds, so it is for the end of a session, or a menu. After
** TARE_FAILED the error value is on top of the stack of the lua_State that was
** given to tare_frames_new (of none, if 'frames' is NULL).
*/
TARE_API int tare_frames_write(tare_frames *frames, const char *format,
                               tare_write write, void *ud);

/*
** Streams each frame, scope and mark from now on, as "csv" or "perfetto", in
** parts of 8 kB or more, each after the frame that fills it. So a session of
** hours needs no more memory than one of seconds. 'write' must not use the
** recorder.
*/
TARE_API int tare_frames_stream(tare_frames *frames, const char *format,
                                tare_write write, void *ud);

/*
** Writes the rest and ends the stream. Returns TARE_FAILED if 'write' had
** stopped the stream, or there was none. If the recorder is freed before, the
** rest is lost.
*/
TARE_API int tare_frames_stream_end(tare_frames *frames);

/*
** Pushes a policy of the collector: "automatic" (as it is), "incremental",
** "generational" (5.4 and 5.5), "step" or "spare", as `tare.frames` with a
** function recommends one. 'settings': index in the stack of a table with
** settings that replace the policy's own (pause, step_multiplier...), or 0. The
** policy controls the collector from here until it is closed. Like a session it
** is a value: keep it on the stack, or in the registry. A policy that is
** dropped without being closed leaves the collector as it is: stopped, after
** "step" and "spare". If there are several policies, the one that began last
** controls the collector.
*/
TARE_API int tare_policy_new(struct lua_State *L, const char *name,
                             int settings);

/*
** To be called before the end of each frame: collects as the policy does.
** 'left_ms': the milliseconds that are left of the frame's budget, below 0 if
** it is exceeded; "spare" uses them. Makes no garbage. For a closed policy it
** does nothing, and returns TARE_OK. How often and by how much "spare" took
** longer than its time is in the policy's fields `overruns` and `overrun_ms`
** (lua_getfield).
*/
TARE_API int tare_policy_after(struct lua_State *L, int policy, double left_ms);

/*
** Restores the collector as it was found. To close a policy again does no harm.
*/
TARE_API int tare_policy_close(struct lua_State *L, int policy);

/* Opens the C core in 'L': pushes the table of the module 'tare.core'. */
TARE_API int luaopen_tare_core(struct lua_State *L);

#ifdef __cplusplus
}
#endif

#endif
