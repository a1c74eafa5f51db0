#include "pure/samples.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define COLUMN_NAME(id, name) name,
static const char *const names[] = {TARE_COLUMNS(COLUMN_NAME)};

size_t tare_samples_doubles(size_t capacity) {
  return capacity * TARE_COLUMN_COUNT;
}

void tare_samples_init(tare_samples *s, double *memory, size_t capacity) {
  int c;
  s->rows = 0;
  s->capacity = capacity;
  s->thinned = 0.0;
  for (c = 0; c < TARE_COLUMN_COUNT; c++)
    s->col[c] = memory + (size_t)c * capacity;
}

/* Keeps the rows of even index. */
static void thin(tare_samples *s) {
  size_t kept = (s->rows + 1) / 2, i;
  int c;
  for (c = 0; c < TARE_COLUMN_COUNT; c++)
    for (i = 0; i < kept; i++) s->col[c][i] = s->col[c][2 * i];
  s->thinned += (double)(s->rows - kept);
  s->rows = kept;
}

size_t tare_samples_append(tare_samples *s) {
  int c;
  assert(s->capacity >= 2);
  if (s->rows == s->capacity) thin(s);
  for (c = 0; c < TARE_COLUMN_COUNT; c++) s->col[c][s->rows] = NAN;
  return s->rows++;
}

int tare_column_find(const char *name) {
  int c;
  for (c = 0; c < TARE_COLUMN_COUNT; c++)
    if (strcmp(names[c], name) == 0) return c;
  return -1;
}

const char *tare_column_name(int column) {
  assert(column >= 0 && column < TARE_COLUMN_COUNT);
  return names[column];
}
