/*
** The C interface to sessions and policies. Each function calls its protected
** half: a C function that was pushed and kept when tare was opened. To push one
** here may need memory, and so raise an error where nothing is protected.
*/
#include "tare.h"

#include <string.h>

#include "bind/frames.h"
#include "bind/host.h"
#include "embed/loader.h"
#include "embed/served.h"

/* Its address is the key, in the registry, of the table of a state. */
static const char state_key = 's';

/* The slots of that table. */
enum {
  MODULE = 1,
  HOST,
  CREATE,
  STEP,
  TEXT,
  PRINT,
  CANCEL,
  CLOSE,
  POLICY,
  AFTER,
  RELEASE,
  SLOTS
};

/* Arguments and results that are no Lua values. */
typedef struct call {
  const char *text;
  size_t length;
  const char *name;
  double budget_ms, progress;
  int done, has_settings;
} call;

static const call empty_call = {NULL, 0, NULL, 0.0, 0.0, 0, 0};

static call *call_of(lua_State *L) {
  return (call *)lua_touserdata(L, lua_gettop(L));
}

/* Pushes the value of a slot of the state's table. Allocates nothing. */
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

/*
** The kind of the value at index 1, in words: "a policy". A table has it in its
** field 'kind': see tare.session and tare.frames.policies. That stays on the
** stack: a metamethod may just have made it.
*/
static const char *kind_of(lua_State *L) {
  const char *kind = luaL_typename(L, 1);
  if (lua_istable(L, 1)) {
    lua_getfield(L, 1, "kind");
    if (lua_type(L, -1) == LUA_TSTRING) kind = lua_tostring(L, -1);
  } else if (lua_getmetatable(L, 1)) {
    luaL_getmetatable(L, TARE_FRAMES);
    if (lua_rawequal(L, -1, -2)) kind = "a recorder of frames";
    lua_pop(L, 2);
  }
  return kind;
}

/*
** Pushes method 'name' of the value at index 1, and that value. Raises an error
** unless the value is of this 'kind'.
*/
static void push_method_of(lua_State *L, const char *kind, const char *name) {
  const char *found = kind_of(L);
  if (strcmp(found, kind) != 0)
    luaL_error(L, "tare: expected %s, got %s", kind, found);
  lua_getfield(L, 1, name);
  lua_pushvalue(L, 1);
}

static void push_method(lua_State *L, const char *name) {
  push_method_of(L, "a session", name);
}

void tare_push_served(lua_State *L, const char *name) {
  push_slot(L, HOST);
  if (lua_isnil(L, -1)) (void)unopened(L);
  lua_getfield(L, -1, name);
  lua_remove(L, -2);
}

