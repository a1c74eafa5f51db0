/* The module 'tare.core': gathers what the other binding files offer. */
#include "tare.h"
#include "bind/bind.h"
#include "platform/resident.h"

int luaopen_tare_core(lua_State *L) {
  /* Lua 5.5 has every symbol that 5.4's core needs, and larger structures than
  ** that core makes room for. */
  luaL_checkversion(L);
  tare_stay_resident();
  lua_newtable(L);
  lua_pushliteral(L, TARE_VERSION);
  lua_setfield(L, -2, "version");
#if defined(TARE_SOURCES) /* a checksum of the files that it was built from */
  lua_pushliteral(L, TARE_SOURCES);
  lua_setfield(L, -2, "sources");
#endif
  tare_bind_samples(L);
  tare_bind_json(L);
  tare_bind_platform(L);
  tare_bind_gc(L);
  tare_bind_pacer(L);
  tare_bind_meter(L);
  tare_bind_deadline(L);
  tare_bind_probe(L);
  tare_bind_profile(L);
  tare_bind_stats(L);
  tare_bind_distributions(L);
  tare_bind_two_samples(L);
  tare_bind_regression(L);
  tare_bind_bootstrap(L);
  tare_bind_growth(L);
  tare_bind_frames(L);
#if !defined(TARE_EMBEDDED) /* a library in a host starts no processes */
  tare_bind_process(L);
#endif
  return 1;
}
