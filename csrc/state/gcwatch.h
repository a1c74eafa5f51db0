/*
** Counts the collections of a Lua state, with nothing but its public API.
**
** A small userdata that nobody refers to is finalized at the end of every
** collection, and then makes its successor: that counts collections of any
** kind. In generational mode (5.4) an object that became old while referred
** to, and then was let go, is only found dead by a major collection: a weak
** reference to it tells major from minor. In incremental mode, and on
** versions that have no other, each cycle is a major collection.
**
** Emergency collections (5.4, when the allocator fails) call no finalizer
** and are not seen.
*/
#ifndef TARE_GCWATCH_H
#define TARE_GCWATCH_H

#include "compat.h"

#define TARE_GCWATCH "tare.gcwatch"

/* Lives in a userdata; the sentinels point to it as long as it does. */
typedef struct tare_gcwatch {
  unsigned long cycles;           /* collections that were seen */
  unsigned long majors;           /* those of them that were major */
  int armed;                      /* whether they are counted */
  int has_slots;                  /* what must stay alive is kept */
  struct tare_sentinel *sentinel; /* which one is current, or NULL */
} tare_gcwatch;

/* Pushes the metatable of watches, made when first asked for. */
void tare_gcwatch_metatable(lua_State *L);

/*
** Pushes a new watch, not armed. In 5.4 it runs a full collection, so that
** what tells major from minor is old.
*/
tare_gcwatch *tare_gcwatch_new(lua_State *L);

/*
** Counts from now on. Allocates only when no sentinel is left from before,
** and only then can it raise (no memory).
*/
void tare_gcwatch_arm(lua_State *L, tare_gcwatch *w);

/* Counts no longer. Touches no Lua state; never fails. */
void tare_gcwatch_disarm(tare_gcwatch *w);

/*
** The same without a finalizer, for who looks after every step of the
** collector: a weak reference to an object that nobody refers to. Counts from
** now on what polls see. May raise (no memory).
*/
void tare_gcwatch_mark(lua_State *L, tare_gcwatch *w);

/*
** Whether a collection has marked what is alive since the last poll or mark;
** if so counts it. A watch is either armed or polled. May raise (no memory).
*/
typedef enum tare_seen {
  TARE_SEEN_NONE,
  TARE_SEEN_MINOR,
  TARE_SEEN_MAJOR
} tare_seen;
tare_seen tare_gcwatch_poll(lua_State *L, tare_gcwatch *w);

/* Counts a collection that is known to have been, and tells its kind. */
tare_seen tare_gcwatch_count(lua_State *L, tare_gcwatch *w);

#endif
