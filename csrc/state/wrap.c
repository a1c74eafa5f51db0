#include "state/wrap.h"

#include <stddef.h>
#include <string.h>

#include "state/keep.h"

void *tare_wrap_pass(const tare_wrap *w, void *ptr, size_t osize,
                     size_t nsize) {
  return w->next(w->next_ud, ptr, osize, nsize);
}

static void *wrapped(void *ud, void *ptr, size_t osize, size_t nsize) {
  tare_wrap *w = (tare_wrap *)ud;
  return w->in_place ? w->wrapper(w, ptr, osize, nsize)
                     : tare_wrap_pass(w, ptr, osize, nsize);
}

static void *only_pass(tare_wrap *w, void *ptr, size_t osize, size_t nsize) {
  return tare_wrap_pass(w, ptr, osize, nsize);
}

/* Our wrapper directly inside, or NULL. */
static tare_wrap *below(const tare_wrap *w) {
  return w->next == wrapped ? (tare_wrap *)w->next_ud : NULL;
}

lua_Alloc tare_wrap_inside(lua_Alloc alloc, void **ud) {
  while (alloc == wrapped) {
    const tare_wrap *w = (const tare_wrap *)*ud;
    alloc = w->next;
    *ud = w->next_ud;
  }
  return alloc;
}

void tare_wrap_begin(lua_State *L, tare_wrap *w, tare_wrapper wrapper) {
  w->wrapper = wrapper;
  w->above = NULL;
  w->next = lua_getallocf(L, &w->next_ud);
  w->in_place = 1;
  if (below(w) != NULL) below(w)->above = w;
  lua_setallocf(L, wrapped, w);
}

int tare_wrap_end(lua_State *L, tare_wrap *w) {
  void *ud;
  if (!w->in_place) return 1;
  if (lua_getallocf(L, &ud) == wrapped && ud == w) {
    lua_setallocf(L, w->next, w->next_ud);
  } else if (w->above != NULL) {
    w->above->next = w->next;
    w->above->next_ud = w->next_ud;
  } else {
    w->wrapper = only_pass;
    return 0;
  }
  if (below(w) != NULL) below(w)->above = w->above;
  w->in_place = 0;
  return 1;
}

#if LUA_VERSION_NUM >= 505

/* Its address is the key of the pool of memory for wrappers. */
static const char pool_key = 'w';

/*
** Precedes each wrapper, in a userdata without a finalizer that lives as long
** as the state.
*/
typedef struct kept_block {
  struct kept_block *next; /* the next free block */
  size_t size;
} kept_block;

/*
** A state that is closed frees its newest objects first, so strings that need a
** block are freed before that block.
*/
void *tare_wrap_new(lua_State *L, size_t size) {
  kept_block *pool = (kept_block *)tare_kept(L, &pool_key), **at, *b;
  if (pool == NULL) {
    kept_block *made = (kept_block *)lua_newuserdatauv(L, sizeof *made, 0);
    made->next = NULL;
    pool = (kept_block *)tare_kept(L, &pool_key);
    if (pool == NULL) {
      pool = made;
      tare_keep(L, &pool_key);
    } else {
      lua_pop(L, 1); /* a finalizer has made one meanwhile */
    }
  }
  at = &pool->next;
  while (*at != NULL && (*at)->size != size) at = &(*at)->next;
  b = *at;
  if (b != NULL) {
    *at = b->next;
    memset((char *)(b + 1) + sizeof(tare_wrap), 0, size - sizeof(tare_wrap));
    return b + 1;
  }
  b = (kept_block *)lua_newuserdatauv(L, sizeof *b + size, 0);
  memset(b, 0, sizeof *b + size);
  b->size = size;
  tare_keep(L, b);
  return b + 1;
}

void tare_wrap_free(lua_State *L, void *w, size_t size) {
  kept_block *pool = (kept_block *)tare_kept(L, &pool_key),
             *b = (kept_block *)w - 1;
  (void)size;
  if (pool == NULL) return;
  b->next = pool->next;
  pool->next = b;
}

#else

void *tare_wrap_new(lua_State *L, size_t size) {
  void *ud;
  lua_Alloc alloc = lua_getallocf(L, &ud);
  void *w = alloc(ud, NULL, 0, size);
  if (w != NULL) memset(w, 0, size);
  return w;
}

void tare_wrap_free(lua_State *L, void *w, size_t size) {
  void *ud;
  lua_Alloc alloc = lua_getallocf(L, &ud);
  (void)alloc(ud, w, size, 0);
}

#endif
