#include "pure/resample.h"

#include <assert.h>
#include <string.h>

/* ---- drawing ---- */

int tare_plan_simple(const tare_plan *p) {
  return p->start == NULL && p->block <= 1;
}

static size_t group_size(const tare_plan *p, size_t g) {
  return p->start[g + 1] - p->start[g];
}

size_t tare_plan_doubles(const tare_plan *p) {
  size_t most = p->rows, largest = 0, g;
  if (p->start != NULL) { /* the largest group may be drawn each time */
    for (g = 0; g < p->groups; g++)
      if (group_size(p, g) > largest) largest = group_size(p, g);
    most = largest * p->groups;
  }
  return (most + 2) / 2; /* a double has room for two */
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

/* ---- summing ---- */

#define LINE 64 /* bytes of a cache line, and of a row in a block */

/* Promises the compiler what tare_table_init() arranged. */
#if defined(__GNUC__)
#define ALIGNED(p) ((const double *)__builtin_assume_aligned(p, LINE))
#else
#define ALIGNED(p) (p)
#endif

static int blocks_of(int values) {
  return (values + TARE_BLOCK - 1) / TARE_BLOCK;
}

size_t tare_table_doubles(size_t rows, int values) {
  return ((rows + 1) * (size_t)blocks_of(values) + 1) * TARE_BLOCK;
}

void tare_table_init(tare_table *t, double *scratch, size_t rows, int values) {
  size_t past = (size_t)((uintptr_t)scratch % LINE);
  t->rows = rows;
  t->values = values;
  t->blocks = blocks_of(values);
  t->row = past == 0 ? scratch : scratch + (LINE - past) / sizeof(double);
  memset(t->row, 0, (rows + 1) * (size_t)t->blocks * LINE);
}

double *tare_table_at(const tare_table *t, size_t row) {
  return t->row + row * (size_t)t->blocks * TARE_BLOCK;
}

/*
** Accumulators are named one by one: only then does every compiler keep them
** in registers, two to a vector.
*/
#define ZERO6(s) s##0 = 0, s##1 = 0, s##2 = 0, s##3 = 0, s##4 = 0, s##5 = 0
#define ZERO8(s) ZERO6(s), s##6 = 0, s##7 = 0
#define ADD6(s, row)                                                           \
  (s##0 += row[0], s##1 += row[1], s##2 += row[2], s##3 += row[3],             \
   s##4 += row[4], s##5 += row[5])
#define ADD8(s, row) (ADD6(s, row), s##6 += row[6], s##7 += row[7])
#define ZERO16(s)                                                              \
  ZERO8(s), s##8 = 0, s##9 = 0, s##10 = 0, s##11 = 0, s##12 = 0, s##13 = 0,    \
            s##14 = 0, s##15 = 0
#define ADD16(s, row)                                                          \
  (ADD8(s, row), s##8 += row[8], s##9 += row[9], s##10 += row[10],             \
   s##11 += row[11], s##12 += row[12], s##13 += row[13], s##14 += row[14],     \
   s##15 += row[15])
#define FOLD6(sum, s, t)                                                       \
  (sum[0] = s##0 + t##0, sum[1] = s##1 + t##1, sum[2] = s##2 + t##2,           \
   sum[3] = s##3 + t##3, sum[4] = s##4 + t##4, sum[5] = s##5 + t##5)
#define FOLD8(sum, s, t)                                                       \
  (FOLD6(sum, s, t), sum[6] = s##6 + t##6, sum[7] = s##7 + t##7)
#define STORE16(sum, s)                                                        \
  (sum[0] = s##0, sum[1] = s##1, sum[2] = s##2, sum[3] = s##3, sum[4] = s##4,  \
   sum[5] = s##5, sum[6] = s##6, sum[7] = s##7, sum[8] = s##8, sum[9] = s##9,  \
   sum[10] = s##10, sum[11] = s##11, sum[12] = s##12, sum[13] = s##13,         \
   sum[14] = s##14, sum[15] = s##15)

/* Sums one block of rows 'stride' apart. Requires an even 'count'. */
static void gather_block(const double *block, size_t stride,
                         const uint32_t *index, size_t count, double *sum) {
  double ZERO8(even), ZERO8(odd);
  size_t i;
  for (i = 0; i < count; i += 2) {
    const double *p = ALIGNED(block + (size_t)index[i] * stride);
    const double *q = ALIGNED(block + (size_t)index[i + 1] * stride);
    ADD8(even, p);
    ADD8(odd, q);
  }
  FOLD8(sum, even, odd);
}

void tare_gather(const tare_table *t, uint32_t *index, size_t count,
                 double *sum) {
  size_t stride = (size_t)t->blocks * TARE_BLOCK;
  int b;
  if (count % 2 == 1) index[count++] = (uint32_t)t->rows; /* the zeros */
  for (b = 0; b < t->blocks; b++)
    gather_block(t->row + b * TARE_BLOCK, stride, index, count,
                 sum + b * TARE_BLOCK);
}

/* The row, 2^shift bytes long, that a 32-bit number picks by multiply-shift. */
#define PICK(table, bits, bound, shift)                                        \
  ALIGNED((const double *)((const char *)(table) +                             \
                           ((((bits) * (bound)) >> (32 - (shift))) &           \
                            ~(((uint64_t)1 << (shift)) - 1))))
#define LOW(word) ((word)&0xffffffffu)
#define HIGH(word) ((word) >> 32)

/* Takes the two rows that one random word picks. */
#define DRAW6                                                                  \
  do {                                                                         \
    uint64_t word = tare_rng_next(&local);                                     \
    const double *p = PICK(row, LOW(word), bound, 6);                          \
    const double *q = PICK(row, HIGH(word), bound, 6);                         \
    ADD6(even, p);                                                             \
    ADD6(odd, q);                                                              \
  } while (0)
#define DRAW16                                                                 \
  do {                                                                         \
    uint64_t word = tare_rng_next(&local);                                     \
    const double *p = PICK(row, LOW(word), bound, 7);                          \
    const double *q = PICK(row, HIGH(word), bound, 7);                         \
    ADD16(sum_, p);                                                            \
    ADD16(sum_, q);                                                            \
  } while (0)

/* The bulk of a resample: 'words' is a multiple of 4. */
static void draw_small(const double *row, tare_rng *rng, uint64_t bound,
                       size_t words, double *sum) {
  tare_rng local = *rng; /* in registers */
  double ZERO6(even), ZERO6(odd);
  for (; words > 0; words -= 4) {
    DRAW6;
    DRAW6;
    DRAW6;
    DRAW6;
  }
  FOLD6(sum, even, odd);
  *rng = local;
}

static void draw_medium(const double *row, tare_rng *rng, uint64_t bound,
                        size_t words, double *sum) {
  tare_rng local = *rng;
  double ZERO16(sum_);
  for (; words > 0; words -= 2) {
    DRAW16;
    DRAW16;
  }
  STORE16(sum, sum_);
  *rng = local;
}

void tare_gather_draw(const tare_table *t, tare_rng *rng, uint32_t *index,
                      double *sum) {
  size_t rest = t->rows % 8, words = (t->rows - rest) / 2;
  double more[2 * TARE_BLOCK];
  int small = t->blocks == 1 && t->values <= 6;
  int medium = t->blocks == 2, k;
  if (!small && !medium) {
    tare_rng_indices(rng, index, t->rows, t->rows);
    tare_gather(t, index, t->rows, sum);
    return;
  }
  if (small)
    draw_small(t->row, rng, t->rows, words, sum);
  else
    draw_medium(t->row, rng, t->rows, words, sum);
  tare_rng_indices(rng, index, rest, t->rows);
  tare_gather(t, index, rest, more);
  for (k = 0; k < t->values; k++) sum[k] += more[k];
}
