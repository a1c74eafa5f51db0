/*
** core.deadline: ends a call that does not return in time, by a hook that a
** timer sets. Until then the call runs without a hook.
*/
#include "bind/bind.h"

#include <string.h>

#include "bind/userdata.h"
#include "platform/alarm.h"
#include "pure/json.h"
#include "state/hook.h"
#include "state/keep.h"

#define TARE_DEADLINE "tare.deadline"

typedef struct deadline {
  tare_alarm alarm;
  lua_State *L; /* that runs the call */
  lua_Number seconds;
  struct deadline *outer; /* a call of tare may be within another */
  int is_running;
  volatile sig_atomic_t reached;
} deadline;

/* Its address is the key, in the registry, of the deadline that is active. */
static const char key = 'd';

static deadline *active(lua_State *L) {
  return (deadline *)tare_kept(L, &key);
}

/* The outermost deadline that was reached, or NULL. */
static const deadline *late(lua_State *L) {
  const deadline *d = active(L), *found = NULL;
  for (; d != NULL; d = d->outer)
    if (d->reached) found = d;
  return found;
}

static void raise_late(lua_State *L, lua_Debug *ar) {
  const deadline *d = late(L);
  char seconds[TARE_JSON_NUMBER_SIZE];
  (void)ar;
  if (d == NULL) return;
  (void)tare_json_number(seconds, d->seconds); /* a point in every locale */
  lua_pushfstring(L, "timed out: it had not returned after %s s", seconds);
  lua_error(L);
}

/*
** Runs in a signal handler, in the thread of the state, and sets a hook as
** lua.c does. The hook runs before the next instruction and stays set, so that
** a call that catches the error does not get far.
*/
static void set_hook(void *ud) {
  deadline *d = (deadline *)ud;
  d->reached = 1;
  lua_sethook(d->L, raise_late, LUA_MASKCOUNT, 1);
}

static deadline *check_deadline(lua_State *L) {
  return (deadline *)luaL_checkudata(L, 1, TARE_DEADLINE);
}

/* deadline(ns) -> deadline | nil, message */
static int deadline_new(lua_State *L) {
  lua_Number ns = luaL_checknumber(L, 1);
  const char *refusal;
  deadline *d;
  luaL_argcheck(L, ns >= 1 && ns < 9e18, 1, "must be in [1, 9e18)");
  d = (deadline *)lua_newuserdata(L, sizeof *d);
  memset(d, 0, sizeof *d);
  d->seconds = ns / 1e9;
  d->alarm.ring = set_hook;
  d->alarm.ud = d;
  luaL_setmetatable(L, TARE_DEADLINE);
  d->L = L;
  refusal = tare_alarm_begin(&d->alarm, (uint64_t)9e18); /* is it possible? */
  tare_alarm_end(&d->alarm);
  if (refusal == NULL) return 1;
  lua_pushnil(L);
  lua_pushstring(L, refusal);
  return 2;
}

/*
** deadline:call(f, ...) -> the first two results of f(...); raises its error.
** A call that is late raises the deadline's error, at the next instruction of
** Lua in this coroutine.
*/
static int deadline_call(lua_State *L) {
  deadline *d = check_deadline(L);
  tare_hook hook = tare_hook_get(L);
  int status;
  luaL_checkany(L, 2);
  luaL_argcheck(L, !d->is_running, 1, "a call of it is under way");
  d->outer = active(L);
  tare_keep_address(L, &key, d);
  d->is_running = 1;
  d->L = L;
  d->reached = 0;
  (void)tare_alarm_begin(&d->alarm, (uint64_t)(d->seconds * 1e9));
  status = lua_pcall(L, lua_gettop(L) - 2, 2, 0);
  tare_alarm_end(&d->alarm);
  tare_hook_put(L, &hook);
  tare_keep_address(L, &key, d->outer);
  d->is_running = 0;
  return status == LUA_OK ? 2 : lua_error(L);
}

/* deadline:reached() -> whether the last call was late */
static int deadline_reached(lua_State *L) {
  lua_pushboolean(L, check_deadline(L)->reached);
  return 1;
}

static int deadline_gc(lua_State *L) {
  tare_alarm_free(&check_deadline(L)->alarm);
  return 0;
}

/*
** without_yields(f, ...) -> the results of f(...); raises its error. A yield in
** it is an error of the interpreter's, since this function can't be resumed.
*/
static int without_yields(lua_State *L) {
  luaL_checkany(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

static const luaL_Reg methods[] = {
    {"call", deadline_call},
    {"reached", deadline_reached},
    {"__gc", deadline_gc},
    {NULL, NULL},
};

void tare_bind_deadline(lua_State *L) {
  tare_define_type(L, TARE_DEADLINE, methods, 0);
  lua_pushcfunction(L, deadline_new);
  lua_setfield(L, -2, "deadline");
  lua_pushcfunction(L, without_yields);
  lua_setfield(L, -2, "without_yields");
}
