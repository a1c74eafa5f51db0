/*
** Functions that the bindings share: checks of arguments, and the functions
** that add each part to the module table.
*/
#ifndef TARE_BIND_H
#define TARE_BIND_H

#include "compat.h"
#include "pure/samples.h"

#define TARE_SAMPLES "tare.samples"
#define TARE_METER "tare.meter"

struct tare_meter; /* state/batch.h */

/* The store at index 'i', or a Lua error that names the argument. */
tare_samples *tare_check_samples(lua_State *L, int i);
/* The same, for adding a row: an error if the store is closed. */
tare_samples *tare_check_open_samples(lua_State *L, int i);

/* The meter at index 'i', or a Lua error that names the argument. */
struct tare_meter *tare_check_meter(lua_State *L, int i);

/*
** Copies the list of numbers at index 'i' into a userdata that it pushes;
** '*n' becomes its length. 'extra' doubles of scratch follow the values.
** Raises a Lua error where there is no value, or one that is no number, NaN,
** infinite or beyond 1e150. tare_check_ordered accepts values that are infinite
** or beyond 1e150, and has no scratch.
*/
double *tare_check_numbers(lua_State *L, int i, size_t *n, size_t extra);
double *tare_check_ordered(lua_State *L, int i, size_t *n);

/* A number of calls at index 'i', or a Lua error that names the argument. */
double tare_check_iters(lua_State *L, int i);

/*
** Leaves the results of a protected call for its caller in Lua: pushes true if
** 'status' is LUA_OK, else inserts nil below the error value. Returns the
** number of values.
*/
int tare_push_outcome(lua_State *L, int status);

/* A share at index 'i', strictly between 0 and 1, or 'fallback' where absent.*/
double tare_opt_share(lua_State *L, int i, double fallback);

/*
** options.confidence of the table or nil at 'arg', between 0 and 1; 0.95 where
** it is absent.
*/
double tare_opt_confidence(lua_State *L, int arg);

/* Doubles of scratch in a userdata that it pushes. */
double *tare_push_scratch(lua_State *L, size_t count);

/* Pushes xs[0..n-1] as a list. */
void tare_push_numbers(lua_State *L, const double *xs, size_t n);

/* Sets field 'name' of the table on top; NaN leaves it absent. */
void tare_set_number(lua_State *L, const char *name, double value);

/* Sets field 'name' of the table on top to a whole number. */
void tare_set_whole(lua_State *L, const char *name, double value);

/* Pushes {value, low, high}; nil where there is no value. */
void tare_push_estimate(lua_State *L, double value, double low, double high);

/* Adds functions to the table 'stats' of the module table on top. */
void tare_add_stats(lua_State *L, const luaL_Reg *functions);

/* Each adds its part to the module table on top of the stack. */
void tare_bind_samples(lua_State *L);
void tare_bind_json(lua_State *L);
void tare_bind_platform(lua_State *L);
void tare_bind_gc(lua_State *L);
void tare_bind_pacer(lua_State *L);
void tare_bind_meter(lua_State *L);
void tare_bind_deadline(lua_State *L);
void tare_bind_probe(lua_State *L);
void tare_bind_stats(lua_State *L);
void tare_bind_distributions(lua_State *L);
void tare_bind_two_samples(lua_State *L);
void tare_bind_regression(lua_State *L);
void tare_bind_bootstrap(lua_State *L);
void tare_bind_growth(lua_State *L);
void tare_bind_process(lua_State *L);
void tare_bind_profile(lua_State *L);
void tare_bind_frames(lua_State *L);

#endif
