/*
** A libFuzzer target in Lua: TARE_FUZZ names a file that returns a function,
** which gets each input as a string and raises an error where it finds a fault.
** The lines of Lua that an input reaches count as coverage, beside the core's.
*/
#include <lua.h>
#include <lauxlib.h>
#include <lualib.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define LINES 65536
#define TRACED 8 /* of so many inputs one is traced, which costs a third */

int luaopen_tare_core(lua_State *L);
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

__attribute__((
    section("__libfuzzer_extra_counters"))) static uint8_t reached[LINES];

static lua_State *state;

static uint32_t line_before;

static unsigned long inputs;

/*
** A line after a line, as a step. Which source they are in would be the costly
** question here; a step tells apart what a line's number alone would not.
*/
static void note_line(lua_State *L, lua_Debug *ar) {
  uint32_t line = (uint32_t)ar->currentline;
  (void)L;
  reached[(line_before * 2654435761u + line * 40503u) % LINES]++;
  line_before = line;
}

static void die(const char *what) {
  fprintf(stderr, "%s: %s\n", what, lua_tostring(state, -1));
  abort();
}

static int traced(lua_State *L) {
  luaL_traceback(L, L, lua_tostring(L, 1), 1);
  return 1;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  const char *file = getenv("TARE_FUZZ");
  (void)argc;
  (void)argv;
  state = luaL_newstate();
  if (state == NULL || file == NULL) abort();
  luaL_openlibs(state);
  lua_getfield(state, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(state, luaopen_tare_core);
  lua_setfield(state, -2, "tare.core");
  lua_settop(state, 0);
  lua_pushcfunction(state, traced);
  if (luaL_loadfile(state, file) || lua_pcall(state, 0, 1, 1)) die(file);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  lua_settop(state, 2);
  lua_pushvalue(state, 2);
  line_before = 0;
  inputs++;
  lua_sethook(state, note_line, inputs % TRACED == 1 ? LUA_MASKLINE : 0, 0);
  lua_pushlstring(state, (const char *)data, size);
  if (lua_pcall(state, 1, 0, 1)) die("found");
  return 0;
}
