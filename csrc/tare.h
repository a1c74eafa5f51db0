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
** Functions that take a lua_State return TARE_FAILED after an error, and leave
** the error value (mostly a text) on top of the stack, to be popped by the host;
** lack of memory is such an error. Those of frames keep theirs for
** tare_frames_message instead; where they don't, it is said there. None raises,
** exits, prints, writes to a file or handles signals, and there is no state
** outside the lua_State: each state may be used by another thread. They need a
** stack with 8 free slots, as any C function has. In a state in which tare_open
** was not called, or has failed, those below it fail with a message.
**
** 'session', 'policy': their index in the stack, from its bottom (1, 2...) or
** from its top (-1). What is kept in the registry is pushed first.
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
  ** code runs: no session begins on a clock that stands still. One of whole
  ** milliseconds will do, with wide intervals. Default: that of the system.
  */
  uint64_t (*now_ns)(void *ud);
  /*
  ** Memory outside of the Lua heap, where samples are kept: frees 'block' if
  ** 'new_size' is 0, else makes it that large; NULL if it can't. 'old_size' is
  ** 0 for a new block. Default: the allocator of the state.
  */
  void *(*alloc)(void *ud, void *block, size_t old_size, size_t new_size);
  /* Takes a text of tare_session_print. Default: none, nothing is printed. */
  void (*print)(void *ud, const char *text, size_t length);
  void *ud; /* passed to each of them */
} tare_host;

/*
** Opens tare in 'L' and pushes the module, what `require "tare"` gives. It needs
** Lua's base, coroutine, math, string and table libraries (else it fails, and says
** what is missing; in 5.1 and LuaJIT coroutine comes with base). In the registry
** are its own addresses and metatables of names that begin with "tare.", until the
** state is closed. Where the state has package.preload, `require "tare"` works in
** it from now on.
** '*host' (NULL: all defaults) is copied; what its 'ud' points to must live as
** long as the state. Opened again, the first host stays.
*/
TARE_API int tare_open(struct lua_State *L, const tare_host *host);

/*
** Pushes a session over what Lua source of 'length' bytes returns: a suite or a
** list of suites, and after it, optionally, a table of options ({quota =
** "500ms"}). The source gets the module 'tare' as its argument (`local tare =
** ...`). 'name' is for messages, as in luaL_loadbuffer. The quota is that of each
** bench. A bench that raises or yields has failed, with its message in the report;
** the others, and the steps, go on. The session is a value like any other: keep
** it on the stack, or in the registry.
*/
TARE_API int tare_session_new(struct lua_State *L, const char *source,
                              size_t length, const char *name);

/*
** Measures for about so many milliseconds (at least 0.001), in whole batches; the
** last steps analyse. TARE_OK: there is more to do; TARE_DONE: all is measured and
** analysed, or the session was cancelled, and each further call returns it again,
** at once. '*progress' (unless NULL) becomes the share that is done, 0 to 1.
*/
TARE_API int tare_session_step(struct lua_State *L, int session,
                               double budget_ms, double *progress);

/*
** Pushes the report of what was measured until now as a text, in any format
** that tare renders: "json" (NULL stands for it), "text" (lines of any length, no
** colours), "html"... After TARE_DONE it only has to be rendered, a few
** milliseconds a bench; before, and after cancelling, it is analysed in one go,
** some tens of milliseconds each.
*/
TARE_API int tare_session_report(struct lua_State *L, int session,
                                 const char *format);

/* Hands the report in a format (NULL: "text") to the host's 'print'. */
TARE_API int tare_session_print(struct lua_State *L, int session,
                                const char *format);

/* Ends the measuring; what was measured until now can still be reported. */
TARE_API int tare_session_cancel(struct lua_State *L, int session);

