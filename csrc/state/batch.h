/*
** The timed batch: one protected call between two readings of the clock.
** Everything else that a row records is read outside of the timed region.
*/
#ifndef TARE_BATCH_H
#define TARE_BATCH_H

#include "compat.h"
#include "platform/chain.h"
#include "platform/clock.h"
#include "platform/perf.h"
#include "platform/switches.h"
#include "pure/samples.h"
#include "state/gcwatch.h"
#include "state/memcap.h"

typedef struct tare_meter {
  tare_clock wall;
  tare_clock cpu;           /* 'now' NULL: CPU time is not recorded */
  tare_perf perf;           /* hardware counters, of timed batches */
  tare_gcwatch *watch;      /* counts collections; or NULL */
  size_t chain_steps;       /* length of the core-cycle chain; 0: none */
  double stolen_ns;         /* how long to look for stolen time after batches at
                               least four times as long; 0: never */
  size_t cap_bytes;         /* most bytes a batch may allocate; 0: no limit */
  tare_memcap *cap;         /* of the current or the last batch; or NULL */
  uint64_t epoch_ns;        /* 'start_ns' counts from here */
  uint64_t shift;           /* random state of tare_shift_stack() */
  uint64_t branches;        /* random state of tare_predictor_clear(), not 0 */
  tare_manual_clock manual; /* the clock behind 'wall' in tests */
} tare_meter;

/* Reads the core-cycle chain; NaN where the meter has none. */
tare_chain_reading tare_meter_chain(const tare_meter *m);

/* Stores the chain's readings before and after the batch in its row. */
void tare_keep_chain(tare_samples *s, size_t row, tare_chain_reading before,
                     tare_chain_reading after);

/* How long and how undisturbed the process has run so far. */
typedef struct tare_core_reading {
  tare_switches switches;
  uint64_t cpu_ns;
} tare_core_reading;

/* Reads both; all 0 where the meter records no CPU time. */
tare_core_reading tare_meter_core(const tare_meter *m);

/* Stores the batch's CPU time, preemptions and waits in its row. */
void tare_keep_core(const tare_meter *m, tare_samples *s, size_t row,
                    const tare_core_reading *before,
                    const tare_core_reading *after);

/*
** Puts a random number of empty slots below the topmost 'values' values of the
** stack, so that the frames of functions called next are at another place.
** Returns that number. tare_unshift_stack() removes the slots; if 'status' is
** not LUA_OK, the error value on top stays.
*/
int tare_shift_stack(lua_State *L, tare_meter *m, int values);
void tare_unshift_stack(lua_State *L, int slots, int status);

/*
** Calls the function below its 'nargs' arguments on the stack, protected and
** timed as one batch of 'iters' calls, pops them all and appends a row to 's'.
** Returns LUA_OK, or the status of the failed call with its error value on top
** of the stack and no row. The function may close the meter, but the meter's
** watch must live until this returns.
*/
int tare_batch_time(lua_State *L, tare_meter *m, tare_samples *s, int nargs,
                    double iters);

/*
** Pushes the message for a function that has closed the store of its row.
** Returns the status of a failed call.
*/
int tare_batch_closed(lua_State *L);

/*
** Pushes a C function (f, count, ...) that calls f(...) 'count' times: the loop
** of kind 'call'.
*/
void tare_batch_push_caller(lua_State *L);

/*
** Pushes a C function and its argument. It calls itself 'depth' levels deep, so
** that the state has call frames for as many.
*/
void tare_batch_push_nest(lua_State *L, int depth);

/* Pushes 'count' as an integer if it fits: a 'for' loop is fastest with it. */
void tare_push_count(lua_State *L, double count);

#endif
