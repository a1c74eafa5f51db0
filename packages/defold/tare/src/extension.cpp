// tare as a native extension of Defold: the module 'tare' is a global of scripts.
#include <dmsdk/sdk.h>

#include "tare.h"

static dmExtension::Result Initialize(dmExtension::Params *params) {
  lua_State *L = params->m_L;
  int top = lua_gettop(L);
  dmExtension::Result result = dmExtension::RESULT_OK;
  if (tare_open(L, NULL) == TARE_OK) {
    lua_setglobal(L, "tare");
  } else {
    dmLogError("%s", lua_tostring(L, -1));
    result = dmExtension::RESULT_INIT_ERROR;
  }
  lua_settop(L, top);
  return result;
}

static dmExtension::Result Finalize(dmExtension::Params *) {
  return dmExtension::RESULT_OK;
}

DM_DECLARE_EXTENSION(tare, "tare", 0, 0, Initialize, 0, 0, Finalize)
