#include "state/gcwatch.h"

#include <string.h>

#include "state/keep.h"

#define SENTINEL "tare.sentinel"

/* Only 5.4 has a generational collector that is meant for use. */
#define HAS_MINOR (LUA_VERSION_NUM >= 504)

/* A userdata that nobody refers to: finalized by the next collection. */
typedef struct tare_sentinel {
  tare_gcwatch *watch; /* NULL once the watch is gone */
} tare_sentinel;

/* Slots of the table that is kept for a watch, all there from the start ... */
enum { RESERVE = 1, WEAK = 2, SLOTS = 2 };
/* ... and of the table of weak references in it. */
enum { OLD = 1, YOUNG = 2, CURRENT = 3, WEAK_SLOTS = 3 };

/* Pushes the table of the watch and, above it, its weak references. */
static void push_slots(lua_State *L, const tare_gcwatch *w) {
  tare_push_kept(L, w);
  lua_rawgeti(L, -1, WEAK);
}

/* Whether the object in a weak slot is gone; the references are on top. */
static int is_gone(lua_State *L, int slot) {
  int gone;
  lua_rawgeti(L, -1, slot);
  gone = lua_isnil(L, -1);
  lua_pop(L, 1);
  return gone;
}

/*
** Whether the object in the old slot is gone: found dead although old, so by
** a major collection. The one in reserve has seen that collection and is old
** now; it is let go in its place, and a fresh one put in reserve.
*/
static int was_major(lua_State *L, const tare_gcwatch *w) {
  int gone;
  if (!HAS_MINOR) return 1;
  push_slots(L, w);
  gone = is_gone(L, OLD);
  if (gone) {
    lua_newuserdata(L, 0);
    lua_rawgeti(L, -3, RESERVE);
    lua_rawseti(L, -3, OLD);
    lua_rawseti(L, -3, RESERVE);
  }
  lua_pop(L, 2);
  return gone;
}

static void push_weak_table(lua_State *L) {
  lua_createtable(L, WEAK_SLOTS, 0);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "v");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
}

/* Fills the slots and makes what is in them old. */
static void make_slots(lua_State *L, tare_gcwatch *w) {
  lua_createtable(L, SLOTS, 0);
  lua_newuserdata(L, 0);
  lua_rawseti(L, -2, RESERVE);
  push_weak_table(L);
  lua_newuserdata(L, 0);
  lua_pushvalue(L, -1);
  lua_rawseti(L, -3, OLD);
  lua_pushvalue(L, -2);
  lua_rawseti(L, -4, WEAK);
  lua_pushvalue(L, -3);
  tare_keep(L, w);
  w->has_slots = 1;
  if (HAS_MINOR) lua_gc(L, LUA_GCCOLLECT, 0);
  lua_pop(L, 3); /* the object in the old slot is let go, and old */
}

/* The metatable of sentinels is on top of the stack; pops it. */
static void new_sentinel(lua_State *L, tare_gcwatch *w) {
  tare_sentinel *s = (tare_sentinel *)lua_newuserdata(L, sizeof *s);
  s->watch = NULL; /* until it has its finalizer */
  lua_insert(L, -2);
  lua_setmetatable(L, -2);
  push_slots(L, w);
  lua_pushvalue(L, -3);
  lua_rawseti(L, -2, CURRENT);
  lua_pop(L, 3);
  s->watch = w;
  w->sentinel = s;
}

/*
** The current sentinel, or NULL where it is gone: Lua does not call a
** finalizer that finds no room on the stack, so one may vanish unheard.
** w->sentinel itself only tells which one is current.
*/
static tare_sentinel *current(lua_State *L, const tare_gcwatch *w) {
  tare_sentinel *s;
  push_slots(L, w);
  lua_rawgeti(L, -1, CURRENT);
  s = (tare_sentinel *)lua_touserdata(L, -1);
  lua_pop(L, 3);
  return s;
}

