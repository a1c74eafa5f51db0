/* What each package is tried with: opens tare, records a frame, measures. */
#include <stdio.h>
#include <string.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "tare.h"

int main(void) {
  static const char source[] =
      "local s = (...).suite 's'\n"
      "s:bench('table', function() return {} end)\n"
      "return s, {quota = '20ms'}";
  lua_State *L = luaL_newstate();
  tare_frames *frames;
  int status;
  if (L == NULL) return 1;
  luaL_openlibs(L);
  if (tare_open(L, NULL) != TARE_OK) return 2;
  frames = tare_frames_new(L, NULL);
  if (frames == NULL) return 3;
  if (tare_session_new(L, source, strlen(source), "=source") != TARE_OK)
    return 4;
  do {
    tare_frame_begin(frames);
    status = tare_session_step(L, -1, 2.0, NULL);
    if (tare_frame_end(frames) != TARE_OK) return 5;
  } while (status == TARE_OK);
  if (status != TARE_DONE || tare_session_report(L, -1, "text") != TARE_OK)
    return 6;
  puts(lua_tostring(L, -1));
  lua_close(L);
  return 0;
}
