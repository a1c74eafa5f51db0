/*
** The collector's part of frames and scopes. From the beginning of a frame to
** its end the collector is held (state/pace.h). Where a scope begins or ends,
** and where the frame ends, the steps that have become due run, and are timed.
** So the work that a scope's allocations cause is done in that scope. Between
** frames the collector runs by itself.
**
** It is held by a loan of some more bytes than recent frames allocated between
** two such places. Beyond the loan it runs by itself, as in a frame that loads
** a level or that never ends. So whatever happens to a recorder, the heap can't
** grow without end. Lua 5.1, 5.2 and 5.5 have none of this, because there the
** collector can only be stopped.
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
  uint64_t look_began;       /* when the present look began */
  int is_looking;            /* whether a look is under way */
  double collector_ns;       /* of the present frame */
  /*
  ** Frames in which the collector also ran by itself; in which the host had
  ** stopped it.
  */
  double untimed, stopped;
  int is_untimed, is_stopped; /* whether the present frame is one of these */
} tare_framepacer;

/*
** Prepares the pacer. Runs a full collection, unless the collector is stopped,
** so that it is known where the collector is. Returns 0 if this Lua's collector
** can't be held. May raise.
*/
int tare_framepacer_init(lua_State *L, tare_framepacer *p, tare_gcwatch *watch,
                         const tare_clock *clock);

/*
** A frame begins. From here on no function raises: errors of finalizers are
** lost.
*/
void tare_framepacer_begin(lua_State *L, tare_framepacer *p);

/*
** A scope begins or ends. Runs the steps that are due, and adds their time to
** collector_ns.
*/
void tare_framepacer_look(lua_State *L, tare_framepacer *p);

/*
** The same at the end of the frame; then releases the collector. Returns the
** collector's time in the frame; NaN, for not known, if the host had stopped
** it.
*/
double tare_framepacer_finish(lua_State *L, tare_framepacer *p);

/*
** Releases the collector in a frame that is dropped. Harmless outside of a
** frame.
*/
void tare_framepacer_drop(lua_State *L, tare_framepacer *p);

#endif
