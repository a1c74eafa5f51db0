#include "state/idle.h"

#include <math.h>

#include "state/batch.h"
#include "state/pace.h"

#define ROUNDS 8   /* of which the least counts */
#define REPEATS 16 /* in each */

static double mean_ns(uint64_t start, uint64_t end) {
  return (double)(end - start) / REPEATS;
}

/* Mean time of an empty call and a reading of the clock. */
static double call_round_ns(lua_State *L, const tare_clock *c, int index) {
  uint64_t start = tare_now(c), end = start;
  int i;
  for (i = 0; i < REPEATS; i++) {
    lua_pushvalue(L, index);
    tare_push_count(L, 0.0);
    lua_call(L, 1, 0);
    end = tare_now(c);
  }
  return mean_ns(start, end);
}

/* Mean time of an idle look and a reading of the clock. */
static double look_round_ns(lua_State *L, const tare_clock *c) {
  uint64_t start = tare_now(c), end = start;
  int i;
  for (i = 0; i < REPEATS; i++) {
    tare_pace_look_idly(L, i);
    end = tare_now(c);
  }
  return mean_ns(start, end);
}

double tare_idle_call_ns(lua_State *L, const tare_clock *c, int index) {
  double least = INFINITY;
  int i;
  for (i = 0; i < ROUNDS; i++) least = fmin(least, call_round_ns(L, c, index));
  return least;
}

double tare_idle_look_ns(lua_State *L, const tare_clock *c) {
  double least = INFINITY;
  int i;
  for (i = 0; i < ROUNDS; i++) least = fmin(least, look_round_ns(L, c));
  return least;
}
