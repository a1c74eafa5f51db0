#include "state/profile.h"

#include <math.h>
#include <string.h>

#include "state/keep.h"

#define NO_THREAD ((size_t)-1)
#define FIRST_SLOTS 64
#define MOST_LEVELS 200 /* of a thread whose calls were not seen */

/*
** Its address is the key, in the registry, of the active profile. The key of a
** profile's table of names is the address of the profile.
*/
static const char profile_key = 'p';

static tare_profile *active_profile(lua_State *L) {
  return (tare_profile *)tare_kept(L, &profile_key);
}

int tare_profile_is_active(lua_State *L) {
  return active_profile(L) != NULL;
}

/* FRAMES --------------------------------------------------------------------*/

static tare_profile_thread *thread_at(const tare_profile *p, size_t i) {
  return (tare_profile_thread *)p->threads.data + i;
}

static tare_profile_frame *frame_at(const tare_profile_thread *t, size_t i) {
  return (tare_profile_frame *)t->frames.data + i;
}

/* The place that a frame was called from. */
static uint32_t place_below(const tare_profile_thread *t, size_t i) {
  return i > 0 ? frame_at(t, i - 1)->place : t->base;
}

static uint32_t top_place(const tare_profile_thread *t) {
  return place_below(t, t->frames.count);
}

static void push_frame(tare_profile *p, tare_profile_thread *t, intptr_t level,
                       uint32_t callee, int line) {
  uint32_t below = top_place(t);
  tare_profile_frame *f = (tare_profile_frame *)tare_rows_grow(
      &t->frames, p->tree.alloc, p->tree.ud, 1);
  if (f == NULL) {
    p->tree.failed = 1;
    return;
  }
  f->level = level;
  f->callee = callee;
  f->line = line;
  f->place =
      callee == 0 ? below : tare_calltree_place(&p->tree, below, callee, line);
}

static void move_to_line(tare_profile *p, tare_profile_thread *t, size_t i,
                         int line) {
  tare_profile_frame *f = frame_at(t, i);
  f->line = line;
  f->place = f->callee == 0 ? place_below(t, i)
                            : tare_calltree_place(&p->tree, place_below(t, i),
                                                  f->callee, line);
}

/*
** What distinguishes a running function from the others. From 5.2 on it is an
** address; before 5.2, a number that grows with the depth of the call.
*/
static intptr_t level_of(const lua_Debug *ar) {
#if LUA_VERSION_NUM >= 502
  return (intptr_t)ar->i_ci;
#else
  return (intptr_t)(ar->i_ci & 0xffff); /* LuaJIT: above is a size */
#endif
}

/*
** Forgets frames above the one at 'level'. Returns whether there is such a
** frame.
*/
static int drop_above(tare_profile_thread *t, intptr_t level) {
  size_t n = t->frames.count;
  while (n > 0 && frame_at(t, n - 1)->level != level) n--;
  if (n > 0) t->frames.count = n;
  return n > 0;
}

#if LUA_VERSION_NUM >= 502

/* Whether LuaJIT calls a function in another one's place. */
static int is_replacing(const tare_profile_thread *t, const lua_Debug *ar) {
  (void)t, (void)ar;
  return 0;
}

/*
** A function has just been called: forgets frames of functions that are over.
*/
static void drop_dead(lua_State *L, const tare_profile *p,
                      tare_profile_thread *t, const lua_Debug *ar, int is_c) {
  lua_Debug caller;
  (void)p, (void)ar, (void)is_c;
  if (!lua_getstack(L, 1, &caller) || !drop_above(t, level_of(&caller)))
    t->frames.count = 0;
}

#else

static int is_of_c(const tare_profile *p, const tare_profile_frame *f) {
  return tare_callee_at(&p->tree, f->callee)->is_c;
}

/* Then LuaJIT reports the other function's name. */
static int is_replacing(const tare_profile_thread *t, const lua_Debug *ar) {
  size_t n = t->frames.count;
  while (n > 0 && frame_at(t, n - 1)->level > level_of(ar)) n--;
  return n > 0 && frame_at(t, n - 1)->level == level_of(ar);
}

