#include "pure/samples.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "pure/json.h"

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

size_t tare_samples_row_json(const tare_samples *s, size_t row, char *buf,
                             size_t size) {
  char number[TARE_JSON_NUMBER_SIZE];
  size_t length = 0, digits, name;
  int c;
  assert(row < s->rows);
  for (c = 0; c < TARE_COLUMN_COUNT; c++) {
    if (isnan(s->col[c][row])) continue;
    name = strlen(names[c]);
    digits = tare_json_number(number, s->col[c][row]);
    if (length + name + digits + sizeof "{\"\":}" > size) return 0;
    buf[length] = length == 0 ? '{' : ',';
    length++;
    buf[length++] = '"';
    memcpy(buf + length, names[c], name);
    length += name;
    buf[length++] = '"';
    buf[length++] = ':';
    memcpy(buf + length, number, digits);
    length += digits;
  }
  if (length + sizeof "{}" > size) return 0;
  if (length == 0) buf[length++] = '{';
  buf[length++] = '}';
  buf[length] = '\0';
  return length;
}

const char *tare_column_name(int column) {
  assert(column >= 0 && column < TARE_COLUMN_COUNT);
  return names[column];
}
