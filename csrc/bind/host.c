#include "bind/host.h"

#include "state/keep.h"

/* Its address is the key, in the registry, of the host's functions. */
static const char host_key = 'h';

const tare_host *tare_host_of(lua_State *L) {
  return (const tare_host *)tare_kept(L, &host_key);
}

void tare_set_host(lua_State *L, const tare_host *host) {
  tare_host *copy;
  if (tare_host_of(L) != NULL) return;
  copy = (tare_host *)lua_newuserdata(L, sizeof *copy);
  *copy = *host;
  tare_keep(L, &host_key);
}

tare_clock tare_wall_of(lua_State *L) {
  const tare_host *host = tare_host_of(L);
  tare_clock c = tare_clock_wall();
  if (host != NULL && host->now_ns != NULL) {
    c.now = host->now_ns;
    c.ud = host->ud;
  }
  return c;
}

lua_Alloc tare_alloc_of(lua_State *L, const tare_host *host, void **ud) {
  if (host == NULL || host->alloc == NULL) return lua_getallocf(L, ud);
  *ud = host->ud;
  return host->alloc;
}

void *tare_new_block(lua_State *L, const tare_host *host, size_t size) {
  void *ud;
  lua_Alloc alloc = tare_alloc_of(L, host, &ud);
  return alloc(ud, NULL, 0, size);
}

void tare_free_block(lua_State *L, const tare_host *host, void *block,
                     size_t size) {
  void *ud;
  lua_Alloc alloc = tare_alloc_of(L, host, &ud);
  (void)alloc(ud, block, size, 0);
}