/*
** In LuaJIT the frame of a tail-called function replaces that of its caller.
** But the work of a C function still belongs to the line that called it, so
** there the caller's frame is kept.
*/
static void drop_dead(lua_State *L, const tare_profile *p,
                      tare_profile_thread *t, const lua_Debug *ar, int is_c) {
  (void)L;
  while (t->frames.count > 0) {
    const tare_profile_frame *top = frame_at(t, t->frames.count - 1);
    if (top->level < level_of(ar)) break;
    if (top->level == level_of(ar) && is_c && !is_of_c(p, top)) break;
    t->frames.count--;
  }
}

#endif

/* THREADS -------------------------------------------------------------------*/

static size_t slot_of(const tare_profile *p, const lua_State *L) {
  const uint32_t *at = (const uint32_t *)p->slots.data;
  uint64_t hash = (uint64_t)(uintptr_t)L * 0x9e3779b97f4a7c15u;
  size_t mask = p->slots.count - 1, i = (size_t)(hash >> 32) & mask;
  while (at[i] != 0 && thread_at(p, at[i] - 1)->L != L) i = (i + 1) & mask;
  return i;
}

static int widen_slots(tare_profile *p) {
  tare_rows wider = {NULL, 0, 0, sizeof(uint32_t)}, old = p->slots;
  size_t room = old.count > 0 ? 2 * old.count : FIRST_SLOTS, i;
  if (tare_rows_grow(&wider, p->tree.alloc, p->tree.ud, room) == NULL) return 0;
  memset(wider.data, 0, room * sizeof(uint32_t));
  p->slots = wider;
  for (i = 0; i < p->threads.count; i++)
    ((uint32_t *)wider.data)[slot_of(p, thread_at(p, i)->L)] = (uint32_t)i + 1;
  tare_rows_free(&old, p->tree.alloc, p->tree.ud);
  return 1;
}

/* The number of a thread; the running one's where there is no memory. */
static size_t number_of(tare_profile *p, lua_State *L) {
  tare_profile_thread *t;
  uint32_t *slot;
  if (2 * (p->threads.count + 1) > p->slots.count && !widen_slots(p)) {
    p->tree.failed = 1;
    return p->thread;
  }
  slot = (uint32_t *)p->slots.data + slot_of(p, L);
  if (*slot != 0) return *slot - 1;
  t = (tare_profile_thread *)tare_rows_grow(&p->threads, p->tree.alloc,
                                            p->tree.ud, 1);
  if (t == NULL) {
    p->tree.failed = 1;
    return p->thread;
  }
  memset(t, 0, sizeof *t);
  t->L = L;
  t->frames.size = sizeof(tare_profile_frame);
  t->resumer = NO_THREAD;
  *slot = (uint32_t)p->threads.count;
  return p->threads.count - 1;
}

/*
** A thread was resumed from another place: moves the places of its functions
** there.
*/
static void move_base(tare_profile *p, tare_profile_thread *t, uint32_t base) {
  size_t i;
  if (t->base == base) return;
  t->base = base;
  for (i = 0; i < t->frames.count; i++)
    move_to_line(p, t, i, frame_at(t, i)->line);
}

/* Makes the thread of an event the running one. */
static tare_profile_thread *switch_to(tare_profile *p, lua_State *L) {
  size_t before = p->thread, now;
  if (thread_at(p, before)->L == L) return thread_at(p, before);
  now = number_of(p, L);
  if (now == before) return thread_at(p, now);
  if (thread_at(p, before)->resumer == now) { /* it has yielded, or ended */
    thread_at(p, before)->resumer = NO_THREAD;
  } else {
    thread_at(p, now)->resumer = before;
    move_base(p, thread_at(p, now), top_place(thread_at(p, before)));
  }
  p->thread = now;
  return thread_at(p, now);
}

/* FUNCTIONS -----------------------------------------------------------------*/

