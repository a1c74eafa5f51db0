/*
** What a host may get wrong, each with a line of its own: calls without
** tare_open, values that are no session, options that a library can't keep,
** clocks that are coarse or stand still. Errors are values, and the stack holds
** them and nothing else.
*/
#define _POSIX_C_SOURCE 200809L
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tare.h"

#define BENCHES                                                           \
  "local s = (...).suite 's' "                                            \
  "s:bench('table', function() local t = {} for i = 1, 100 do t[i] = i "  \
  "end return t end) s:bench('nothing', function() end) "
#define SOURCE BENCHES "return s, {quota = '300ms', resamples = 200}"

/* A value whose kind is a new text, as the next look at the collector is due. */
#define STRANGE                                                           \
  "local grown = {} "                                                     \
  "return setmetatable({}, {__index = function(_, name) "                 \
  "  collectgarbage 'generational' collectgarbage 'stop' "                \
  "  local kind = (name .. ' '):rep(20) .. 'of its own' "                 \
  "  collectgarbage 'restart' "                                           \
  "  for i = 1, 1000 do grown[i] = i end "                                \
  "  return kind end})"

/* A clock of whole milliseconds, as games have. */
static uint64_t coarse(void *ud) {
  struct timespec now;
  (void)ud;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return ((uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000) *
         1000000;
}

static uint64_t still(void *ud) {
  (void)ud;
  return 1000000;
}

static lua_State *opened(uint64_t (*now_ns)(void *)) {
  lua_State *L = luaL_newstate();
  tare_host host = {NULL, NULL, NULL, NULL};
  host.now_ns = now_ns;
  luaL_openlibs(L);
  if (tare_open(L, &host) != TARE_OK) puts("not opened");
  lua_settop(L, 0);
  return L;
}

/* Prints what a call gave, and takes it from the stack. */
static void say(lua_State *L, const char *what, int status, int before) {
  printf("%s: %d, %d on the stack: %s\n", what, status,
         lua_gettop(L) - before, status == TARE_FAILED ? lua_tostring(L, -1)
                                                       : "");
  lua_settop(L, before);
}

static void try_source(lua_State *L, const char *what, const char *source) {
  say(L, what, tare_session_new(L, source, strlen(source), "=bench"), 0);
}

static void try_session(lua_State *L, const char *what) {
  double progress = 0.0;
  int top = lua_gettop(L);
  printf("%s\n", what);
  say(L, "step", tare_session_step(L, -1, 2.0, &progress), top);
  say(L, "report", tare_session_report(L, -1, "json"), top);
  say(L, "cancel", tare_session_cancel(L, -1), top);
}

static void misuse(void) {
  lua_State *L = luaL_newstate();
  int top;
  try_source(L, "unopened", SOURCE);
  lua_pushnil(L);
  try_session(L, "unopened");
  lua_close(L);
  L = opened(NULL);
  try_source(L, "launches", BENCHES "return s, {launches = 2}");
  lua_pushnil(L);
  try_session(L, "nil");
  lua_newtable(L);
  try_session(L, "table");
  if (luaL_dostring(L, STRANGE) != 0) exit(3);
  top = lua_gettop(L);
  say(L, "strange", tare_session_step(L, top, 2.0, NULL), top);
  (void)tare_session_new(L, SOURCE, strlen(SOURCE), "=bench");
  (void)tare_session_close(L, -1);
  try_session(L, "closed");
  lua_close(L);
}

static void clocks(void) {
  lua_State *L = opened(still);
  int status, steps = 0;
  try_source(L, "still", SOURCE);
  lua_close(L);
  L = opened(coarse);
  (void)tare_session_new(L, SOURCE, strlen(SOURCE), "=bench");
  do status = tare_session_step(L, -1, 2.0, NULL);
  while (status == TARE_OK && ++steps < 10000);
  printf("coarse: %d\n", status);
  if (tare_session_report(L, -1, "json") == TARE_OK)
    puts(lua_tostring(L, -1));
  lua_close(L);
}

/*
** States that lack what tare needs of Lua's libraries, and whose scripts have made
** it an error to read a global that is not there.
*/
static void libraries(void) {
  static const char *const names[] = {"coroutine", "_G", "io", NULL};
  static const char strict[] =
      "setmetatable(_G, {__index = function() error 'strict' end})";
  size_t i;
  for (i = 0; i < sizeof names / sizeof *names; i++) {
    lua_State *L = luaL_newstate();
    int status;
    if (L == NULL) exit(3);
    if (names[i] != NULL) {
      luaL_openlibs(L);
      if (luaL_dostring(L, strict) != 0) exit(3);
      lua_pushnil(L);
      lua_setglobal(L, names[i]);
    }
    status = tare_open(L, NULL);
    printf("%s: %d, %d on the stack: %s\n", names[i] != NULL ? names[i] : "all",
           status, lua_gettop(L),
           status == TARE_FAILED ? lua_tostring(L, -1) : "works");
    lua_close(L);
  }
}

/*
** A state whose scripts have next to nothing of debug, and no io, os and package,
** which it is an error to read: measures and profiles.
*/
static void bare(void) {
  static const char strip[] =
      "io, os, package, debug = nil, nil, nil, { traceback = debug.traceback }\n"
      "getfenv, setfenv = nil, nil\n"
      "setmetatable(_G, { __index = function() error 'strict' end })";
  static const char script[] =
      "local function nine() return ('x'):rep(9) end\n"
      "local found = tare.measure(nine, { quota = '5ms' })\n"
      "assert(found.time.value > 0)\n"
      "return tare.render(tare.profile(nine), 'text')";
  lua_State *L = luaL_newstate();
  if (L == NULL) exit(3);
  luaL_openlibs(L);
  if (luaL_dostring(L, strip) != 0 || tare_open(L, NULL) != TARE_OK) exit(3);
  lua_setglobal(L, "tare");
  printf("%d\n", luaL_dostring(L, script));
  puts(lua_tostring(L, -1));
  lua_close(L);
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "bare") == 0) {
    bare();
    return 0;
  }
  if (argc > 1 && strcmp(argv[1], "libraries") == 0) {
    libraries();
    return 0;
  }
  if (argc > 1 && strcmp(argv[1], "clocks") == 0)
    clocks();
  else
    misuse();
  return 0;
}
