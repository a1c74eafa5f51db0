/*
** The C interface to sessions. Each function calls its protected half: a C
** function that was made when tare was opened, for to make one may need memory,
** and then raise where nothing is protected.
*/
#include "tare.h"

#include <string.h>

#include "bind/host.h"
#include "embed/loader.h"

/* Its address is the key, in the registry, of the table of a state. */
static const char state_key = 's';

/* What stands in that table. */
enum { MODULE = 1, HOST, CREATE, STEP, TEXT, PRINT, CANCEL, CLOSE, SLOTS };

/* Arguments and results that are no Lua values. */
typedef struct call {
  const char *text;
  size_t length;
  const char *name;
  double budget_ms, progress;
  int done;
} call;

static call *call_of(lua_State *L) {
  return (call *)lua_touserdata(L, lua_gettop(L));
}

/* Pushes what stands in a slot of the state's table. Allocates nothing. */
static void push_slot(lua_State *L, int slot) {
  lua_pushlightuserdata(L, (void *)&state_key);
  lua_rawget(L, LUA_REGISTRYINDEX);
  if (lua_istable(L, -1)) {
    lua_rawgeti(L, -1, slot);
    lua_remove(L, -2);
  }
}

static int unopened(lua_State *L) {
  return luaL_error(L, "tare: not open in this state: see tare_open");
}

/*
** Calls the protected half in 'slot' with 'nargs' values that are on top of the
** stack and with 'c'; leaves 'nresults', or the error value.
*/
static int run(lua_State *L, int slot, int nargs, int nresults, call *c) {
  push_slot(L, slot);
  if (lua_isnil(L, -1)) {
    lua_pop(L, nargs + 1);
    return tare_cpcall(L, unopened, NULL) == LUA_OK ? TARE_OK : TARE_FAILED;
  }
  lua_insert(L, -1 - nargs);
  lua_pushlightuserdata(L, c);
  return lua_pcall(L, nargs + 1, nresults, 0) == LUA_OK ? TARE_OK : TARE_FAILED;
}

static int run_method(lua_State *L, int session, int slot, int nresults,
                      call *c) {
  lua_pushvalue(L, session);
  return run(L, slot, 1, nresults, c);
}

/* Pushes method 'name' of the session at index 1, and the session. */
static void push_method(lua_State *L, const char *name) {
  if (lua_istable(L, 1)) lua_getfield(L, 1, name);
  if (!lua_istable(L, 1) || !lua_isfunction(L, -1))
    luaL_error(L, "tare: expected a session, got %s", luaL_typename(L, 1));
  lua_pushvalue(L, 1);
}

/* Pushes a function of the module that serves this file. */
static void push_served(lua_State *L, const char *name) {
  push_slot(L, HOST);
  lua_getfield(L, -1, name);
  lua_remove(L, -2);
}

/* create(call) -> session */
static int create(lua_State *L) {
  const call *c = call_of(L);
  push_served(L, "session");
  if (luaL_loadbuffer(L, c->text, c->length, c->name) != LUA_OK)
    return lua_error(L);
  push_slot(L, MODULE);
  lua_call(L, 2, 1);
  return 1;
}

/* step(session, call) */
static int step(lua_State *L) {
  call *c = call_of(L);
  push_method(L, "step");
  lua_pushnumber(L, c->budget_ms);
  lua_call(L, 2, 2);
  c->done = lua_toboolean(L, -2);
  c->progress = lua_tonumber(L, -1);
  return 0;
}

/* text(session, call) -> report in a format */
static int text(lua_State *L) {
  const call *c = call_of(L);
  push_method(L, "report");
  lua_pop(L, 2);
  push_served(L, "text");
  lua_pushvalue(L, 1);
  lua_pushstring(L, c->name);
  lua_call(L, 2, 1);
  return 1;
}

/* print(session, call) */
static int print(lua_State *L) {
  const tare_host *host = tare_host_of(L);
  size_t length;
  const char *report;
  if (host == NULL || host->print == NULL) return 0;
  (void)text(L);
  report = lua_tolstring(L, -1, &length);
  host->print(host->ud, report, length);
  return 0;
}

static int cancel(lua_State *L) {
  push_method(L, "cancel");
  lua_call(L, 1, 0);
  return 0;
}

static int shut(lua_State *L) {
  push_method(L, "close");
  lua_call(L, 1, 0);
  return 0;
}

/* Requires 'name' with the function at index 2 and keeps it in the table. */
static void keep_module(lua_State *L, int slot, const char *name) {
  lua_pushvalue(L, 2);
  lua_pushstring(L, name);
  lua_call(L, 1, 1);
  lua_rawseti(L, 3, slot);
}

/* open(host): makes the table of the state, unless there is one. */
static int open_state(lua_State *L) {
  static const lua_CFunction halves[] = {create, step,   text,
                                         print,  cancel, shut};
  const tare_host *host = (const tare_host *)lua_touserdata(L, 1);
  int i;
  push_slot(L, MODULE);
  if (!lua_isnil(L, -1)) return 0;
  lua_settop(L, 1);
  if (host != NULL) tare_set_host(L, host);
  tare_push_require(L);
  lua_createtable(L, SLOTS, 0);
  keep_module(L, MODULE, "tare");
  keep_module(L, HOST, "tare.host.embed");
  for (i = CREATE; i < SLOTS; i++) {
    lua_pushcfunction(L, halves[i - CREATE]);
    lua_rawseti(L, 3, i);
  }
  lua_pushlightuserdata(L, (void *)&state_key);
  lua_insert(L, 3);
  lua_rawset(L, LUA_REGISTRYINDEX);
  return 0;
}

int tare_open(lua_State *L, const tare_host *host) {
  if (tare_cpcall(L, open_state, (void *)host) != LUA_OK) return TARE_FAILED;
  push_slot(L, MODULE);
  return TARE_OK;
}

int tare_session_new(lua_State *L, const char *source, size_t length,
                     const char *name) {
  call c;
  memset(&c, 0, sizeof c);
  c.text = source;
  c.length = length;
  c.name = name;
  return run(L, CREATE, 0, 1, &c);
}

int tare_session_step(lua_State *L, int session, double budget_ms,
                      double *progress) {
  call c;
  int status;
  memset(&c, 0, sizeof c);
  c.budget_ms = budget_ms;
  status = run_method(L, session, STEP, 0, &c);
  if (progress != NULL) *progress = c.progress;
  return status == TARE_OK && c.done ? TARE_DONE : status;
}

int tare_session_report(lua_State *L, int session, const char *format) {
  call c;
  memset(&c, 0, sizeof c);
  c.name = format != NULL ? format : "json";
  return run_method(L, session, TEXT, 1, &c);
}

int tare_session_print(lua_State *L, int session, const char *format) {
  call c;
  memset(&c, 0, sizeof c);
  c.name = format != NULL ? format : "text";
  return run_method(L, session, PRINT, 0, &c);
}

int tare_session_cancel(lua_State *L, int session) {
  call c;
  memset(&c, 0, sizeof c);
  return run_method(L, session, CANCEL, 0, &c);
}

int tare_session_close(lua_State *L, int session) {
  call c;
  memset(&c, 0, sizeof c);
  return run_method(L, session, CLOSE, 0, &c);
}
