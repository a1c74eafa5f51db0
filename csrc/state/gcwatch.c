#include "state/gcwatch.h"

#include <string.h>

#include "state/gcsettings.h"
#include "state/keep.h"

#define SENTINEL "tare.sentinel"

/* From 5.4 on there is a generational collector that is meant for use. */
#define HAS_MINOR (LUA_VERSION_NUM >= 504)

/* A userdata that nobody refers to: finalized by the next collection. */
typedef struct tare_sentinel {
  tare_gcwatch *watch; /* may be gone: see is_watched() */
} tare_sentinel;

/* Slots of the table that is kept for a watch, all there from the start ... */
enum { WEAK = 1, RESERVE = 2, POLLED_RESERVE = 3, SLOTS = 3 };
/* ... and of the table of weak references in it. */
enum { CURRENT = 1, OLD = 2, POLLED_OLD = 3, YOUNG = 4, WEAK_SLOTS = 4 };

#define WIPED 6 /* as high as anything here goes on the stack */

/* Pushes the table of the watch and, above it, its weak references. */
static void push_slots(lua_State *L, const tare_gcwatch *w) {
  tare_push_kept(L, w);
  lua_rawgeti(L, -1, WEAK);
}

/*
** Clears the slots above the top of the stack: LuaJIT marks what a frame might
** hold there, and so would keep a sentinel alive for one more cycle.
*/
static void wipe(lua_State *L) {
  lua_settop(L, lua_gettop(L) + WIPED);
  lua_pop(L, WIPED);
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
** Whether the object in the old slot of a count is gone. It was old, so a major
** collection has freed it. The object in reserve has survived that collection
** and is old now: it moves to the old slot, where only a weak reference is left
** to it, and a fresh object becomes the reserve.
*/
static int renew_old(lua_State *L, const tare_gcwatch *w,
                     const tare_gccount *c) {
  int is_polled = c == &w->polled_count, gone;
  if (!w->has_slots) return 0; /* the watch was closed */
  push_slots(L, w);
  gone = is_gone(L, is_polled ? POLLED_OLD : OLD);
  if (gone) {
    int reserve = is_polled ? POLLED_RESERVE : RESERVE;
    lua_newuserdata(L, 0);
    lua_rawgeti(L, -3, reserve);
    lua_rawseti(L, -3, is_polled ? POLLED_OLD : OLD);
    lua_rawseti(L, -3, reserve);
  }
  lua_pop(L, 2);
  return gone;
}

/* Counts a collection that has just ended. True if it was a major one. */
static int count_one(lua_State *L, tare_gcwatch *w, tare_gccount *c) {
  int major = !HAS_MINOR || renew_old(L, w, c);
  if (c->is_unsure && tare_gc_last_mode(L) == TARE_GC_INCREMENTAL) major = 1;
  c->is_unsure = 0;
  c->collections++;
  if (major) c->majors++;
  c->newer = major ? 0 : c->newer + 1;
  return major;
}

/*
** Collections until now are not counted. The object that is released here may
** have been marked already, in a cycle that is under way.
*/
static void begin_count(lua_State *L, const tare_gcwatch *w, tare_gccount *c) {
  if (HAS_MINOR && renew_old(L, w, c)) c->is_unsure = 1;
}

/* Fills the slots and makes the objects in them old. */
static void make_slots(lua_State *L, tare_gcwatch *w) {
  int slot;
  lua_createtable(L, SLOTS, 0);
  tare_push_weak(L, WEAK_SLOTS);
  for (slot = RESERVE; slot <= POLLED_RESERVE; slot++) {
    lua_newuserdata(L, 0);
    lua_rawseti(L, -3, slot);
  }
  for (slot = OLD; slot <= POLLED_OLD; slot++) {
    lua_newuserdata(L, 0);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3 - (slot - OLD), slot);
  }
  lua_pushvalue(L, -3);
  lua_rawseti(L, -5, WEAK);
  lua_pushvalue(L, -4);
  tare_keep(L, w);
  w->has_slots = 1;
  if (HAS_MINOR) lua_gc(L, LUA_GCCOLLECT, 0);
  lua_pop(L, 4); /* releases the objects in old slots, which are old now */
}

/*
** Makes a sentinel. Its metatable is on top of the stack, and is popped. Any
** allocation may run finalizers, which may close the watch.
*/
static void new_sentinel(lua_State *L, tare_gcwatch *w) {
  tare_sentinel *s = (tare_sentinel *)lua_newuserdata(L, sizeof *s);
  s->watch = NULL; /* until it has its finalizer */
  lua_insert(L, -2);
  lua_setmetatable(L, -2);
  if (w->has_slots) {
    push_slots(L, w);
    lua_pushvalue(L, -3);
    lua_rawseti(L, -2, CURRENT);
    lua_pop(L, 2);
    s->watch = w;
    w->sentinel = s;
  }
  lua_pop(L, 1);
}

/*
** The current sentinel, or NULL if it is gone: Lua does not call a finalizer if
** the stack has no room for it, so one may vanish uncounted. w->sentinel itself
** is only compared, since it may be stale.
*/
static tare_sentinel *current(lua_State *L, const tare_gcwatch *w) {
  tare_sentinel *s;
  push_slots(L, w);
  lua_rawgeti(L, -1, CURRENT);
  s = (tare_sentinel *)lua_touserdata(L, -1);
  lua_pop(L, 3);
  return s;
}