/* succeed(watch, sentinel): counts, and makes the successor. Protected. */
static int succeed(lua_State *L) {
  tare_gcwatch *w = (tare_gcwatch *)lua_touserdata(L, 1);
  (void)tare_gcwatch_count(L, w);
  lua_getmetatable(L, 2);
  new_sentinel(L, w);
  return 0;
}

/*
** Finalizer of a sentinel; upvalue 1 is 'succeed', so that no memory is
** needed to call it. Raises nothing: in some versions the error would reach
** the host's code, wherever it happened to allocate.
*/
static int sentinel_gc(lua_State *L) {
  tare_sentinel *s = (tare_sentinel *)lua_touserdata(L, 1);
  tare_gcwatch *w = s->watch;
  if (w == NULL) return 0;
  s->watch = NULL;
  if (w->sentinel != s) return 0; /* another took its place */
  w->sentinel = NULL;
  if (!w->armed) return 0;
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushlightuserdata(L, w);
  lua_pushvalue(L, 1);
  (void)lua_pcall(L, 2, 0, 0);
  return 0;
}

static void push_sentinel_metatable(lua_State *L) {
  if (!luaL_newmetatable(L, SENTINEL)) return;
  lua_pushcfunction(L, succeed);
  lua_pushcclosure(L, sentinel_gc, 1);
  lua_setfield(L, -2, "__gc");
}

/* Lets the sentinel go; it may outlive the watch. */
static int watch_gc(lua_State *L) {
  tare_gcwatch *w = (tare_gcwatch *)lua_touserdata(L, 1);
  tare_sentinel *s = w->has_slots ? current(L, w) : NULL;
  w->armed = 0;
  if (s != NULL) s->watch = NULL;
  w->sentinel = NULL;
  w->has_slots = 0;
  tare_let_go(L, w);
  return 0;
}

void tare_gcwatch_metatable(lua_State *L) {
  if (!luaL_newmetatable(L, TARE_GCWATCH)) return;
  lua_pushcfunction(L, watch_gc);
  lua_setfield(L, -2, "__gc");
}

tare_gcwatch *tare_gcwatch_new(lua_State *L) {
  tare_gcwatch *w = (tare_gcwatch *)lua_newuserdata(L, sizeof *w);
  memset(w, 0, sizeof *w);
  tare_gcwatch_metatable(L);
  lua_setmetatable(L, -2);
  make_slots(L, w);
  return w;
}

void tare_gcwatch_arm(lua_State *L, tare_gcwatch *w) {
  int has_sentinel = w->sentinel != NULL && current(L, w) != NULL;
  if (w->armed && has_sentinel) return;
  (void)was_major(L, w); /* one that ended unwatched is not counted */
  if (!has_sentinel) {
    push_sentinel_metatable(L);
    new_sentinel(L, w);
  }
  w->armed = 1;
}

void tare_gcwatch_disarm(tare_gcwatch *w) {
  w->armed = 0;
}

void tare_gcwatch_mark(lua_State *L, tare_gcwatch *w) {
  (void)was_major(L, w);
  push_slots(L, w);
  lua_newuserdata(L, 0);
  lua_rawseti(L, -2, YOUNG);
  lua_pop(L, 2);
}

tare_seen tare_gcwatch_count(lua_State *L, tare_gcwatch *w) {
  int major = was_major(L, w);
  w->cycles++;
  if (major) w->majors++;
  return major ? TARE_SEEN_MAJOR : TARE_SEEN_MINOR;
}

tare_seen tare_gcwatch_poll(lua_State *L, tare_gcwatch *w) {
  int gone;
  push_slots(L, w);
  gone = is_gone(L, YOUNG);
  if (gone) {
    lua_newuserdata(L, 0);
    lua_rawseti(L, -2, YOUNG);
  }
  lua_pop(L, 2);
  return gone ? tare_gcwatch_count(L, w) : TARE_SEEN_NONE;
}