/*
** Ends the measuring and lets go of what was measured; again does no harm, but
** all else fails from then on. A session need not be closed before its state is;
** but then no teardown of a bench is run. What a teardown raises is in the report,
** after tare_session_cancel.
*/
TARE_API int tare_session_close(struct lua_State *L, int session);

/*
** Frames of a whole session, none of them lost, in memory that does not grow:
**
**   tare_frames *frames = tare_frames_new(L, NULL);    -- the value on the stack
**   int ai = tare_scope(frames, "ai", 2.0);
**   for (;;) {                                         -- the host's loop
**     tare_frame_begin(frames);
**     tare_scope_begin(frames, ai); ...; tare_scope_end(frames, ai);
**     tare_frame_end(frames);
**   }
**
** Functions of a frame or scope call no Lua code and need no memory (unless
** Lua code streams the frames: recorder:stream). Where a recorder is NULL, as
** after tare_frames_new failed, or closed by a script (its `__gc`), they do nothing
** and return TARE_FAILED, or -1 for a scope: a game runs on without one.
*/
typedef struct tare_frames tare_frames;

typedef struct tare_frames_options {
  double budget_ms; /* of a frame; 0: 1000 / 60; at most 1e12 */
  /* Latest frames kept one by one, for "csv", "perfetto"; 0: 1000; at most 1e7. */
  size_t ring;
  /*
  ** 1: in a frame the collector's steps run where a scope begins or ends, or the
  ** frame does, and are timed: of each frame and scope its collector's part is
  ** known. 0: when Lua finds it due, as ever. Lua 5.3, 5.4 and LuaJIT; elsewhere
  ** tare_frames_new fails. A collector that the host has stopped stays so. What
  ** finalizers raise is lost.
  */
  int paced;
} tare_frames_options;

/*
** Pushes a recorder, what `tare.frames` gives to Lua code, and returns it; NULL
** after an error. It lives as long as the value: keep that in the registry, or
** as a global for scripts to use. 'options' may be NULL. 'L' must live as long
** as the recorder: not a coroutine that ends before.
*/
TARE_API tare_frames *tare_frames_new(struct lua_State *L,
                                      const tare_frames_options *options);

/* A frame begins; one that did not end, after an error, is none. */
TARE_API void tare_frame_begin(tare_frames *frames);

/*
** The frame has ended, and is recorded. What returns TARE_FAILED here and below
** leaves nothing on the stack, but a text for tare_frames_message, and records
** nothing: the frame or scope stays open. The collector's part of this frame is
** not known, unless frames are paced.
*/
TARE_API int tare_frame_end(tare_frames *frames);

/*
** The same, with the collector's part of the frame: nanoseconds that the host
** measured around its steps of the collector, or around tare_policy_after. More
** than the frame took counts as all of it. What is paced is added.
*/
TARE_API int tare_frame_finish(tare_frames *frames, uint64_t collector_ns);

/*
** Instead of begin and end, a frame that the host measured; in nanoseconds. It has
** no scopes, and a frame that was begun is dropped. In a trace it begins where the
** frame before it ended: a recorder that is given frames of both kinds may have
** some there that overlap. What is longer than 10^18 ns, as a difference that
** became negative is, is refused.
*/
TARE_API int tare_frame_push(tare_frames *frames, uint64_t ns,
                             uint64_t collector_ns);

/*
** The number of the scope of that name, made when first asked for; -1 if there
** are 32 already, no memory, no name (NULL), or a budget below 0. (In Lua its
** handle is that number plus 1.) budget_ms: of each frame; 0: none. Asked for
** again, the new budget is the scope's. A number that is no scope's, as -1, is
** refused by the functions below.
*/
TARE_API int tare_scope(tare_frames *frames, const char *name,
                        double budget_ms);

/* A part of the frame begins; scopes may be in others. */
TARE_API int tare_scope_begin(tare_frames *frames, int scope);

/* The scope ends that began last. */
TARE_API int tare_scope_end(tare_frames *frames, int scope);

