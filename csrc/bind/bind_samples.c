/* core.samples: the column store as a userdata. */
#include "bind/bind.h"
#include "bind/host.h"
#include "bind/userdata.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct store {
  tare_samples samples;  /* the first field: a store is one of these */
  const tare_host *host; /* whose memory it is in, see tare_new_block() */
} store;

tare_samples *tare_check_samples(lua_State *L, int i) {
  return (tare_samples *)luaL_checkudata(L, i, TARE_SAMPLES);
}

tare_samples *tare_check_open_samples(lua_State *L, int i) {
  tare_samples *s = tare_check_samples(L, i);
  luaL_argcheck(L, s->capacity > 0, i, "the store is closed");
  return s;
}

/*
** Upvalue 1 of each method: the columns' names as a list, and each name's place
** in it. So to read a row neither searches for a name nor creates one.
*/
#define COLUMNS lua_upvalueindex(1)

static void push_columns(lua_State *L) {
  int c;
  lua_createtable(L, TARE_COLUMN_COUNT, TARE_COLUMN_COUNT);
  for (c = 0; c < TARE_COLUMN_COUNT; c++) {
    lua_pushstring(L, tare_column_name(c));
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, c + 1);
    lua_pushinteger(L, c + 1);
    lua_rawset(L, -3);
  }
}

/* The column whose name is on top of the stack, which it pops, or -1. */
static int pop_column(lua_State *L) {
  int place;
  lua_rawget(L, COLUMNS);
  place = (int)lua_tointeger(L, -1); /* 0: no such name */
  lua_pop(L, 1);
  return place - 1;
}

/* The column named at index 'i', or a Lua error that names the argument. */
static int check_column(lua_State *L, int i) {
  int column;
  (void)luaL_checkstring(L, i);
  lua_pushvalue(L, i);
  column = pop_column(L);
  luaL_argcheck(L, column >= 0, i, "no such column");
  return column;
}

/* The row at index 2: from 1, or from -1, which is the last. */
static size_t check_row(lua_State *L, const tare_samples *s) {
  lua_Number row = luaL_checknumber(L, 2);
  if (row < 0) row += (lua_Number)s->rows + 1;
  luaL_argcheck(L, row >= 1 && row <= (lua_Number)s->rows, 2, "no such row");
  return (size_t)row - 1;
}

static size_t memory_size(size_t capacity) {
  return tare_samples_doubles(capacity) * sizeof(double);
}

/*
** samples(capacity) -> store. Its memory comes from the state's allocator but
** is not the collector's: a large store must not change the pace of the heap
** that is measured.
*/
static int samples_new(lua_State *L) {
  lua_Number wanted = luaL_checknumber(L, 1);
  const tare_host *host = tare_host_of(L);
  store *s;
  double *memory;
  size_t capacity;
  luaL_argcheck(L, wanted >= 2 && wanted <= 1e7, 1, "must be in [2, 1e7]");
  capacity = (size_t)wanted;
  s = (store *)lua_newuserdata(L, sizeof *s);
  memset(s, 0, sizeof *s);
  s->host = host;
  luaL_getmetatable(L, TARE_SAMPLES);
  lua_setmetatable(L, -2);
  memory = (double *)tare_new_block(L, host, memory_size(capacity));
  if (memory == NULL) return luaL_error(L, "not enough memory for samples");
  tare_samples_init(&s->samples, memory, capacity);
  return 1;
}

static int samples_gc(lua_State *L) {
  tare_samples *s = tare_check_samples(L, 1);
  if (s->capacity > 0)
    tare_free_block(L, ((const store *)s)->host, s->col[0],
                    memory_size(s->capacity));
  memset(s, 0, sizeof *s);
  return 0;
}

/* store:push{column = number, ...}: appends a row. */
static int samples_push(lua_State *L) {
  tare_samples *s = tare_check_open_samples(L, 1);
  double values[TARE_COLUMN_COUNT];
  size_t row;
  int c;
  luaL_checktype(L, 2, LUA_TTABLE);
  for (c = 0; c < TARE_COLUMN_COUNT; c++) values[c] = NAN;
  for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1)) {
    luaL_argcheck(L, lua_type(L, -2) == LUA_TSTRING, 2, "keys must be names");
    lua_pushvalue(L, -2);
    c = pop_column(L);
    luaL_argcheck(L, c >= 0, 2, "no such column");
    luaL_argcheck(L, lua_type(L, -1) == LUA_TNUMBER, 2,
                  "values must be numbers");
    values[c] = lua_tonumber(L, -1);
  }
  row = tare_samples_append(s);
  for (c = 0; c < TARE_COLUMN_COUNT; c++) s->col[c][row] = values[c];
  return 0;
}

