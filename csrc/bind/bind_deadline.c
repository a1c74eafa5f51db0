/*
** core.deadline: ends a call that does not return, by a hook that is set from
** outside of it, once it is late. Until then the call is as any other.
*/
#include "bind/bind.h"

#include <string.h>

#include "platform/alarm.h"
#include "state/hook.h"
#include "state/keep.h"

#define TARE_DEADLINE "tare.deadline"

typedef struct deadline {
  tare_alarm alarm;
  lua_State *L; /* that runs the call */
  lua_Number seconds;
  struct deadline *outer; /* a call of tare may be within another */
  volatile sig_atomic_t reached;
} deadline;

/* Its address is the key, in the registry, of the deadline that is active. */
static const char key = 'd';

static deadline *active(lua_State *L) {
  return (deadline *)tare_kept(L, &key);
}

/* May need memory where there was none active; not again after that. */
static void set_active(lua_State *L, deadline *d) {
  lua_pushlightuserdata(L, d); /* NULL: none, in a slot that stays */
  tare_keep(L, &key);
}

static void raise_late(lua_State *L, lua_Debug *ar) {
  const deadline *d = active(L);
  (void)ar;
  if (d == NULL) return;
  lua_pushfstring(L, "timed out: it had not come back after %f s", d->seconds);
  lua_error(L);
}

/*
** Within a signal's handler, in the thread of the state: what lua.c does there
** too. The hook is looked at before the next instruction, and stays, so that a
** call that catches the error does not get far.
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
  refusal = tare_alarm_begin(&d->alarm, (uint64_t)9e18); /* can it be? */
  tare_alarm_end(&d->alarm);
  if (refusal == NULL) return 1;
  lua_pushnil(L);
  lua_pushstring(L, refusal);
  return 2;
}

/*
** deadline:call(f, ...) -> the first two results of f(...); raises its error.
** One that has not come back by then raises the deadline's, at the next
** instruction of Lua in this coroutine.
*/
static int deadline_call(lua_State *L) {
  deadline *d = check_deadline(L);
  tare_hook hook = tare_hook_get(L);
  int status;
  luaL_checkany(L, 2);
  d->outer = active(L);
  set_active(L, d);
  d->L = L;
  d->reached = 0;
  (void)tare_alarm_begin(&d->alarm, (uint64_t)(d->seconds * 1e9));
  status = lua_pcall(L, lua_gettop(L) - 2, 2, 0);
  tare_alarm_end(&d->alarm);
  tare_hook_put(L, &hook);
  set_active(L, d->outer);
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

static const luaL_Reg methods[] = {
    {"call", deadline_call},
    {"reached", deadline_reached},
    {"__gc", deadline_gc},
    {NULL, NULL},
};

void tare_bind_deadline(lua_State *L) {
  luaL_newmetatable(L, TARE_DEADLINE);
  luaL_setfuncs(L, methods, 0);
  lua_pushvalue(L, -1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  lua_pushcfunction(L, deadline_new);
  lua_setfield(L, -2, "deadline");
}
