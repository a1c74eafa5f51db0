#include "state/pace_parts.h"

#include "state/gcsettings.h"

void tare_pace_see(lua_State *L, tare_pace *p) {
  double heap = tare_heap_bytes(L);
  double grown = heap - p->heap_bytes;
  if (grown > 0.0) {
    p->since_bytes += grown;
    p->born_bytes += grown;
    p->spent_bytes += grown;
  }
  p->heap_bytes = heap;
}

double tare_pace_grain_bytes(const tare_pace *p) {
  double grain = p->heap_bytes / 32.0;
  return grain < 1024.0 ? 1024.0 : grain > 8192.0 ? 8192.0 : grain;
}

void tare_pace_take(lua_State *L, tare_pace *p) {
  if (!p->held) p->was_running = tare_gc_is_running(L);
  p->held = 1;
}

#if LUA_VERSION_NUM < 505

void tare_pace_weigh(lua_State *L, tare_pace *p) {
  (void)L;
  (void)p;
}

int tare_pace_asks(const tare_pace *p) {
  (void)p;
  return 0;
}

#endif
