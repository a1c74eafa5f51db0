// An engine with an extension in it: scripts find 'tare', and frames are recorded.
#include <dmsdk/sdk.h>

extern "C" {
#include <lua5.1/lualib.h>
}

extern dmExtension::Extension tare;

int main() {
  static const char script[] =
      "local recorder = tare.frames { budget_ms = 16 }\n"
      "for _ = 1, 10 do recorder:begin() recorder:finish() end\n"
      "assert(recorder:result().frames == 10)\n"
      "collectgarbage 'stop'\n"
      "local suite = tare.suite 's'\n"
      "suite:bench('table', function() return {} end)\n"
      "local session, done = tare.session(suite, { quota = '20ms' }), false\n"
      "repeat done = session:step(2) until done\n"
      "local text = tare.render(session:report(), 'text')\n"
      "if rawget(_G, 'jit') then assert(text:find 'was stopped', text) end\n";
  dmExtension::Params params = {luaL_newstate()};
  lua_State *L = params.m_L;
  luaL_openlibs(L);
  if (tare.initialize(&params) != dmExtension::RESULT_OK) return 1;
  if (lua_gettop(L) != 0) return 2;
  if (luaL_dostring(L, script) != 0) {
    puts(lua_tostring(L, -1));
    return 3;
  }
  tare.finalize(&params);
  lua_close(L);
  return 0;
}
