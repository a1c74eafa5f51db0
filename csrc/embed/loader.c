#include "embed/loader.h"

#include <string.h>

#include "embed/modules.h"
#include "pure/unpack.h"
#include "tare.h"

/*
** Precedes each module, on its first line: its chunk is called with 'require'.
*/
#define PROLOGUE "local require = ... "
#define PROLOGUE_SIZE (sizeof PROLOGUE - 1)

static const tare_module *find(const char *name) {
  const tare_module *m;
  for (m = tare_modules + 1; m->name != NULL; m++)
    if (strcmp(m->name, name) == 0) return m;
  return NULL;
}

/* Unpacks a module behind the 'known' bytes of its history. */
static void unpack(lua_State *L, const tare_module *m, char *out,
                   size_t known) {
  size_t size = known + m->size;
  if (tare_unpack(tare_packed + m->at, m[1].at - m->at, out, known, size) !=
      size)
    luaL_error(L, "tare: module '%s' is broken", m->name);
}

/* Pushes the module's chunk. The prologue takes the place of the history. */
static void push_chunk(lua_State *L, const tare_module *m) {
  const tare_module *history = &tare_modules[0];
  size_t size = PROLOGUE_SIZE + m->size;
  char *room = (char *)lua_newuserdata(L, history->size + size);
  char *text = room + history->size;
  unpack(L, history, room + PROLOGUE_SIZE, 0);
  unpack(L, m, room + PROLOGUE_SIZE, history->size);
  memcpy(text, PROLOGUE, PROLOGUE_SIZE);
  lua_pushfstring(L, "=%s", m->name);
  if (luaL_loadbuffer(L, text, size, lua_tostring(L, -1)) != LUA_OK)
    lua_error(L);
  lua_replace(L, -3);
  lua_pop(L, 1);
}

/* Pushes what the state's own 'require' returns for the name at index 1. */
static void push_foreign(lua_State *L) {
  lua_getglobal(L, "require");
  if (lua_isnil(L, -1))
    luaL_error(L, "tare: no module '%s', and no 'require'", lua_tostring(L, 1));
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
}

/* require(name); upvalues: the table of loaded modules, then itself in it. */
static int own_require(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  const tare_module *m;
  lua_settop(L, 1);
  lua_pushvalue(L, 1);
  lua_rawget(L, lua_upvalueindex(1));
  if (!lua_isnil(L, -1)) return 1;
  if (strcmp(name, "tare.core") == 0) {
    lua_pushcfunction(L, luaopen_tare_core);
    lua_call(L, 0, 1);
  } else if ((m = find(name)) != NULL) {
    push_chunk(L, m);
    lua_rawgeti(L, lua_upvalueindex(1), 1);
    lua_call(L, 1, 1);
  } else {
    push_foreign(L);
    return 1;
  }
  lua_pushvalue(L, 1);
  lua_pushvalue(L, -2);
  lua_rawset(L, lua_upvalueindex(1));
  return 1;
}

/*
** Enters the function on top in package.preload for every built-in module, if
** the state has that table. No global is read, since reading one that does not
** exist may be an error.
*/
static void preload(lua_State *L) {
  const tare_module *m;
  lua_getfield(L, LUA_REGISTRYINDEX, "_LOADED");
  if (lua_istable(L, -1)) {
    lua_getfield(L, -1, "package");
    lua_remove(L, -2);
  }
  if (lua_istable(L, -1)) {
    lua_getfield(L, -1, "preload");
    for (m = tare_modules + 1; m->name != NULL && lua_istable(L, -1); m++) {
      lua_pushvalue(L, -3);
      lua_setfield(L, -2, m->name);
    }
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

void tare_push_require(lua_State *L) {
  if (tare_modules[0].name == NULL) {
    lua_getglobal(L, "require");
    return;
  }
  lua_createtable(L, 1, 0);
  lua_pushvalue(L, -1);
  lua_pushcclosure(L, own_require, 1);
  lua_pushvalue(L, -1);
  lua_rawseti(L, -3, 1);
  lua_remove(L, -2);
  preload(L);
}