/* "@file" and "=name" without the mark; text of a chunk as Lua shortens it. */
static const char *source_of(const lua_Debug *ar) {
  return *ar->source == '@' || *ar->source == '=' ? ar->source + 1
                                                  : ar->short_src;
}

/* A name by which a function was called, in 'buffer' if it is changed. */
static const char *called_name(const lua_Debug *ar, char buffer[40]) {
  if (ar->name == NULL) return NULL;
  if (ar->namewhat == NULL || strcmp(ar->namewhat, "metamethod") != 0 ||
      strncmp(ar->name, "__", 2) == 0)
    return ar->name;
  buffer[0] = buffer[1] = '_'; /* 5.4 leaves it out */
  buffer[2] = '\0';
  strncat(buffer, ar->name, 37);
  return buffer;
}

/*
** The number of the function of 'ar'. 'may_name': the name by which it was
** called may become its name.
*/
static uint32_t callee_of(lua_State *L, tare_profile *p, lua_Debug *ar,
                          int may_name) {
  const char *known, *called;
  char buffer[40];
  uint32_t callee;
  lua_getinfo(L, "Snf", ar);
  tare_push_kept(L, p); /* the names */
  lua_insert(L, -2);
  lua_rawget(L, -2);
  known = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
  called = may_name ? called_name(ar, buffer) : NULL;
  if (strcmp(ar->what, "C") == 0) {
    callee = tare_calltree_callee(&p->tree, NULL, 0, 0,
                                  known    ? known
                                  : called ? called
                                           : "a C function");
  } else {
    callee = tare_calltree_callee(&p->tree, source_of(ar), ar->linedefined,
                                  ar->lastlinedefined, NULL);
    if (strcmp(ar->what, "main") == 0) known = "main chunk";
    tare_calltree_name(&p->tree, callee, known ? known : called, known != NULL);
  }
  lua_pop(L, 2);
  return callee;
}

static int first_line(const tare_profile *p, uint32_t callee) {
  return tare_callee_at(&p->tree, callee)->line;
}

/* EVENTS --------------------------------------------------------------------*/

static void on_event(lua_State *L, lua_Debug *ar);

/*
** Reads the frames of a thread whose calls were not seen, from the lowest on.
*/
static void read_frames(lua_State *L, tare_profile *p, tare_profile_thread *t) {
  lua_Debug ar;
  int levels = 0;
  t->frames.count = 0;
  while (levels < MOST_LEVELS && lua_getstack(L, levels, &ar)) levels++;
  while (levels-- > 0) {
    uint32_t callee;
    if (!lua_getstack(L, levels, &ar)) continue;
    callee = callee_of(L, p, &ar, 1);
    if (t->frames.count == 0 && tare_callee_at(&p->tree, callee)->is_c)
      continue; /* the function of a C program that calls Lua */
    lua_getinfo(L, "l", &ar);
    push_frame(p, t, level_of(&ar), callee,
               ar.currentline > 0 ? ar.currentline : first_line(p, callee));
  }
}

static void set_hook(lua_State *L) {
  lua_sethook(L, on_event, LUA_MASKCOUNT | LUA_MASKCALL | LUA_MASKRET, 1);
}

/* Pops a value. If that is a coroutine without a hook, it gets ours. */
static void follow(lua_State *L) {
  lua_State *thread = lua_tothread(L, -1);
  lua_pop(L, 1);
  if (thread != NULL && lua_gethook(thread) == NULL) set_hook(thread);
}

/*
** A C function was called. It may resume a coroutine that was made before the
** profile: its first argument (coroutine.resume), or its upvalue
** (coroutine.wrap).
*/
static void follow_coroutine(lua_State *L, lua_Debug *ar) {
  if (lua_getlocal(L, ar, 1) != NULL) follow(L);
  lua_getinfo(L, "f", ar);
  if (lua_getupvalue(L, -1, 1) != NULL) follow(L);
  lua_pop(L, 1);
}

