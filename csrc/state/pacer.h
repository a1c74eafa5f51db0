/*
** Times the function and the collector separately: tare runs the collector's
** steps, at the collector's own pace (state/pace.h), between short chunks of
** calls, and times the chunks and the steps.
**
** A chunk ends after the call in which the next step becomes due. If one call
** allocates enough for several steps, these come too late: objects that the
** call held are garbage by then. For such calls, steps can run inside the call,
** from a count hook. The hook makes the function slower, so only the collector
** is timed then. Code that LuaJIT has compiled calls no hooks.
*/
#ifndef TARE_PACER_H
#define TARE_PACER_H

#include "pure/histogram.h"
#include "pure/samples.h"
#include "state/batch.h"
#include "state/pace.h"

/* A new one is all 0, except for what it borrows, which must outlive it. */
typedef struct tare_pacer {
  tare_pace pace;          /* carries over from batch to batch */
  tare_gcwatch *watch;     /* counts collections; not armed; borrowed */
  tare_histogram *pauses;  /* times of the steps; outside the heap; borrowed */
  double recent_calls;     /* recent calls; older ones weigh less */
  double recent_bytes;     /* bytes that these allocated */
  double peak_bytes;       /* most bytes between two looks, decaying */
  double call_ns, look_ns; /* cost of an empty chunk and of an empty look */
  double short_ns;         /* time of the shortest recent step, growing */
} tare_pacer;

/*
** Pops two functions. The lower one is the loop: it is called with numbers of
** calls that add up to 'iters', and the collector's steps run in between. The
** upper one is called with 0, to measure what calling a loop costs; it may be
** the same loop, if a call with 0 has no effect. With 'inside', steps run
** inside calls and the row has no MUTATOR_NS. Appends a row to 's'. Returns
** LUA_OK, or the status of the failed call, with its error value on top of the
** stack and no row. The automatic collector continues as before, at its own
** pace.
*/
int tare_pacer_run(lua_State *L, tare_pacer *p, tare_meter *m, tare_samples *s,
                   double iters, int inside);

#endif
