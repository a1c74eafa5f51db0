/*
** A host for specs: a state with an allocator of its own, which counts and
** checks, and refuses where it is told to; a script can have the state closed
** at any moment.
**
**   host SCRIPT ARGUMENT...
**
** Exits 0 if the script ran or closed the state, and all memory came back.
*/
#include <lua.h>
#include <lauxlib.h>
#include <lualib.h>

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if LUA_VERSION_NUM >= 505 /* which takes the seed of its string hash, too */
#define lua_newstate(f, ud) lua_newstate(f, ud, 1)
#endif

/* Which requests for memory are refused, counted from the k-th on. */
typedef enum refusal {
  BRIEFLY, /* the k-th: where Lua then collects and asks again, it succeeds */
  ONCE,    /* the k-th, and when it is asked for again */
  ONWARDS  /* the k-th and all after it */
} refusal;

typedef struct wrap {
  lua_Alloc next;
  void *next_ud;
} wrap;

typedef struct host {
  struct wrap wrap;
  double allocs, bytes, freed, held, start, peak;
  int wrong; /* blocks given back with another size than they have */
  jmp_buf closed;
  refusal mode;
  double at, seen, refused; /* at: the number k; 0 refuses nothing */
  int was_refused;          /* ever */
  int dropped;              /* finalizers that Lua 5.4 could not call */
  size_t last[2];           /* sizes of the request that was refused */
  void *last_ptr;
} host;

/* Each block is preceded by its size, so that what Lua says can be checked. */
typedef union header {
  size_t size;
  double align[2];
} header;

static void note_held(host *h, double change) {
  h->held += change;
  if (h->held > h->peak) h->peak = h->held;
}

static void *give(host *h, void *ptr, size_t osize, size_t nsize) {
  header *block = ptr ? (header *)ptr - 1 : NULL;
  if (ptr && block->size != osize) h->wrong++;
  if (nsize == 0) {
    free(block);
    return NULL;
  }
  block = (header *)realloc(block, sizeof(header) + nsize);
  if (block == NULL) return NULL;
  block->size = nsize;
  return block + 1;
}

/*
** LuaJIT and Lua 5.1 do not ask again; and after a table could not grow, they
** may tell another size when they free its parts than they had asked for.
*/
#define ASKS_AGAIN (LUA_VERSION_NUM >= 502)
#define KNOWS_SIZES (LUA_VERSION_NUM >= 502)

static int is_again(const host *h, void *ptr, size_t osize, size_t nsize) {
  return ASKS_AGAIN && h->mode == ONCE && h->seen == h->at &&
         h->last_ptr == ptr && h->last[0] == osize && h->last[1] == nsize;
}

/* Whether this request is one that was planned to be refused. */
static int refuses(host *h, void *ptr, size_t osize, size_t nsize) {
  if (h->at == 0.0 || nsize == 0 || (ptr != NULL && nsize <= osize)) return 0;
  if (!is_again(h, ptr, osize, nsize)) {
    h->seen++;
    if (h->seen != h->at && !(h->mode == ONWARDS && h->seen > h->at)) return 0;
    h->last_ptr = ptr;
    h->last[0] = osize;
    h->last[1] = nsize;
  }
  h->refused++;
  h->was_refused = 1;
  return 1;
}

static void *counting(void *ud, void *ptr, size_t osize, size_t nsize) {
  host *h = (host *)ud;
  void *result = NULL;
  double from = ptr ? (double)((header *)ptr - 1)->size : 0.0;
  double to = (double)nsize;
  if (!refuses(h, ptr, osize, nsize)) result = give(h, ptr, osize, nsize);
  if (result == NULL && nsize > 0) return NULL;
  if (ptr == NULL && nsize > 0) h->allocs++;
  if (to > from) h->bytes += to - from;
  if (from > to) h->freed += from - to;
  note_held(h, to - from);
  return result;
}

/* Blocks whose sizes were wrong, where Lua should know better. */
static int wrong_sizes(const host *h) {
  return h->was_refused && !KNOWS_SIZES ? 0 : h->wrong;
}

static host *host_of(lua_State *L) {
  return (host *)lua_touserdata(L, lua_upvalueindex(1));
}

/* close(): closes the state here and now; does not return. */
static int host_close(lua_State *L) {
  host *h = host_of(L);
  lua_close(L);
  longjmp(h->closed, 1);
  return 0;
}

/* is_mine() -> whether the state's allocator is the host's */
static int host_is_mine(lua_State *L) {
  void *ud;
  int mine = lua_getallocf(L, &ud) == counting && ud == host_of(L);
  lua_pushboolean(L, mine);
  return 1;
}

/* Another allocator over the one that was there. */
static void *passing(void *ud, void *ptr, size_t osize, size_t nsize) {
  const wrap *w = (const wrap *)ud;
  return w->next(w->next_ud, ptr, osize, nsize);
}

/* wrap(): puts an allocator over the one that is there now. */
static int host_wrap(lua_State *L) {
  wrap *w = &host_of(L)->wrap;
  w->next = lua_getallocf(L, &w->next_ud);
  lua_setallocf(L, passing, w);
  return 0;
}

/* unwrap() -> whether it was in place; takes it away. */
static int host_unwrap(lua_State *L) {
  wrap *w = &host_of(L)->wrap;
  void *ud;
  int was_there = lua_getallocf(L, &ud) == passing && ud == w;
  if (was_there) lua_setallocf(L, w->next, w->next_ud);
  lua_pushboolean(L, was_there);
  return 1;
}