static void called(lua_State *L, tare_profile *p, tare_profile_thread *t,
                   lua_Debug *ar) {
  uint32_t callee;
  if (p->expects_caller) {
    p->expects_caller = 0;
    push_frame(p, t, level_of(ar), 0, 0);
    return;
  }
  callee = callee_of(L, p, ar, !is_replacing(t, ar));
  drop_dead(L, p, t, ar, tare_callee_at(&p->tree, callee)->is_c);
  push_frame(p, t, level_of(ar), callee, first_line(p, callee));
  t->is_fresh = !tare_callee_at(&p->tree, callee)->is_c;
  if (p->is_in_parts && !t->is_fresh) follow_coroutine(L, ar);
  tare_callee_at(&p->tree, callee)->calls++;
  tare_place_at(&p->tree, top_place(t))->calls++;
}

#if LUA_VERSION_NUM >= 502

/*
** Whether the frame that a tail call replaces is known; makes it the top frame.
*/
#if LUA_VERSION_NUM >= 504
static int finds_caller(lua_State *L, tare_profile_thread *t,
                        const lua_Debug *ar) {
  (void)L;
  return drop_above(t, level_of(ar));
}
#else
static int finds_caller(lua_State *L, tare_profile_thread *t,
                        const lua_Debug *ar) {
  lua_Debug caller;
  (void)ar;
  return lua_getstack(L, 1, &caller) && drop_above(t, level_of(&caller));
}
#endif

static void tail_called(lua_State *L, tare_profile *p, tare_profile_thread *t,
                        lua_Debug *ar) {
  tare_profile_frame *f;
  if (!finds_caller(L, t, ar)) {
    called(L, p, t, ar);
    return;
  }
  f = frame_at(t, t->frames.count - 1);
  f->callee = callee_of(L, p, ar, 1);
  move_to_line(p, t, t->frames.count - 1, first_line(p, f->callee));
  tare_callee_at(&p->tree, f->callee)->calls++;
  tare_place_at(&p->tree, top_place(t))->calls++;
}

#endif

static void returned(tare_profile_thread *t, const lua_Debug *ar) {
#if LUA_VERSION_NUM >= 502
  if (drop_above(t, level_of(ar))) t->frames.count--;
#else
  while (t->frames.count > 0 &&
         frame_at(t, t->frames.count - 1)->level >= level_of(ar))
    t->frames.count--;
#endif
}

/*
** The first instruction of a function shows the level of its frame. In 5.1 a
** tail-called function has the level of its caller; in LuaJIT the level is
** above the variable arguments.
*/
static void settle(tare_profile *p, tare_profile_thread *t, intptr_t level) {
  size_t n = t->frames.count;
  if (n >= 2 && frame_at(t, n - 2)->level == level) {
    frame_at(t, n - 2)->callee = frame_at(t, n - 1)->callee;
    move_to_line(p, t, n - 2, frame_at(t, n - 1)->line);
    t->frames.count--;
  } else {
    frame_at(t, n - 1)->level = level;
  }
}

static void executed(lua_State *L, tare_profile *p, tare_profile_thread *t,
                     lua_Debug *ar) {
  intptr_t level = level_of(ar);
  size_t n = t->frames.count;
  if (n == 0 || frame_at(t, n - 1)->level != level) {
    if (n > 0 && t->is_fresh)
      settle(p, t, level);
    else if (!drop_above(t, level))
      read_frames(L, p, t);
    n = t->frames.count;
  }
  lua_getinfo(L, "l", ar);
  if (n > 0 && frame_at(t, n - 1)->line != ar->currentline)
    move_to_line(p, t, n - 1, ar->currentline > 0 ? ar->currentline : 0);
  tare_place_at(&p->tree, top_place(t))->instructions++;
}

/*
** A C function's time is the time between events while it is on top of the
** stack. An interval that is much longer than those before it at its place
** contains time that other processes took, and counts as long as the mean of
** those.
*/
#define FEW 4
#define TAKEN 16.0
#define TAKEN_NS 2e4

