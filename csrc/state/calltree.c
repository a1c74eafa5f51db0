#include "state/calltree.h"

#include <assert.h>
#include <string.h>

#include "pure/hash.h"

#define FIRST_ROOM 16

void *tare_rows_grow(tare_rows *r, lua_Alloc alloc, void *ud, size_t more) {
  char *data = (char *)r->data;
  if (r->count + more > r->room) {
    size_t room = r->room > 0 ? 2 * r->room : FIRST_ROOM;
    while (room < r->count + more) room *= 2;
    data = (char *)alloc(ud, r->data, r->data ? r->room * r->size : 0,
                         room * r->size);
    if (data == NULL) return NULL;
    r->data = data;
    r->room = room;
  }
  r->count += more;
  return data + (r->count - more) * r->size;
}

void tare_rows_free(tare_rows *r, lua_Alloc alloc, void *ud) {
  if (r->data != NULL) alloc(ud, r->data, r->room * r->size, 0);
}

static void *grow(tare_calltree *t, tare_rows *r, size_t more) {
  void *new_ones = tare_rows_grow(r, t->alloc, t->ud, more);
  if (new_ones == NULL) t->failed = 1;
  return new_ones;
}

static size_t keep_text(tare_calltree *t, const char *text) {
  size_t length = strlen(text) + 1, offset = t->texts.count;
  char *copy = (char *)grow(t, &t->texts, length);
  if (copy == NULL) return 0;
  memcpy(copy, text, length);
  return offset;
}

static uint64_t mixed(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 29);
}

static uint64_t hash_of_callee(const char *source, int line, int last_line,
                               const char *name) {
  const char *text = source ? source : name;
  uint64_t hash = tare_hash(text, strlen(text));
  return mixed(mixed(hash, (uint64_t)(unsigned)line),
               (uint64_t)(unsigned)last_line);
}

static uint64_t hash_of_place(uint32_t parent, uint32_t callee, int line) {
  return mixed(mixed(mixed(0, parent), callee), (uint64_t)(unsigned)line);
}

static uint64_t hash_at(const tare_calltree *t, const tare_rows *slots,
                        uint32_t number) {
  const tare_callee *c;
  const tare_place *p;
  if (slots == &t->place_slots) {
    p = tare_place_at(t, number);
    return hash_of_place(p->parent, p->callee, p->line);
  }
  c = tare_callee_at(t, number);
  return hash_of_callee(c->is_c ? NULL : tare_calltree_text(t, c->source),
                        c->line, c->last_line, tare_calltree_text(t, c->name));
}

static void put(tare_rows *slots, uint64_t hash, uint32_t number) {
  uint32_t *at = (uint32_t *)slots->data;
  size_t i = (size_t)hash & (slots->count - 1);
  assert(at != NULL); /* enter() has made room */
  while (at[i] != 0) i = (i + 1) & (slots->count - 1);
  at[i] = number;
}

/* Enters the last of 'numbers' numbers in a hash table. */
static void enter(tare_calltree *t, tare_rows *slots, size_t numbers,
                  uint64_t hash) {
  if (numbers * 2 > slots->count) {
    tare_rows wider = {NULL, 0, 0, sizeof(uint32_t)};
    size_t room = slots->count > 0 ? 2 * slots->count : 4 * FIRST_ROOM, i;
    if (grow(t, &wider, room) == NULL) return;
    memset(wider.data, 0, room * sizeof(uint32_t));
    for (i = 1; i + 1 < numbers; i++)
      put(&wider, hash_at(t, slots, (uint32_t)i), (uint32_t)i);
    tare_rows_free(slots, t->alloc, t->ud);
    *slots = wider;
  }
  put(slots, hash, (uint32_t)(numbers - 1));
}

/* Number 0 is the root among places, and no function among callees. */
void tare_calltree_init(tare_calltree *t, lua_Alloc alloc, void *ud) {
  void *root, *none;
  memset(t, 0, sizeof *t);
  t->alloc = alloc;
  t->ud = ud;
  t->texts.size = 1;
  t->callees.size = sizeof(tare_callee);
  t->places.size = sizeof(tare_place);
  t->callee_slots.size = t->place_slots.size = sizeof(uint32_t);
  (void)keep_text(t, "");
  none = grow(t, &t->callees, 1);
  root = grow(t, &t->places, 1);
  if (none != NULL) memset(none, 0, sizeof(tare_callee));
  if (root != NULL) memset(root, 0, sizeof(tare_place));
}