/* start(): what is allocated from now on counts. */
static int host_start(lua_State *L) {
  host *h = host_of(L);
  h->allocs = h->bytes = h->freed = 0.0;
  h->start = h->peak = h->held;
  return 0;
}

/* counted() -> allocations, bytes, bytes freed, peak since the start */
static int host_counted(lua_State *L) {
  const host *h = host_of(L);
  lua_pushnumber(L, h->allocs);
  lua_pushnumber(L, h->bytes);
  lua_pushnumber(L, h->freed);
  lua_pushnumber(L, h->peak - h->start);
  return 4;
}

#if LUA_VERSION_NUM >= 504
/* Lua warns of a finalizer that failed, or found no memory to be called in. */
static void warned(void *ud, const char *message, int more) {
  (void)more;
  if (strstr(message, "__gc")) ((host *)ud)->dropped++;
}
#define WATCH_FINALIZERS(L, h) lua_setwarnf(L, warned, h)
#else
#define WATCH_FINALIZERS(L, h) ((void)(L), (void)(h))
#endif

/* dropped() -> how many that were */
static int host_dropped(lua_State *L) {
  lua_pushinteger(L, host_of(L)->dropped);
  return 1;
}

static void plan(lua_State *L, host *h, int first) {
  static const char *const modes[] = {"briefly", "once", "onwards", NULL};
  h->mode = (refusal)luaL_checkoption(L, first, NULL, modes);
  h->at = luaL_checknumber(L, first + 1);
  h->seen = h->refused = 0.0;
  h->last_ptr = NULL;
  h->last[0] = h->last[1] = 0;
}

/*
** attempt(mode, k, f, result) -> ok: calls f(), and refuses it memory. In
** 'result' are then 'value', of the call or its error, and 'refused', how often.
*/
static int host_attempt(lua_State *L) {
  host *h = host_of(L);
  int ok;
  lua_settop(L, 4);
  lua_pushvalue(L, 3);
  plan(L, h, 1);
  ok = lua_pcall(L, 0, 1, 0) == 0;
  h->at = 0.0;
  lua_setfield(L, 4, "value");
  lua_pushnumber(L, h->refused);
  lua_setfield(L, 4, "refused");
  lua_pushboolean(L, ok);
  return 1;
}

/*
** fresh(mode, k, file) -> message or nil, refused, bytes not freed: runs a file
** in a state of its own, and refuses it memory after the standard libraries
** were opened.
*/
static int host_fresh(lua_State *L) {
  host other;
  const char *file = luaL_checkstring(L, 3);
  lua_State *M;
  memset(&other, 0, sizeof other);
  M = lua_newstate(counting, &other);
  if (M == NULL) return luaL_error(L, "no state");
  WATCH_FINALIZERS(M, &other);
  luaL_openlibs(M);
  if (luaL_loadfile(M, file)) return luaL_error(L, "cannot load %s", file);
  plan(L, &other, 1);
  if (lua_pcall(M, 0, 0, 0))
    lua_pushstring(L, lua_tostring(M, -1) ? lua_tostring(M, -1) : "no string");
  else
    lua_pushnil(L);
  other.at = 0.0;
  lua_close(M);
  lua_pushnumber(L, other.refused);
  host_of(L)->dropped += other.dropped;
  lua_pushnumber(L, (other.dropped ? 0.0 : other.held) + wrong_sizes(&other));
  return 3;
}

/* held() -> bytes that the state has */
static int host_held(lua_State *L) {
  lua_pushnumber(L, host_of(L)->held);
  return 1;
}

static void offer(lua_State *L, host *h, const char *name, lua_CFunction f) {
  lua_pushlightuserdata(L, h);
  lua_pushcclosure(L, f, 1);
  lua_setfield(L, -2, name);
}

static void open_host(lua_State *L, host *h, char **argv) {
  int i;
  luaL_openlibs(L);
  lua_newtable(L);
  offer(L, h, "close", host_close);
  offer(L, h, "is_mine", host_is_mine);
  offer(L, h, "wrap", host_wrap);
  offer(L, h, "unwrap", host_unwrap);
  offer(L, h, "start", host_start);
  offer(L, h, "counted", host_counted);
  offer(L, h, "attempt", host_attempt);
  offer(L, h, "fresh", host_fresh);
  offer(L, h, "held", host_held);
  offer(L, h, "dropped", host_dropped);
  lua_setglobal(L, "host");
  lua_newtable(L);
  for (i = 1; argv[i]; i++) {
    lua_pushstring(L, argv[i]);
    lua_rawseti(L, -2, i - 1);
  }
  lua_setglobal(L, "arg");
}

int main(int argc, char **argv) {
  static host h;
  static int failed;
  lua_State *L = argc > 1 ? lua_newstate(counting, &h) : NULL;
  if (L == NULL) return 2;
  WATCH_FINALIZERS(L, &h);
  if (setjmp(h.closed) == 0) {
    open_host(L, &h, argv);
    failed = luaL_loadfile(L, argv[1]) || lua_pcall(L, 0, 0, 0);
    if (failed) fprintf(stderr, "%s\n", lua_tostring(L, -1));
    lua_close(L);
  }
  if (wrong_sizes(&h)) fprintf(stderr, "%d blocks of wrong sizes\n", h.wrong);
  if (h.dropped) h.held = 0.0; /* what they would have freed is lost */
  if (h.held != 0.0) fprintf(stderr, "%.0f bytes not freed\n", h.held);
  return failed || wrong_sizes(&h) || h.held != 0.0;
}
