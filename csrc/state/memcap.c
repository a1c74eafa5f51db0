#include "state/memcap.h"

#include <stddef.h>

static void *capped(void *ud, void *ptr, size_t osize, size_t nsize) {
  tare_memcap *c = (tare_memcap *)ud;
  size_t had = ptr != NULL ? osize : 0; /* else 'osize' may be a type */
  if (nsize > had) {
    if (nsize - had > c->left) {
      c->reached = 1;
      c->left = 0;
      return NULL;
    }
    c->left -= nsize - had;
  } else if (!c->reached) {
    c->left += had - nsize;
  }
  return c->next(c->next_ud, ptr, osize, nsize);
}

void tare_memcap_begin(lua_State *L, tare_memcap *c, size_t bytes) {
  c->left = bytes;
  c->reached = 0;
  c->next = lua_getallocf(L, &c->next_ud);
  lua_setallocf(L, capped, c);
}

void tare_memcap_end(lua_State *L, tare_memcap *c) {
  void *ud;
  if (c->next == NULL) return;
  if (lua_getallocf(L, &ud) == capped && ud == c)
    lua_setallocf(L, c->next, c->next_ud);
  c->next = NULL;
}
