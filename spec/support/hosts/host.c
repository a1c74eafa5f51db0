/*
** A host for specs: a state with an allocator of its own, which counts and
** checks, and which a script can have closed at any moment.
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

typedef struct host {
  double allocs, bytes, freed, held, start, peak;
  int wrong; /* blocks given back with another size than they have */
  jmp_buf closed;
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

static void *counting(void *ud, void *ptr, size_t osize, size_t nsize) {
  host *h = (host *)ud;
  void *result = give(h, ptr, osize, nsize);
  double from = ptr ? (double)osize : 0.0, to = (double)nsize;
  if (result == NULL && nsize > 0) return NULL;
  if (ptr == NULL && nsize > 0) h->allocs++;
  if (to > from) h->bytes += to - from;
  if (from > to) h->freed += from - to;
  note_held(h, to - from);
  return result;
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
  offer(L, h, "start", host_start);
  offer(L, h, "counted", host_counted);
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
  if (setjmp(h.closed) == 0) {
    open_host(L, &h, argv);
    failed = luaL_loadfile(L, argv[1]) || lua_pcall(L, 0, 0, 0);
    if (failed) fprintf(stderr, "%s\n", lua_tostring(L, -1));
    lua_close(L);
  }
  if (h.wrong) fprintf(stderr, "%d blocks of wrong sizes\n", h.wrong);
  if (h.held != 0.0) fprintf(stderr, "%.0f bytes not freed\n", h.held);
  return failed || h.wrong || h.held != 0.0;
}