void tare_calltree_free(tare_calltree *t) {
  tare_rows_free(&t->texts, t->alloc, t->ud);
  tare_rows_free(&t->callees, t->alloc, t->ud);
  tare_rows_free(&t->places, t->alloc, t->ud);
  tare_rows_free(&t->callee_slots, t->alloc, t->ud);
  tare_rows_free(&t->place_slots, t->alloc, t->ud);
}

void tare_calltree_zero(tare_calltree *t) {
  uint32_t i;
  for (i = 0; i < t->callees.count; i++)
    tare_callee_at(t, i)->calls = tare_callee_at(t, i)->ns = 0.0;
  for (i = 0; i < t->places.count; i++) {
    tare_place *p = tare_place_at(t, i);
    p->calls = p->instructions = p->allocs = p->bytes = p->freed_bytes = 0.0;
    p->ns = p->intervals = 0.0;
  }
}

static int is_callee(const tare_calltree *t, uint32_t number,
                     const char *source, int line, int last_line,
                     const char *name) {
  const tare_callee *c = tare_callee_at(t, number);
  if (c->is_c != (source == NULL)) return 0;
  if (c->is_c) return strcmp(tare_calltree_text(t, c->name), name) == 0;
  return c->line == line && c->last_line == last_line &&
         strcmp(tare_calltree_text(t, c->source), source) == 0;
}

uint32_t tare_calltree_callee(tare_calltree *t, const char *source, int line,
                              int last_line, const char *name) {
  uint64_t hash = hash_of_callee(source, line, last_line, name);
  const uint32_t *at = (const uint32_t *)t->callee_slots.data;
  size_t mask = t->callee_slots.count - 1, i;
  tare_callee *c;
  if (t->failed) return 0;
  for (i = (size_t)hash & mask; at && at[i] != 0; i = (i + 1) & mask)
    if (is_callee(t, at[i], source, line, last_line, name)) return at[i];
  c = (tare_callee *)grow(t, &t->callees, 1);
  if (c == NULL) return 0;
  memset(c, 0, sizeof *c);
  c->line = line;
  c->last_line = last_line;
  c->is_c = c->is_named = source == NULL;
  if (source == NULL)
    c->name = keep_text(t, name);
  else
    c->source = keep_text(t, source);
  enter(t, &t->callee_slots, t->callees.count, hash);
  return (uint32_t)(t->callees.count - 1);
}

void tare_calltree_name(tare_calltree *t, uint32_t callee, const char *name,
                        int final) {
  tare_callee *c = tare_callee_at(t, callee);
  const char *known = tare_calltree_text(t, c->name);
  if (c->is_named || callee == 0 || name == NULL || name[0] == '\0') return;
  if (final || known[0] == '\0' || strcmp(name, known) < 0)
    c->name = keep_text(t, name);
  c->is_named = final;
}

uint32_t tare_calltree_place(tare_calltree *t, uint32_t parent, uint32_t callee,
                             int line) {
  const uint32_t *at = (const uint32_t *)t->place_slots.data;
  size_t mask = t->place_slots.count - 1, i;
  uint64_t hash;
  tare_place *p;
  if (t->failed) return TARE_ROOT;
  if (tare_place_at(t, parent)->depth >= TARE_CALLTREE_DEPTH)
    parent = tare_place_at(t, parent)->parent;
  hash = hash_of_place(parent, callee, line);
  for (i = (size_t)hash & mask; at && at[i] != 0; i = (i + 1) & mask) {
    p = tare_place_at(t, at[i]);
    if (p->parent == parent && p->callee == callee && p->line == line)
      return at[i];
  }
  p = (tare_place *)grow(t, &t->places, 1);
  if (p == NULL) return TARE_ROOT;
  memset(p, 0, sizeof *p);
  p->parent = parent;
  p->callee = callee;
  p->line = line;
  p->depth = tare_place_at(t, parent)->depth + 1;
  enter(t, &t->place_slots, t->places.count, hash);
  return t->failed ? TARE_ROOT : (uint32_t)(t->places.count - 1);
}
