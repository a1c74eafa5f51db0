/*
** Separates mutator and collector: the collector is driven at its own pace
** (state/pace.h) between short chunks of calls, each side timed by itself.
**
** A chunk ends where the next step is due, to the call: a call that allocates
** more than the collector waits for gets its steps afterwards, where they find
** dead what it held. For such calls steps can be taken inside, from a hook on
** every few instructions. That makes the mutator slower, so only the collector
** is timed then. Code that LuaJIT compiled calls no hooks.
*/
#ifndef TARE_PACER_H
#define TARE_PACER_H

#include "pure/histogram.h"
#include "pure/samples.h"
#include "state/batch.h"
#include "state/pace.h"

typedef struct tare_pacer {
  tare_pace pace;          /* carries over from batch to batch */
  tare_gcwatch *watch;     /* counts collections; the owner's, not armed */
  tare_histogram *pauses;  /* of the steps; the owner's, outside the heap */
  double recent_calls;     /* of the last steps, fading */
  double recent_bytes;     /* allocated by them */
  double peak_bytes;       /* most allocated between looks, fading */
  double call_ns, look_ns; /* cost of an empty chunk and of an empty look */
} tare_pacer;

/* An empty pacer; 'watch' and 'pauses' must outlive it. */
void tare_pacer_init(tare_pacer *p, tare_gcwatch *watch,
                     tare_histogram *pauses);

/*
** Takes two functions from the stack: a loop, called with numbers of calls
** that add up to 'iters', the collector in between; and above it one that is
** called with 0, to know what such a call costs by itself (the loop again, if
** that does no harm). 'inside': whether steps are taken in the midst of calls;
** the row has no mutator's time then. Appends a row to 's'. Returns LUA_OK, or the status of
** the failed call with its error value on top of the stack and no row. The
** automatic collector is as before, its pace carried on.
*/
int tare_pacer_run(lua_State *L, tare_pacer *p, const tare_meter *m,
                   tare_samples *s, double iters, int inside);

#endif