/* create(call) -> session; messages name the source as Lua's own do. */
static int create(lua_State *L) {
  const call *c = call_of(L);
  lua_Debug about;
  if (c->text == NULL) return luaL_error(L, "tare: a session needs a source");
  tare_push_served(L, "session");
  if (luaL_loadbuffer(L, c->text, c->length, c->name) != LUA_OK)
    return lua_error(L);
  lua_pushvalue(L, -1);
  lua_getinfo(L, ">S", &about);
  push_slot(L, MODULE);
  lua_pushstring(L, about.short_src);
  lua_call(L, 3, 1);
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
  tare_push_served(L, "text");
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

/* policy([settings,] call) -> policy */
static int new_policy(lua_State *L) {
  const call *c = call_of(L);
  if (c->has_settings && !lua_istable(L, 1))
    return luaL_error(L, "tare: the settings must be a table, got %s",
                      luaL_typename(L, 1));
  push_slot(L, MODULE);
  lua_getfield(L, -1, "frames");
  lua_getfield(L, -1, "policy");
  lua_pushstring(L, c->name);
  if (c->has_settings) lua_pushvalue(L, 1);
  lua_call(L, c->has_settings ? 2 : 1, 1);
  return 1;
}

/* after(policy, call) */
static int after(lua_State *L) {
  const call *c = call_of(L);
  push_method_of(L, "a policy", "after");
  lua_pushnumber(L, c->budget_ms);
  lua_call(L, 2, 0);
  return 0;
}

static int release(lua_State *L) {
  push_method_of(L, "a policy", "close");
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

/*
** Raises an error that names the globals that tare needs and that are missing.
** It reads them without metamethods, so that the error is tare's own even if
** scripts have made globals strict.
*/
static void check_libraries(lua_State *L) {
  static const char *const needed[] = {
      "_G",           "assert", "collectgarbage", "coroutine",    "error",
      "getmetatable", "ipairs", TARE_LOAD,        "math",         "next",
      "pairs",        "pcall",  "rawget",         "setmetatable", "select",
      "string",       "table",  "tonumber",       "tostring",     "type"};
  size_t i;
  int missing = 0;
  lua_pushglobaltable(L);
  lua_pushliteral(L, "");
  for (i = 0; i < sizeof needed / sizeof *needed; i++) {
    int is_there;
    lua_pushstring(L, needed[i]);
    lua_rawget(L, -3);
    is_there = !lua_isnil(L, -1);
    lua_pop(L, 1);
    if (is_there) continue;
    lua_pushfstring(L, "%s%s%s", lua_tostring(L, -1), missing > 0 ? ", " : "",
                    needed[i]);
    lua_replace(L, -2);
    missing++;
  }
  if (missing > 0)
    luaL_error(L,
               "tare: this state has no %s: open Lua's base, coroutine, math, "
               "string and table libraries before tare_open",
               lua_tostring(L, -1));
  lua_pop(L, 2);
}

/* open(host): makes the table of the state, unless there is one. */
static int open_state(lua_State *L) {
  static const lua_CFunction halves[] = {
      create, step, text, print, cancel, shut, new_policy, after, release};
  const tare_host *host = (const tare_host *)lua_touserdata(L, 1);
  int i;
  push_slot(L, MODULE);
  if (!lua_isnil(L, -1)) return 0;
  lua_settop(L, 1);
  check_libraries(L);
  if (host != NULL) tare_set_host(L, host);
  tare_push_require(L);
  lua_createtable(L, SLOTS, 0);
  keep_module(L, MODULE, "tare");
  keep_module(L, HOST, "tare.embed");
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
  call c = empty_call;
  c.text = source;
  c.length = length;
  c.name = name;
  return run(L, CREATE, 0, 1, &c);
}

int tare_session_step(lua_State *L, int session, double budget_ms,
                      double *progress) {
  call c = empty_call;
  int status;
  c.budget_ms = budget_ms;
  status = run_method(L, session, STEP, 0, &c);
  if (progress != NULL) *progress = c.progress;
  return status == TARE_OK && c.done ? TARE_DONE : status;
}

int tare_session_report(lua_State *L, int session, const char *format) {
  call c = empty_call;
  c.name = format != NULL ? format : "json";
  return run_method(L, session, TEXT, 1, &c);
}

int tare_session_print(lua_State *L, int session, const char *format) {
  call c = empty_call;
  c.name = format != NULL ? format : "text";
  return run_method(L, session, PRINT, 0, &c);
}

int tare_session_cancel(lua_State *L, int session) {
  call c = empty_call;
  return run_method(L, session, CANCEL, 0, &c);
}

int tare_session_close(lua_State *L, int session) {
  call c = empty_call;
  return run_method(L, session, CLOSE, 0, &c);
}

int tare_policy_new(lua_State *L, const char *name, int settings) {
  call c = empty_call;
  c.name = name;
  c.has_settings = settings != 0;
  if (settings != 0) lua_pushvalue(L, settings);
  return run(L, POLICY, c.has_settings, 1, &c);
}

int tare_policy_after(lua_State *L, int policy, double left_ms) {
  call c = empty_call;
  c.budget_ms = left_ms;
  return run_method(L, policy, AFTER, 0, &c);
}

int tare_policy_close(lua_State *L, int policy) {
  call c = empty_call;
  return run_method(L, policy, RELEASE, 0, &c);
}
