/*
** A stand-in for the headers of Defold's engine: what the extension uses of them,
** so that it can be compiled and run here. Lua's are those of 5.1, as Defold's.
*/
#include <stdio.h>

extern "C" {
#include <dmsdk/lua/lauxlib.h>
#include <dmsdk/lua/lua.h>
}

#define dmLogError(...) printf(__VA_ARGS__)

namespace dmExtension {
enum Result { RESULT_OK = 0, RESULT_INIT_ERROR = -1 };
struct AppParams;
struct Event;
struct Params {
  lua_State *m_L;
};
struct Extension {
  const char *name;
  Result (*initialize)(Params *);
  Result (*finalize)(Params *);
};
}  // namespace dmExtension

#define DM_DECLARE_EXTENSION(symbol, name, app_init, app_final, init, update, \
                             on_event, final)                                \
  dmExtension::Extension symbol = {name, init, final};
