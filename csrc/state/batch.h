/*
** The timed batch: one protected call between two readings of the clock, and
** around it, outside of the timed region, everything else a row records.
*/
#ifndef TARE_BATCH_H
#define TARE_BATCH_H

#include "compat.h"
#include "platform/chain.h"
#include "platform/clock.h"
#include "platform/switches.h"
#include "pure/samples.h"
#include "state/gcwatch.h"
#include "state/memcap.h"

typedef struct tare_meter {
  tare_clock wall;
  tare_clock cpu;           /* 'now' NULL: CPU time is not recorded */
  tare_gcwatch *watch;      /* counts collections, kept by it; or NULL */
  size_t chain_steps;       /* length of the core-cycle chain; 0: none */
  size_t cap_bytes;         /* that a batch may allocate; 0: any amount */
  tare_memcap cap;          /* of the batch that runs, or ran last */
  uint64_t epoch_ns;        /* 'start_ns' counts from here */
  tare_manual_clock manual; /* what 'wall' reads in tests */
} tare_meter;

/* Reads the core-cycle chain; NaN where the meter has none. */
tare_chain_reading tare_meter_chain(const tare_meter *m);

/* Keeps in a row what the chain said before and after its batch. */
void tare_keep_chain(tare_samples *s, size_t row, tare_chain_reading before,
                     tare_chain_reading after);

/* What the thread had of its core so far. */
typedef struct tare_core_reading {
  tare_switches switches;
  uint64_t cpu_ns;
} tare_core_reading;

/* Reads it; nothing where the meter records no CPU time. */
tare_core_reading tare_meter_core(const tare_meter *m);

/* Keeps in a row what of its time the thread had a core, and why not all. */
void tare_keep_core(const tare_meter *m, tare_samples *s, size_t row,
                    const tare_core_reading *before,
                    const tare_core_reading *after);

/*
** Calls the function below its 'nargs' arguments on the stack, protected and
** timed as one batch of 'iters' calls, pops them all and appends a row to 's'.
** Returns LUA_OK, or the status of the failed call with its error value on
** top of the stack and no row.
*/
int tare_batch_time(lua_State *L, tare_meter *m, tare_samples *s, int nargs,
                    double iters);

/*
** Pushes a C function that calls its first argument as often as its second
** says, with the rest as arguments: the loop of kind 'call'.
*/
void tare_batch_push_caller(lua_State *L);

/*
** Pushes a C function and an argument for it: called, it calls itself so many
** levels deep, so that the state has frames for as many.
*/
void tare_batch_push_nest(lua_State *L, int depth);

/* Pushes a count of calls as the integer that a 'for' loop is fastest with. */
void tare_push_count(lua_State *L, double count);

#endif
