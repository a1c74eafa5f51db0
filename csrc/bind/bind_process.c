/* core.link and its methods: the worker's side of a run's processes. */
#include "bind/bind.h"

#include <errno.h>
#include <string.h>

#include "bind/userdata.h"
#include "platform/process.h"

#if !defined(TARE_EMBEDDED) /* a host's processes are its own */

#define TARE_LINK "tare.link"

static tare_link *check_link(lua_State *L) {
  return (tare_link *)luaL_checkudata(L, 1, TARE_LINK);
}

static int refusal(lua_State *L) {
  lua_pushnil(L);
  lua_pushstring(L, strerror(errno));
  return 2;
}

/* link(fd) -> link: over a descriptor that the parent process has opened */
static int link_new(lua_State *L) {
  lua_Number fd = luaL_checknumber(L, 1);
  tare_link *k;
  luaL_argcheck(L, fd >= 0 && fd <= 1e6, 1, "must be a descriptor");
  k = (tare_link *)lua_newuserdata(L, sizeof *k);
  tare_link_init(k, (int)fd);
  luaL_setmetatable(L, TARE_LINK);
  return 1;
}

/* Pushes the number at line[at], 0 where there is none; returns its end. */
static size_t push_number(lua_State *L, const char *line, size_t length,
                          size_t at) {
  double number = 0.0;
  for (; at < length && line[at] >= '0' && line[at] <= '9'; at++)
    number = number * 10.0 + (line[at] - '0');
  lua_pushnumber(L, (lua_Number)number);
  return at;
}

/*
** link:receive() -> word, number, number: the next request, "time 1000 250";
** nil when the other side has closed. Missing numbers are 0. A word that Lua
** knows already allocates nothing.
*/
static int link_receive(lua_State *L) {
  tare_link *k = check_link(L);
  size_t length, at = 0;
  const char *line = tare_link_line(k, &length);
  if (line == NULL) return 0;
  while (at < length && line[at] != ' ') at++;
  lua_pushlstring(L, line, at);
  at = push_number(L, line, length, at + 1);
  (void)push_number(L, line, length, at + 1);
  return 3;
}

/* link:take(bytes) -> text | nil: the text that follows a request */
static int link_take(lua_State *L) {
  tare_link *k = check_link(L);
  lua_Number n = luaL_checknumber(L, 2);
  char *to;
  luaL_argcheck(L, n >= 0 && n <= 1e9, 2, "must be in [0, 1e9]");
  to = (char *)lua_newuserdata(L, (size_t)n + 1);
  if (!tare_link_take(k, to, (size_t)n)) return 0;
  lua_pushlstring(L, to, (size_t)n);
  return 1;
}

/*
** link:send(text): sends it with the end of a line. receive() shows whether the
** other side has closed.
*/
static int link_send(lua_State *L) {
  tare_link *k = check_link(L);
  size_t length;
  const char *text = luaL_checklstring(L, 2, &length);
  tare_link_send(k, text, length);
  tare_link_send(k, "\n", 1);
  return 0;
}

/* link:send_row(samples): the last row as a line of JSON. Allocates nothing. */
static int link_send_row(lua_State *L) {
  tare_link *k = check_link(L);
  const tare_samples *s = tare_check_samples(L, 2);
  char text[TARE_SAMPLES_JSON_SIZE + 1];
  size_t length;
  luaL_argcheck(L, s->rows > 0, 2, "it has no row");
  length = tare_samples_row_json(s, s->rows - 1, text, sizeof text - 1);
  text[length++] = '\n';
  tare_link_send(k, text, length);
  return 0;
}

/* link:fork() -> 0 in the child, its number in the parent; nil, message */
static int link_fork(lua_State *L) {
  long pid = tare_fork_worker(check_link(L));
  if (pid < 0) return refusal(L);
  lua_pushnumber(L, (lua_Number)pid);
  return 1;
}

/* link:reap(pid, ms) -> code, signal: of a child; waits at most so long */
static int link_reap(lua_State *L) {
  tare_ending ending;
  lua_Number pid = luaL_checknumber(L, 2), ms = luaL_checknumber(L, 3);
  (void)check_link(L);
  /* 1 or less stands for groups of processes, or all of them */
  luaL_argcheck(L, pid > 1 && pid <= 2147483647.0, 2, "must be of a child");
  luaL_argcheck(L, ms >= 0 && ms <= 1e9, 3, "must be in [0, 1e9]");
  if (!tare_reap((long)pid, ms, &ending)) return 0;
  lua_pushinteger(L, ending.code);
  lua_pushinteger(L, ending.signal);
  return 2;
}

/* link:follow(): this process ends with the one that started it. */
static int link_follow(lua_State *L) {
  (void)check_link(L);
  tare_die_with_parent();
  return 0;
}

/* join_free_memory(): see tare_join_free_memory() */
static int join_free_memory(lua_State *L) {
  (void)L;
  tare_join_free_memory();
  return 0;
}

static const luaL_Reg methods[] = {
    {"receive", link_receive},   {"take", link_take}, {"send", link_send},
    {"send_row", link_send_row}, {"fork", link_fork}, {"reap", link_reap},
    {"follow", link_follow},     {NULL, NULL},
};

void tare_bind_process(lua_State *L) {
  tare_define_type(L, TARE_LINK, methods, 0);
  lua_pushcfunction(L, link_new);
  lua_setfield(L, -2, "link");
  lua_pushcfunction(L, join_free_memory);
  lua_setfield(L, -2, "join_free_memory");
  lua_pushboolean(L, tare_can_fork());
  lua_setfield(L, -2, "can_fork");
}

#else

void tare_bind_process(lua_State *L) {
  (void)L;
}

#endif
