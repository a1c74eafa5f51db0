#include "state/hook.h"

tare_hook tare_hook_get(lua_State *L) {
  tare_hook hook;
  hook.function = lua_gethook(L);
  hook.mask = lua_gethookmask(L);
  hook.count = lua_gethookcount(L);
  return hook;
}

void tare_hook_put(lua_State *L, const tare_hook *hook) {
  if (lua_gethook(L) == hook->function && lua_gethookmask(L) == hook->mask &&
      lua_gethookcount(L) == hook->count)
    return;
  lua_sethook(L, hook->function, hook->mask, hook->count);
}
