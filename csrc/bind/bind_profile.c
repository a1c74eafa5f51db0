/* core.profile: what some calls cost, by source line and call stack. */
#include "bind/bind.h"

#include <string.h>

#include "bind/frames.h"
#include "bind/host.h"
#include "bind/userdata.h"
#include "state/batch.h"
#include "state/frames.h"
#include "state/hook.h"
#include "state/keep.h"
#include "state/profile.h"

#define TARE_PROFILE "tare.profile"
#define ROOM 16 /* calls that the state has room for beforehand */

/*
** A profile is outside of the heap, as a census is: see census_holder in
** bind_probe.c. 'profile' is NULL once it has ended. It 'is_busy' while the core
** works with it and allocates: a finalizer may find the holder. The other fields
** are only for profiles of frames.
*/
typedef tare_frames_profile profile_holder;

static void end_profile(lua_State *L, profile_holder *h) {
  tare_profile *p = h->profile;
  h->is_busy = 0;
  if (p == NULL || !tare_profile_end(L, p)) return;
  h->profile = NULL;
  tare_profile_free(p);
  tare_wrap_free(L, p, sizeof *p);
}

/*
** The state may be closed in the function that is profiled: then hook and
** allocator go back.
*/
static int profile_gc(lua_State *L) {
  profile_holder *h = (profile_holder *)luaL_checkudata(L, 1, TARE_PROFILE);
  if (h->is_busy)
    return luaL_error(L,
                      "tare: a finalizer can't close the profile that begins "
                      "or is being read");
  end_profile(L, h);
  if (tare_kept(L, h) == NULL) tare_let_go(L, h); /* a room at most */
  return 0;
}

/*
** Pushes a new profile, busy, and keeps it; whoever ends the profile lets it go.
*/
static profile_holder *new_profile(lua_State *L) {
  void *ud;
  lua_Alloc alloc;
  tare_profile *p;
  profile_holder *h = (profile_holder *)lua_newuserdata(L, sizeof *h);
  memset(h, 0, sizeof *h);
  luaL_setmetatable(L, TARE_PROFILE);
  tare_keep_room(L, h); /* see new_census() in bind_probe.c */
  p = h->profile = (tare_profile *)tare_wrap_new(L, sizeof *p);
  if (p == NULL) {
    luaL_error(L, "not enough memory for a profile");
    return h;
  }
  alloc = tare_alloc_of(L, tare_host_of(L), &ud);
  p->tree.alloc = tare_wrap_inside(alloc, &ud);
  p->tree.ud = ud;
  p->clock = tare_wall_of(L);
  h->is_busy = 1;
  lua_pushvalue(L, -1);
  tare_keep(L, h);
  return h;
}

static void set_text(lua_State *L, const char *name, const char *text) {
  if (*text == '\0') return;
  lua_pushstring(L, text);
  lua_setfield(L, -2, name);
}

static void push_callees(lua_State *L, const tare_calltree *t) {
  uint32_t i;
  lua_createtable(L, (int)t->callees.count, 0);
  for (i = 1; i < t->callees.count; i++) {
    const tare_callee *c = tare_callee_at(t, i);
    lua_createtable(L, 0, 6);
    set_text(L, "source", tare_calltree_text(t, c->source));
    set_text(L, "name", tare_calltree_text(t, c->name));
    lua_pushboolean(L, c->is_c);
    lua_setfield(L, -2, "is_c");
    tare_set_whole(L, "line", c->line);
    tare_set_whole(L, "calls", c->calls);
    if (c->is_c) tare_set_number(L, "ns", c->ns > 0.0 ? c->ns : 0.0);
    lua_rawseti(L, -2, (int)i);
  }
}

/* Places are numbered from 1, the root's, so that parents are indices. */
static void push_places(lua_State *L, const tare_calltree *t) {
  uint32_t i;
  lua_createtable(L, (int)t->places.count, 0);
  for (i = 0; i < t->places.count; i++) {
    const tare_place *at = tare_place_at(t, i);
    lua_createtable(L, 0, 8);
    if (i != TARE_ROOT) {
      tare_set_whole(L, "parent", at->parent + 1);
      tare_set_whole(L, "callee", at->callee);
      tare_set_whole(L, "line", at->line);
    }
    tare_set_whole(L, "calls", at->calls);
    tare_set_whole(L, "instructions", at->instructions);
    tare_set_whole(L, "allocs", at->allocs);
    tare_set_whole(L, "bytes", at->bytes);
    tare_set_whole(L, "freed_bytes", at->freed_bytes);
    if (at->ns > 0.0) tare_set_number(L, "ns", at->ns);
    lua_rawseti(L, -2, (int)i + 1);
  }
}