/* store:get(row, column) -> number; row counts from 1, or from the end. */
static int samples_get(lua_State *L) {
  const tare_samples *s = tare_check_samples(L, 1);
  size_t row = check_row(L, s);
  lua_pushnumber(L, s->col[check_column(L, 3)][row]);
  return 1;
}

/* store:set(row, column, number) */
static int samples_set(lua_State *L) {
  tare_samples *s = tare_check_samples(L, 1);
  size_t row = check_row(L, s);
  s->col[check_column(L, 3)][row] = luaL_checknumber(L, 4);
  return 0;
}

/*
** store:row(row [, table]) -> table: its fields become the values of the row;
** fields of columns without a value become nil; other fields stay. Allocates
** nothing where the table had the same fields before.
*/
static int samples_row(lua_State *L) {
  const tare_samples *s = tare_check_samples(L, 1);
  size_t row;
  int c;
  if (lua_isnoneornil(L, 3)) {
    lua_settop(L, 2);
    lua_createtable(L, 0, TARE_COLUMN_COUNT);
  }
  luaL_checktype(L, 3, LUA_TTABLE);
  lua_settop(L, 3);
  row = check_row(L, s); /* now: a finalizer may have closed the store */
  for (c = 0; c < TARE_COLUMN_COUNT; c++) {
    double value = s->col[c][row];
    lua_rawgeti(L, COLUMNS, c + 1);
    if (isnan(value)) { /* to set an absent field to nil may allocate */
      lua_pushvalue(L, -1);
      lua_rawget(L, 3);
      if (lua_isnil(L, -1)) {
        lua_pop(L, 2);
        continue;
      }
      lua_pop(L, 1);
      lua_pushnil(L);
    } else {
      lua_pushnumber(L, value);
    }
    lua_rawset(L, 3);
  }
  return 1;
}

/*
** store:json(row) -> the row as one JSON object, without the columns that have
** no value in it
*/
static int samples_json(lua_State *L) {
  const tare_samples *s = tare_check_samples(L, 1);
  char text[TARE_SAMPLES_JSON_SIZE];
  size_t length = tare_samples_row_json(s, check_row(L, s), text, sizeof text);
  assert(length > 0);
  lua_pushlstring(L, text, length);
  return 1;
}

/* store:drop([row]): takes a row back, the last by default. */
static int samples_drop(lua_State *L) {
  tare_samples *s = tare_check_samples(L, 1);
  size_t row;
  int c;
  if (!lua_isnoneornil(L, 2)) {
    row = check_row(L, s);
    for (c = 0; c < TARE_COLUMN_COUNT; c++)
      memmove(s->col[c] + row, s->col[c] + row + 1,
              (s->rows - row - 1) * sizeof(double));
  }
  if (s->rows > 0) s->rows--;
  return 0;
}

static int has_values(const tare_samples *s, int column) {
  size_t i;
  for (i = 0; i < s->rows; i++)
    if (!isnan(s->col[column][i])) return 1;
  return 0;
}

/* store:columns() -> {name = {number, ...}}: the columns that have values. */
static int samples_columns(lua_State *L) {
  const tare_samples *s = tare_check_samples(L, 1);
  size_t i;
  int c;
  lua_newtable(L);
  for (c = 0; c < TARE_COLUMN_COUNT; c++) {
    if (!has_values(s, c)) continue;
    lua_createtable(L, (int)s->rows, 0);
    for (i = 0; i < s->rows; i++) {
      lua_pushnumber(L, s->col[c][i]);
      lua_rawseti(L, -2, (int)i + 1);
    }
    lua_setfield(L, -2, tare_column_name(c));
  }
  return 1;
}

/* #store: its rows. */
static int samples_len(lua_State *L) {
  lua_pushnumber(L, (lua_Number)tare_check_samples(L, 1)->rows);
  return 1;
}

/* store:thinned() -> rows that were dropped to keep within the capacity */
static int samples_thinned(lua_State *L) {
  lua_pushnumber(L, tare_check_samples(L, 1)->thinned);
  return 1;
}

static const luaL_Reg methods[] = {
    {"push", samples_push},
    {"get", samples_get},
    {"set", samples_set},
    {"row", samples_row},
    {"json", samples_json},
    {"drop", samples_drop},
    {"columns", samples_columns},
    {"thinned", samples_thinned},
    {"__len", samples_len},
    {"__gc", samples_gc},
    {NULL, NULL},
};

void tare_bind_samples(lua_State *L) {
  push_columns(L);
  tare_define_type(L, TARE_SAMPLES, methods, 1);
  lua_pushcfunction(L, samples_new);
  lua_setfield(L, -2, "samples");
}