/*
** What follows is another level, scene...: a result has figures for each. Of more
** than 64 the rest is in streams only, which is TARE_FAILED.
*/
TARE_API int tare_frames_mark(tare_frames *frames, const char *name);

/*
** What was wrong when one of those above or a stream last failed; "" again once a
** frame begins or is pushed. So a host may look once, where the frame has ended; of
** what it calls outside of frames it looks at what that returns.
*/
TARE_API const char *tare_frames_message(const tare_frames *frames);

/* What there is until now; NaN where there is no value yet. */
typedef struct tare_frames_now {
  double frames, over, stutters; /* counts */
  double p50_ms, p99_ms, max_ms;
  double low1_ms, low01_ms; /* mean of the slowest 1 and 0.1 % */
  double heap_bytes;
  /* The collector's part, of frames where it is known. */
  double collector_p99_ms, collector_share;
} tare_frames_now;

/*
** For an overlay: some microseconds, after an hour as after a second. Of NULL: no
** frames. Those of a scope are in `recorder:result()` (Lua), and in what is written.
*/
TARE_API void tare_frames_live(const tare_frames *frames, tare_frames_now *now);

/*
** Takes a part of a text; what is not TARE_OK stops the writing. It must neither
** raise Lua errors nor throw.
*/
typedef int (*tare_write)(void *ud, const char *text, size_t length);

/*
** Writes all that is known of the frames: as "json" (NULL stands for it), a
** capture that `tare frames` reads; as "html", "text" or "markdown", a report; the
** latest frames ('ring' above) one by one as "csv" or, for ui.perfetto.dev, as
** "perfetto". Takes memory and milliseconds: for the end of a session, or a menu.
** After TARE_FAILED the error value is on top of the stack of the lua_State that
** tare_frames_new had (of none, where 'frames' is NULL).
*/
TARE_API int tare_frames_write(tare_frames *frames, const char *format,
                               tare_write write, void *ud);

/*
** Streams each frame, scope and mark from now on, as "csv" or "perfetto", in
** parts of 8 kB and more, after the frame that fills one; a session of hours
** needs no more memory than one of seconds. 'write' must not use the recorder.
*/
TARE_API int tare_frames_stream(tare_frames *frames, const char *format,
                                tare_write write, void *ud);

/*
** Hands out the rest and ends the stream; TARE_FAILED if 'write' had stopped it,
** or there was none. A recorder that goes away before it loses the rest.
*/
TARE_API int tare_frames_stream_end(tare_frames *frames);

/*
** Pushes a policy of the collector: "automatic" (as it is), "incremental",
** "generational" (5.4 and 5.5), "step" or "spare", as `tare.frames` with a
** function recommends one. 'settings': number of the stack's slot with a table
** over its own (pause, step_multiplier...), or 0. The collector is the policy's
** from here until it is closed. Like a session it is a value: keep it on the
** stack, or in the registry. One that is dropped without being closed leaves the
** collector as it is: stopped, after "step" and "spare". While there are several,
** the collector is that of the one which began last.
*/
TARE_API int tare_policy_new(struct lua_State *L, const char *name,
                             int settings);

/*
** Before the end of each frame: collects as the policy does. 'left_ms': the
** milliseconds that are left of the frame's budget, below 0 if it is exceeded;
** "spare" uses them. Makes no garbage. Of a closed policy: does nothing, and is
** TARE_OK. What "spare" took beyond its time is in the policy's fields `overruns`
** and `overrun_ms` (lua_getfield).
*/
TARE_API int tare_policy_after(struct lua_State *L, int policy, double left_ms);

/* Gives the collector back as it was found. Again does no harm. */
TARE_API int tare_policy_close(struct lua_State *L, int policy);

/* Opens the C core in 'L': pushes the table of the module 'tare.core'. */
TARE_API int luaopen_tare_core(struct lua_State *L);

#ifdef __cplusplus
}
#endif

#endif
