#include "state/census.h"

#include <assert.h>
#include <stddef.h>

/* For a new block, stock Lua passes the type of its object as the old size. */
static tare_block kind_of(size_t tag) {
  switch (tag) {
  case LUA_TSTRING: return TARE_BLOCK_STRING;
  case LUA_TTABLE: return TARE_BLOCK_TABLE;
  case LUA_TFUNCTION: return TARE_BLOCK_FUNCTION;
  case LUA_TUSERDATA: return TARE_BLOCK_USERDATA;
  case LUA_TTHREAD: return TARE_BLOCK_THREAD;
  default: return TARE_BLOCK_OTHER;
  }
}

static void count_new(tare_census *c, size_t tag, size_t size) {
  tare_tally *tally = &c->kind[kind_of(tag)];
  c->allocs++;
  c->bytes += (double)size;
  tally->allocs++;
  tally->bytes += (double)size;
}

static void count_resize(tare_census *c, size_t from, size_t to) {
  c->reallocs++;
  if (to > from) {
    c->bytes += (double)(to - from);
    c->kind[TARE_BLOCK_OTHER].bytes += (double)(to - from);
  } else {
    c->freed_bytes += (double)(from - to);
  }
}

static void *counting(tare_wrap *w, void *ptr, size_t osize, size_t nsize) {
  tare_census *c = (tare_census *)w;
  void *block = tare_wrap_pass(w, ptr, osize, nsize);
  if (nsize == 0) {
    if (ptr != NULL) c->freed_bytes += (double)osize;
  } else if (block == NULL) {
    return NULL;
  } else if (ptr == NULL) {
    count_new(c, osize, nsize);
  } else {
    count_resize(c, osize, nsize);
  }
  if (c->bytes - c->freed_bytes > c->peak_bytes)
    c->peak_bytes = c->bytes - c->freed_bytes;
  return block;
}

void tare_census_begin(lua_State *L, tare_census *c) {
  int kind;
  c->allocs = c->reallocs = c->bytes = c->freed_bytes = c->peak_bytes = 0.0;
  for (kind = 0; kind < TARE_BLOCK_KINDS; kind++)
    c->kind[kind].allocs = c->kind[kind].bytes = 0.0;
  tare_wrap_begin(L, &c->wrap, counting);
}

int tare_census_end(lua_State *L, tare_census *c) {
  return tare_wrap_end(L, &c->wrap);
}

const char *tare_block_name(tare_block kind) {
  static const char *const names[] = {"string",   "table",  "function",
                                      "userdata", "thread", "other"};
  assert(kind >= 0 && kind < TARE_BLOCK_KINDS);
  return names[kind];
}
