#include "pure/draw.h"

#include <assert.h>

int tare_plan_simple(const tare_plan *p) {
  return p->start == NULL && p->block <= 1;
}

static size_t group_size(const tare_plan *p, size_t g) {
  return p->start[g + 1] - p->start[g];
}

size_t tare_plan_capacity(const tare_plan *p) {
  size_t largest = 0, g;
  if (p->start == NULL) return p->rows;
  for (g = 0; g < p->groups; g++)
    if (group_size(p, g) > largest) largest = group_size(p, g);
  return largest * p->groups;
}

static size_t draw_blocks(const tare_plan *p, tare_rng *rng, uint32_t *index) {
  uint64_t starts = p->rows - p->block + 1;
  size_t n = 0, k;
  assert(p->block <= p->rows);
  while (n < p->rows) {
    size_t from = tare_low_below(tare_rng_next(rng), starts);
    for (k = 0; k < p->block && n < p->rows; k++)
      index[n++] = (uint32_t)(from + k);
  }
  return n;
}

static size_t draw_groups(const tare_plan *p, tare_rng *rng, uint32_t *index) {
  size_t n = 0, drawn, i;
  for (drawn = 0; drawn < p->groups; drawn++) {
    size_t g = tare_low_below(tare_rng_next(rng), p->groups);
    size_t size = group_size(p, g);
    tare_rng_indices(rng, index + n, size, size);
    for (i = 0; i < size; i++) index[n + i] += p->start[g];
    n += size;
  }
  return n;
}

size_t tare_plan_draw(const tare_plan *p, tare_rng *rng, uint32_t *index) {
  if (p->start != NULL) return draw_groups(p, rng, index);
  if (p->block > 1) return draw_blocks(p, rng, index);
  tare_rng_indices(rng, index, p->rows, p->rows);
  return p->rows;
}

size_t tare_plan_units(const tare_plan *p) {
  if (p->start != NULL) return p->groups;
  if (p->block > 1) return (p->rows + p->block - 1) / p->block;
  return p->rows;
}

void tare_plan_unit(const tare_plan *p, size_t u, size_t *first, size_t *last) {
  size_t length = p->block > 1 ? p->block : 1;
  assert(u < tare_plan_units(p));
  if (p->start != NULL) {
    *first = p->start[u];
    *last = p->start[u + 1];
  } else {
    *first = u * length;
    *last = *first + length < p->rows ? *first + length : p->rows;
  }
}
