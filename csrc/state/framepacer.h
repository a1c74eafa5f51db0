/*
** The collector's part of frames and scopes: from where a frame begins to where
** it ends the collector is held (state/pace.h), and where a scope begins or ends,
** or the frame does, the steps run that have become due, and are timed. So the
** work that a scope's allocations cause is done in it. Between frames the
** collector runs by itself.
**
** It is held by a loan of some more bytes than frames lately allocated between
** two such places. Beyond that it runs by itself: in a frame that loads a level,
** and where a frame never ends. So nothing that happens to a recorder can leave a
** state whose heap grows without end. That is why Lua 5.1, 5.2 and 5.5, where the
** collector can only be stopped, have none of this.
*/
#ifndef TARE_FRAMEPACER_H
#define TARE_FRAMEPACER_H

#include "platform/clock.h"
#include "state/gcwatch.h"
#include "state/pace.h"

typedef struct tare_framepacer {
  tare_pace pace;
  tare_gcwatch *watch; /* armed; borrowed, as is the clock */
  const tare_clock *clock;
  unsigned long collections; /* at the last look */
  double peak_bytes;         /* most bytes between two looks, decaying */
  double look_ns;            /* cost of a look that finds nothing due */
  uint64_t look_began;       /* the one under way */
  int is_looking;            /* whether there is one */
  double collector_ns;       /* of the present frame */
  /* Frames in which it also ran by itself; in which the host had stopped it. */
  double untimed, stopped;
  int is_untimed, is_stopped; /* whether the present frame is one */
} tare_framepacer;

/*
** Begins in a state whose collector may run a full collection here, so that it is
** known where it is. 0: this Lua's can't be held. May raise.
*/
int tare_framepacer_init(lua_State *L, tare_framepacer *p, tare_gcwatch *watch,
                         const tare_clock *clock);

/* A frame begins. None of these raises: what finalizers raise is lost. */
void tare_framepacer_begin(lua_State *L, tare_framepacer *p);

/* A scope begins or ends. Runs what is due, and adds it to collector_ns. */
void tare_framepacer_look(lua_State *L, tare_framepacer *p);

/*
** The same at the end of the frame; lets go of the collector. Returns what of the
** frame was the collector's; NaN: not known, the host had stopped it.
*/
double tare_framepacer_finish(lua_State *L, tare_framepacer *p);

/* Lets go of it in a frame that is none. Harmless outside of one. */
void tare_framepacer_drop(lua_State *L, tare_framepacer *p);

#endif