static void push_profile(lua_State *L, const tare_calltree *t) {
  lua_createtable(L, 0, 3);
  push_callees(L, t);
  lua_setfield(L, -2, "callees");
  push_places(L, t);
  lua_setfield(L, -2, "places");
}

/* Where the arguments of 'profiled' are. */
enum { HOLDER = 1, FUNCTION, ITERS, WARMUP, NAMES, FIRST };

/*
** Drops what the profile has found so far, then calls the function 'count'
** times in it. The function may find the holder, and close it.
*/
static void call_in(lua_State *L, profile_holder *h, int nargs, double count) {
  int i;
  tare_batch_push_nest(L, ROOM); /* as a census begins */
  lua_call(L, 1, 0);
  tare_batch_push_caller(L);
  lua_pushvalue(L, FUNCTION);
  tare_push_count(L, count);
  for (i = 0; i < nargs; i++) lua_pushvalue(L, FIRST + i);
  tare_profile_count(L, h->profile);
  h->is_busy = 0;
  lua_call(L, nargs + 2, 0);
  h->is_busy = 1;
  if (h->profile == NULL)
    luaL_error(L, "the profile was closed by the function");
  tare_profile_pause(h->profile);
}

/*
** profiled(holder, f, iters, warmup, names, ...) -> profile. Called protected:
** a finalizer may raise wherever memory is allocated, and the profile must end
** all the same.
*/
static int profiled(lua_State *L) {
  profile_holder *h = (profile_holder *)lua_touserdata(L, HOLDER);
  int nargs = lua_gettop(L) - NAMES;
  luaL_checkstack(L, nargs + 3 * ROOM, "too many arguments");
  lua_pushvalue(L, NAMES);
  tare_profile_begin(L, h->profile);
  if (lua_tonumber(L, WARMUP) >= 1)
    call_in(L, h, nargs, lua_tonumber(L, WARMUP));
  call_in(L, h, nargs, lua_tonumber(L, ITERS));
  lua_sethook(L, NULL, 0, 0);
  /* A finalizer in what follows may close the state, and with it the profile. */
  (void)tare_wrap_end(L, &h->profile->wrap);
  if (h->profile->tree.failed)
    return luaL_error(L, "not enough memory for the profile");
  push_profile(L, &h->profile->tree);
  return 1;
}

/*
** profile(f, iters, warmup, names, ...) -> profile | nil, error. Calls f(...)
** 'warmup' times, then 'iters' times, and counts what these execute and
** allocate: callees (functions) and places (lines in stacks of calls). names:
** names of functions, by function. Needs LuaJIT's compiler off.
*/
static int probe_profile(lua_State *L) {
  lua_Number warmup = luaL_checknumber(L, 3);
  int status;
  tare_hook hook = tare_hook_get(L);
  profile_holder *h;
  (void)tare_check_iters(L, 2);
  luaL_checktype(L, 1, LUA_TFUNCTION);
  luaL_argcheck(L, warmup >= 0 && warmup <= 1e9, 3, "must be in [0, 1e9]");
  luaL_checktype(L, 4, LUA_TTABLE);
  lua_pushcfunction(L, profiled);
  lua_insert(L, 1);
  h = new_profile(L); /* from here on nothing may raise */
  lua_insert(L, 2);
  status = lua_pcall(L, lua_gettop(L) - 1, 1, 0);
  end_profile(L, h);
  tare_hook_put(L, &hook);
  if (h->profile == NULL) tare_let_go(L, h);
  if (status != LUA_OK) return tare_push_outcome(L, status);
  return 1;
}

/* PROFILES OF FRAMES --------------------------------------------------------*/

static tare_frames *check_recorder(lua_State *L) {
  tare_frames *f = (tare_frames *)luaL_checkudata(L, 1, TARE_FRAMES);
  luaL_argcheck(L, f->log != NULL, 1, "the recorder is closed");
  if (f->pacer.is_looking || f->readers)
    luaL_error(L, "tare.frames: profile(): not in a finalizer that runs while "
                  "the recorder works");
  return f;
}