/* renew_sentinel(watch, dead one): counts, and makes another. Protected. */
static int renew_sentinel(lua_State *L) {
  tare_gcwatch *w = (tare_gcwatch *)lua_touserdata(L, 1);
  if (w->armed)
    (void)count_one(L, w, &w->armed_count);
  else if (HAS_MINOR)
    (void)renew_old(L, w, &w->armed_count);
  w->armed_count.is_unsure = 0; /* the next cycle has not marked anything yet */
  lua_getmetatable(L, 2);
  new_sentinel(L, w);
  wipe(L);
  return 0;
}

/*
** Whether the watch of a sentinel still exists: then a table is kept under the
** watch's address.
*/
static int is_watched(lua_State *L, const tare_sentinel *s) {
  int is_there;
  if (s->watch == NULL) return 0;
  tare_push_kept(L, s->watch);
  is_there = lua_istable(L, -1);
  lua_pop(L, 1);
  return is_there;
}

/*
** Finalizer of a sentinel; upvalue 1 is 'renew_sentinel', so that no memory is
** needed to call it, and upvalue 2 the metatable of sentinels. It raises nothing
** for a sentinel: in some versions the error would reach the host's code,
** wherever that happened to allocate.
*/
static int sentinel_gc(lua_State *L) {
  tare_sentinel *s = (tare_sentinel *)lua_touserdata(L, 1);
  tare_gcwatch *w;
  if (!lua_getmetatable(L, 1) || !lua_rawequal(L, -1, lua_upvalueindex(2)))
    return luaL_error(L, "not a sentinel");
  lua_settop(L, 1);
  w = s->watch;
  if (!is_watched(L, s)) return 0;
  s->watch = NULL;
  if (w->sentinel != s) return 0; /* another took its place */
  w->sentinel = NULL;
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushlightuserdata(L, w);
  lua_pushvalue(L, 1);
  (void)lua_pcall(L, 2, 0, 0);
  return 0;
}

/*
** Pushes the metatable of this name. Returns whether it has its finalizer: one
** that is there may have none, if memory ran out just after it was made.
*/
static int push_metatable(lua_State *L, const char *name) {
  int has_finalizer;
  luaL_newmetatable(L, name);
  lua_getfield(L, -1, "__gc");
  has_finalizer = !lua_isnil(L, -1);
  lua_pop(L, 1);
  return has_finalizer;
}

static void push_sentinel_metatable(lua_State *L) {
  if (push_metatable(L, SENTINEL)) return;
  lua_pushcfunction(L, renew_sentinel);
  lua_pushvalue(L, -2);
  lua_pushcclosure(L, sentinel_gc, 2);
  lua_setfield(L, -2, "__gc");
}

/* Sentinels may outlive the watch. */
static int watch_gc(lua_State *L) {
  tare_gcwatch *w = (tare_gcwatch *)luaL_testudata(L, 1, TARE_GCWATCH);
  if (w == NULL) return luaL_error(L, "not a watch");
  w->armed = 0;
  w->sentinel = NULL;
  w->has_slots = 0;
  tare_let_go(L, w);
  return 0;
}

void tare_gcwatch_metatable(lua_State *L) {
  if (push_metatable(L, TARE_GCWATCH)) return;
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
  if (!w->has_slots) return;
  if (!w->armed || !has_sentinel) {
    begin_count(L, w, &w->armed_count);
    if (!has_sentinel) {
      push_sentinel_metatable(L);
      new_sentinel(L, w);
    }
    w->armed = w->has_slots;
  }
  wipe(L);
}

/* count(watch): a collection whose sentinel is not finalized yet. Protected. */
static int count_pending(lua_State *L) {
  tare_gcwatch *w = (tare_gcwatch *)lua_touserdata(L, 1);
  (void)count_one(L, w, &w->armed_count);
  return 0;
}

/* Counts the collection of a sentinel that is dead, but not finalized yet. */
static void settle(lua_State *L, tare_gcwatch *w) {
  if (!w->armed || w->sentinel == NULL || current(L, w) != NULL) return;
  w->sentinel = NULL; /* its finalizer will do nothing */
  if (tare_cpcall(L, count_pending, w) != LUA_OK) lua_pop(L, 1);
}

const tare_gccount *tare_gcwatch_counts(lua_State *L, tare_gcwatch *w) {
  settle(L, w);
  if (w->armed) tare_gcwatch_arm(L, w);
  return &w->armed_count;
}

void tare_gcwatch_disarm(lua_State *L, tare_gcwatch *w) {
  settle(L, w);
  w->armed = 0;
  wipe(L);
}

void tare_gcwatch_mark(lua_State *L, tare_gcwatch *w) {
  if (!w->has_slots) return;
  begin_count(L, w, &w->polled_count);
  lua_newuserdata(L, 0);
  if (w->has_slots) {
    push_slots(L, w);
    lua_pushvalue(L, -3);
    lua_rawseti(L, -2, YOUNG);
    lua_pop(L, 2);
  }
  lua_pop(L, 1);
  wipe(L);
}

tare_seen tare_gcwatch_count(lua_State *L, tare_gcwatch *w) {
  return count_one(L, w, &w->polled_count) ? TARE_SEEN_MAJOR : TARE_SEEN_MINOR;
}

tare_seen tare_gcwatch_poll(lua_State *L, tare_gcwatch *w) {
  int gone;
  if (!w->has_slots) return TARE_SEEN_NONE;
  push_slots(L, w);
  gone = is_gone(L, YOUNG);
  if (gone) {
    lua_newuserdata(L, 0);
    lua_rawseti(L, -2, YOUNG);
  }
  lua_pop(L, 2);
  wipe(L);
  return gone ? tare_gcwatch_count(L, w) : TARE_SEEN_NONE;
}
