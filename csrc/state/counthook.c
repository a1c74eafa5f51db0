#include "state/counthook.h"

#include "state/keep.h"

/* Its address is the key, in the registry, of the counter that is active. */
static const char key = 'c';

static tare_counthook *active(lua_State *L) {
  return (tare_counthook *)tare_kept(L, &key);
}

/*
** A coroutine has the hook of the thread that made it. The hook removes itself
** once nothing counts.
*/
static void count(lua_State *L, lua_Debug *ar) {
  tare_counthook *c = active(L);
  (void)ar;
  if (c)
    c->instructions++;
  else
    lua_sethook(L, NULL, 0, 0);
}

void tare_counthook_begin(lua_State *L, tare_counthook *c) {
  c->outer = active(L);
  c->hook = tare_hook_get(L);
  c->instructions = 0.0;
  tare_keep_address(L, &key, c);
  lua_sethook(L, count, LUA_MASKCOUNT, 1);
}

void tare_counthook_end(lua_State *L, tare_counthook *c) {
  tare_hook_put(L, &c->hook);
  tare_keep_address(L, &key, c->outer);
  if (c->outer) c->outer->instructions += c->instructions;
}
