/*
** Counts the collections of a Lua state, with nothing but its public API.
**
** While the watch is armed: a small userdata without references (the sentinel)
** is finalized at the end of every collection, of any kind, and then creates
** its successor. The finalizer counts. Code that looks after every step of the
** collector polls a weak reference instead. Each way has its own counts, so
** polling does not change the counts of the armed watch.
**
** The finalizers of other objects may run before the sentinel's. A sentinel
** that is dead, but not finalized yet when the watch is disarmed, is counted at
** that moment.
**
** In generational mode (5.4 and later) only a major collection frees an old
** object that is no longer referenced. A weak reference to such an object
** therefore distinguishes major from minor collections. In incremental mode,
** and in versions without generations, each cycle is a major collection. There,
** an object released while a cycle is marking may survive that cycle. A
** collection for which this is possible is classified by the collector's mode
** instead (state/gcsettings.h).
**
** Emergency collections (5.2 and later, when the allocator fails) call no
** finalizer and are only seen by polls.
**
** Once somebody has called the finalizer of a watch, it counts nothing any
** more.
*/
#ifndef TARE_GCWATCH_H
#define TARE_GCWATCH_H

#include "compat.h"

#define TARE_GCWATCH "tare.gcwatch"

/* What was counted in one of two ways. */
typedef struct tare_gccount {
  unsigned long collections; /* that were seen */
  unsigned long majors;      /* those of them that were major */
  unsigned long newer;       /* those after the last major one */
  int is_unsure; /* the old object may have been released during a cycle */
} tare_gccount;

/* Lives in a userdata; the sentinels point to it as long as it does. */
typedef struct tare_gcwatch {
  tare_gccount armed_count;       /* by sentinels */
  tare_gccount polled_count;      /* by polls */
  int armed;                      /* whether sentinels count */
  int has_slots;                  /* the registry holds our objects */
  struct tare_sentinel *sentinel; /* the current one, or NULL */
} tare_gcwatch;

/* Pushes the metatable of watches, made when first asked for. */
void tare_gcwatch_metatable(lua_State *L);

/*
** Pushes a new watch, not armed. From 5.4 on it runs a full collection, which
** makes the object that distinguishes major from minor collections old.
*/
tare_gcwatch *tare_gcwatch_new(lua_State *L);

/*
** Counts from now on. Allocates only when no sentinel is left from before,
** and only then can it raise (no memory).
*/
void tare_gcwatch_arm(lua_State *L, tare_gcwatch *w);

/* Counts no longer. Raises nothing. */
void tare_gcwatch_disarm(lua_State *L, tare_gcwatch *w);

/* What was counted while armed. May raise (no memory). */
const tare_gccount *tare_gcwatch_counts(lua_State *L, tare_gcwatch *w);

/* Starts the counts of polls. May raise (no memory). */
void tare_gcwatch_mark(lua_State *L, tare_gcwatch *w);

/*
** Whether a collection has finished marking since the last poll or mark; if so
** counts it. May raise (no memory).
*/
typedef enum tare_seen {
  TARE_SEEN_NONE,
  TARE_SEEN_MINOR,
  TARE_SEEN_MAJOR
} tare_seen;
tare_seen tare_gcwatch_poll(lua_State *L, tare_gcwatch *w);

/* Counts, as a poll, a collection known to have happened. Returns its kind. */
tare_seen tare_gcwatch_count(lua_State *L, tare_gcwatch *w);

#endif