static void stop_clock(tare_profile *p) {
  double ns;
  if (p->timed == 0) return;
  ns = fmax(tare_elapsed_ns(p->since_ns, tare_now(&p->clock)), 0.0);
  if (p->is_timing_lag) {
    if (ns < p->lag_ns) p->lag_ns = ns;
  } else {
    tare_place *at = tare_place_at(&p->tree, p->timed);
    double usual_ns = at->ns / at->intervals;
    ns -= p->lag_ns;
    if (at->intervals >= FEW && ns > TAKEN_NS && ns > TAKEN * usual_ns)
      ns = usual_ns;
    at->intervals++;
    at->ns += ns;
    tare_callee_at(&p->tree, at->callee)->ns += ns;
  }
  p->timed = 0;
}

static void time_place(tare_profile *p, uint32_t place) {
  p->timed = place;
  p->since_ns = tare_now(&p->clock);
}

static void start_clock(tare_profile *p, const tare_profile_thread *t) {
  uint32_t callee =
      t->frames.count > 0 ? frame_at(t, t->frames.count - 1)->callee : 0;
  if (callee == 0 || !tare_callee_at(&p->tree, callee)->is_c) return;
  time_place(p, p->place);
}

static void on_event(lua_State *L, lua_Debug *ar) {
  tare_profile *p = active_profile(L);
  tare_profile_thread *t;
  /* a coroutine has the hook of the thread that made it, and keeps it */
  if (p == NULL) lua_sethook(L, NULL, 0, 0);
  if (p == NULL || p->tree.failed || !(p->is_counting || p->is_timing_lag))
    return;
  stop_clock(p);
  if (p->is_timing_lag) {
    if (ar->event == LUA_HOOKCALL) time_place(p, 1);
    return;
  }
  t = switch_to(p, L);
  switch (ar->event) {
  case LUA_HOOKCOUNT: executed(L, p, t, ar); break;
  case LUA_HOOKCALL: called(L, p, t, ar); break;
  case LUA_HOOKRET: returned(t, ar); break;
#if LUA_VERSION_NUM >= 502
  case LUA_HOOKTAILCALL: tail_called(L, p, t, ar); break;
#endif
  default: break; /* 5.1: the end of a call that was a tail call */
  }
  if (ar->event != LUA_HOOKCALL) t->is_fresh = 0;
  p->place = top_place(t);
  start_clock(p, t);
}

/* Counts as state/census.c does. */
static void *profiling(tare_wrap *w, void *ptr, size_t osize, size_t nsize) {
  tare_profile *p = (tare_profile *)w;
  void *block = tare_wrap_pass(w, ptr, osize, nsize);
  tare_place *at;
  if (!p->is_counting) return block;
  at = tare_place_at(&p->tree, p->place);
  if (nsize == 0) {
    if (ptr != NULL) at->freed_bytes += (double)osize;
  } else if (block == NULL) {
    return NULL;
  } else if (ptr == NULL) {
    at->allocs++;
    at->bytes += (double)nsize;
  } else if (nsize > osize) {
    at->bytes += (double)(nsize - osize);
  } else {
    at->freed_bytes += (double)(osize - nsize);
  }
  return block;
}

/* The cost of the clock and of a call's two events belongs to no function. */
#define LAG_CALLS 16

static int nothing(lua_State *L) {
  (void)L;
  return 0;
}

static void find_lag(lua_State *L, tare_profile *p) {
  int i;
  p->is_timing_lag = 1;
  p->lag_ns = HUGE_VAL;
  p->timed = 0;
  for (i = 0; i < LAG_CALLS; i++) {
    lua_pushcfunction(L, nothing);
    lua_call(L, 0, 0);
  }
  if (p->lag_ns == HUGE_VAL) p->lag_ns = 0.0;
  p->is_timing_lag = 0;
  p->timed = 0; /* LuaJIT reports no return: the last call is still timed */
}

/* BEGIN AND END -------------------------------------------------------------*/

/*
** 'L' is about to have the hook. 'L' is kept as long as it has the hook. The
** key stays in the registry, so that only the first time needs memory.
*/
static void note_hooked(lua_State *L, tare_profile *p) {
  (void)lua_pushthread(L);
  tare_keep(L, &p->hooked);
  p->hooked = L;
}