void tare_frames_drop_profile(lua_State *L, tare_frames *f) {
  profile_holder *h = f->profile;
  if (h == NULL) return;
  f->profile = NULL;
  f->is_profiled = 0;
  end_profile(L, h);
  tare_recorder_after_profile(L, h);
  if (h->profile == NULL) tare_let_go(L, h);
}

/*
** begin(recorder, holder, names, after): the profile of the recorder. Called
** protected, as 'profiled' is.
*/
static int begin_profile(lua_State *L) {
  tare_frames *f = (tare_frames *)lua_touserdata(L, 1);
  profile_holder *h = (profile_holder *)lua_touserdata(L, 2);
  tare_keep(L, &h->wanted);
  tare_profile_begin(L, h->profile);
  tare_profile_prepare(L, h->profile);
  if (f->log == NULL || f->profile != NULL || h->profile->outer != NULL)
    return luaL_error(L, "tare.frames: profile(): a finalizer has closed the "
                         "recorder, or began another one");
  tare_recorder_profile(f, h);
  h->is_busy = 0;
  return 0;
}

/*
** frames_profile(recorder, frames, names [, after]): the next frames are
** profiled, and not recorded; after() is called when they have ended.
*/
static int frames_profile(lua_State *L) {
  tare_frames *f = check_recorder(L);
  lua_Number wanted = luaL_checknumber(L, 2);
  profile_holder *h;
  luaL_argcheck(L, wanted >= 1 && wanted <= 1e9, 2, "must be in [1, 1e9]");
  luaL_checktype(L, 3, LUA_TTABLE);
  lua_settop(L, 4);
  tare_frames_drop_profile(L, f);
  (void)check_recorder(L); /* what was called in between may have closed it */
  if (tare_profile_is_active(L))
    return luaL_error(L, "tare.frames: profile(): another one is under way");
  lua_pushcfunction(L, begin_profile);
  lua_pushvalue(L, 1);
  h = new_profile(L);
  h->wanted = wanted;
  lua_pushvalue(L, 3);
  lua_pushvalue(L, 4);
  if (lua_pcall(L, 4, 0, 0) == LUA_OK) return 0;
  end_profile(L, h);
  tare_let_go(L, &h->wanted);
  if (h->profile == NULL) tare_let_go(L, h);
  return lua_error(L);
}

static int read_profile(lua_State *L) {
  push_profile(L, (const tare_calltree *)lua_touserdata(L, 1));
  return 1;
}

/*
** frames_profiled(recorder) -> profile, number of frames, their time in ns;
** while they are profiled nil, frames so far, frames in all; nothing if no
** profile was asked for.
*/
static int frames_profiled(lua_State *L) {
  tare_frames *f;
  profile_holder *h;
  int status;
  lua_settop(L, 1);
  lua_pushcfunction(L, read_profile);
  f = check_recorder(L);
  h = f->profile;
  if (h == NULL || h->profile == NULL) return 0;
  if (!tare_recorder_has_profiled(f)) {
    lua_pushnil(L);
    lua_pushnumber(L, h->begun - f->is_profiled);
    lua_pushnumber(L, h->wanted);
    return 3;
  }
  if (h->profile->tree.failed) {
    tare_frames_drop_profile(L, f);
    return luaL_error(L, "tare.frames: not enough memory for the profile");
  }
  lua_pushlightuserdata(L, &h->profile->tree);
  h->is_busy = 1;
  status = tare_frames_read(L, f);
  h->is_busy = 0;
  if (status != LUA_OK) return lua_error(L);
  lua_pushnumber(L, h->begun);
  lua_pushnumber(L, h->ns);
  tare_frames_drop_profile(L, f);
  return 3;
}

static const luaL_Reg profile_methods[] = {
    {"__gc", profile_gc},
    {NULL, NULL},
};

void tare_bind_profile(lua_State *L) {
  tare_define_type(L, TARE_PROFILE, profile_methods, 0);
  lua_pushcfunction(L, probe_profile);
  lua_setfield(L, -2, "profile");
  lua_pushcfunction(L, frames_profile);
  lua_setfield(L, -2, "frames_profile");
  lua_pushcfunction(L, frames_profiled);
  lua_setfield(L, -2, "frames_profiled");
}
