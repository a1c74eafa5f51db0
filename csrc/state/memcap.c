#include "state/memcap.h"

#include <stddef.h>

static void *capped(tare_wrap *w, void *ptr, size_t osize, size_t nsize) {
  tare_memcap *c = (tare_memcap *)w;
  size_t had = ptr != NULL ? osize : 0; /* else 'osize' may be a type */
  if (nsize > had) {
    if (nsize - had > c->left) {
      c->reached = 1;
      c->left = 0;
      return NULL;
    }
    c->left -= nsize - had;
  } else if (!c->reached) {
    size_t back = had - nsize; /* also of blocks from before the cap */
    c->left = back > (size_t)-1 - c->left ? (size_t)-1 : c->left + back;
  }
  return tare_wrap_pass(w, ptr, osize, nsize);
}

void tare_memcap_begin(lua_State *L, tare_memcap *c, size_t bytes) {
  if (c->depth++ > 0) return;
  c->left = bytes;
  c->reached = 0;
  if (!c->wrap.in_place)
    tare_wrap_begin(L, &c->wrap, capped);
  else
    c->wrap.wrapper = capped; /* it is still in place, and only passed on */
}

int tare_memcap_end(lua_State *L, tare_memcap *c) {
  if (c->depth > 0 && --c->depth > 0) return 0;
  return tare_wrap_end(L, &c->wrap);
}
