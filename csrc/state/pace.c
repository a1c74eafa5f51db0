#include "state/pace_parts.h"

#include "state/gcmode.h"

double tare_heap_bytes(lua_State *L) {
  return lua_gc(L, LUA_GCCOUNT, 0) * 1024.0 + lua_gc(L, LUA_GCCOUNTB, 0);
}

void tare_pace_see(lua_State *L, tare_pace *p) {
  double heap = tare_heap_bytes(L);
  double grown = heap - p->heap_bytes;
  if (grown > 0.0) {
    p->since_bytes += grown;
    p->born_bytes += grown;
  }
  p->heap_bytes = heap;
}

double tare_pace_grain_bytes(const tare_pace *p) {
  double grain = p->heap_bytes / 32.0;
  return grain < 1024.0 ? 1024.0 : grain > 8192.0 ? 8192.0 : grain;
}

void tare_pace_take(lua_State *L, tare_pace *p) {
  double heap = tare_heap_bytes(L);
  if (!p->held) {
    p->was_running = tare_gc_is_running(L);
    p->lost = heap < p->heap_bytes || heap > p->heap_bytes + 4096.0;
  }
  p->held = 1;
  p->heap_bytes = heap;
  lua_gc(L, LUA_GCSTOP, 0);
}

int tare_pace_percent(lua_State *L) {
  int percent = lua_gc(L, LUA_GCSETPAUSE, 200);
  lua_gc(L, LUA_GCSETPAUSE, percent);
  return percent;
}
