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
** Every function returns TARE_FAILED after an error, and leaves the error
** value (mostly a text) on top of the stack; lack of memory is such an error.
** None raises, exits, prints, writes to a file or handles signals, and there
** is no state outside the lua_State: each state may be used by another thread.
** They need a stack with 8 free slots, as any C function has.
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
** called by the thread that called tare, and must not raise Lua errors.
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
** Opens tare in 'L' and pushes the module, what `require "tare"` gives. Where
** the state has package.preload, `require "tare"` works in it from now on.
** '*host' (NULL: all defaults) is copied; what its 'ud' points to must live as
** long as the state. Opened again, the first host stays.
*/
TARE_API int tare_open(struct lua_State *L, const tare_host *host);

/*
** Pushes a session over what Lua source of 'length' bytes returns: a suite or a
** list of suites, and after it, optionally, a table of options ({quota =
** "500ms"}). The source gets the module 'tare' as its argument (`local tare =
** ...`). 'name' is for messages, as in luaL_loadbuffer. The session is a value
** like any other: keep it on the stack, or in the registry.
*/
TARE_API int tare_session_new(struct lua_State *L, const char *source,
                              size_t length, const char *name);

/*
** Measures for about so many milliseconds, in whole batches; the last steps
** analyse. TARE_OK: there is more to do; TARE_DONE: all is measured and
** analysed. '*progress' (unless NULL) becomes the share that is done, 0 to 1.
*/
TARE_API int tare_session_step(struct lua_State *L, int session,
                               double budget_ms, double *progress);

/*
** Pushes the report of what was measured until now as a text, in any format
** that tare renders: "json" (NULL stands for it), "text", "html"... After
** TARE_DONE it only has to be rendered, a few milliseconds a bench; before, and
** after cancelling, it is analysed in one go, some tens of milliseconds each.
*/
TARE_API int tare_session_report(struct lua_State *L, int session,
                                 const char *format);

/* Hands the report in a format (NULL: "text") to the host's 'print'. */
TARE_API int tare_session_print(struct lua_State *L, int session,
                                const char *format);

/* Ends the measuring; what was measured until now can still be reported. */
TARE_API int tare_session_cancel(struct lua_State *L, int session);

/*
** Ends the measuring and lets go of what was measured. A session need not be
** closed before its state is; but then no teardown of a bench is run.
*/
TARE_API int tare_session_close(struct lua_State *L, int session);

/* Opens the C core in 'L': pushes the table of the module 'tare.core'. */
TARE_API int luaopen_tare_core(struct lua_State *L);

#ifdef __cplusplus
}
#endif

#endif