/*
** The thread that had our hook gets its own back, unless another was set
** meanwhile.
*/
static void unhook(lua_State *L, tare_profile *p) {
  lua_State *hooked = p->hooked;
  if (hooked == NULL) return;
  p->hooked = NULL;
  if (lua_gethook(hooked) == on_event)
    lua_sethook(hooked, p->hook.function, p->hook.mask, p->hook.count);
  lua_pushboolean(L, 0);
  tare_keep(L, &p->hooked);
}

void tare_profile_begin(lua_State *L, tare_profile *p) {
  tare_calltree_init(&p->tree, p->tree.alloc, p->tree.ud);
  p->threads.size = sizeof(tare_profile_thread);
  p->slots.size = sizeof(uint32_t);
  (void)number_of(p, L);
  tare_keep(L, p);
  p->outer = active_profile(L);
  p->hook = tare_hook_get(L);
  note_hooked(L, p);
  tare_keep_address(L, &profile_key, p);
  tare_wrap_begin(L, &p->wrap, profiling);
}

/* What runs in 'L' is the first function of a stack. */
static void start(lua_State *L, tare_profile *p) {
  tare_profile_thread *t;
  p->thread = number_of(p, L);
  t = thread_at(p, p->thread);
  t->frames.count = 0;
  t->base = p->place = TARE_ROOT;
  t->resumer = NO_THREAD;
  t->is_fresh = 0;
  p->timed = 0;
  p->is_counting = 1;
}

void tare_profile_count(lua_State *L, tare_profile *p) {
  if (p->tree.failed) return;
  set_hook(L);
  find_lag(L, p);
  tare_calltree_zero(&p->tree);
  start(L, p);
  p->expects_caller = 1;
}

void tare_profile_prepare(lua_State *L, tare_profile *p) {
  if (p->tree.failed) return;
  p->is_in_parts = 1;
  set_hook(L);
  find_lag(L, p);
  unhook(L, p);
}

void tare_profile_resume(lua_State *L, tare_profile *p) {
  if (p->tree.failed) return;
  p->hook = tare_hook_get(L); /* ours, in a coroutine that was followed */
  note_hooked(L, p);
  set_hook(L);
  start(L, p);
}

/* The call of the C function that ends this part does not count. */
static void forget_call(tare_profile *p) {
  const tare_profile_thread *t = thread_at(p, p->thread);
  const tare_profile_frame *top;
  if (t->frames.count == 0) return;
  top = frame_at(t, t->frames.count - 1);
  if (!tare_callee_at(&p->tree, top->callee)->is_c) return;
  tare_callee_at(&p->tree, top->callee)->calls--;
  tare_place_at(&p->tree, top->place)->calls--;
}

void tare_profile_rest(lua_State *L, tare_profile *p) {
  if (!p->is_counting) return;
  p->timed = 0;
  p->is_counting = 0;
  if (!p->tree.failed) forget_call(p);
  unhook(L, p);
}

void tare_profile_pause(tare_profile *p) {
  stop_clock(p);
  p->is_counting = 0;
}

int tare_profile_end(lua_State *L, tare_profile *p) {
  tare_profile *inner = active_profile(L);
  tare_profile_pause(p);
  if (inner == p) {
    unhook(L, p);
    tare_keep_address(L, &profile_key, p->outer);
  } else { /* ended by code that an inner profile profiles */
    while (inner != NULL && inner->outer != p) inner = inner->outer;
    if (inner != NULL) inner->outer = p->outer;
  }
  tare_let_go(L, p);
  tare_let_go(L, &p->hooked);
  return tare_wrap_end(L, &p->wrap);
}

void tare_profile_free(tare_profile *p) {
  size_t i;
  for (i = 0; i < p->threads.count; i++)
    tare_rows_free(&thread_at(p, i)->frames, p->tree.alloc, p->tree.ud);
  tare_rows_free(&p->threads, p->tree.alloc, p->tree.ud);
  tare_rows_free(&p->slots, p->tree.alloc, p->tree.ud);
  tare_calltree_free(&p->tree);
}
