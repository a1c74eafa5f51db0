/*
** The inner loop of the bootstrap: sums of drawn rows. A table holds, for each
** row, what the statistic needs summed, in blocks of 8 doubles, a cache line
** each, so that a draw costs a line and four vector additions for each block.
** After the last row stands one of zeros, which pads what is drawn.
*/
#ifndef TARE_GATHER_H
#define TARE_GATHER_H

#include "pure/rng.h"

#define TARE_BLOCK 8 /* doubles that a row has in one block */

typedef struct tare_table {
  double *row; /* (rows + 1) x blocks x 8, on a cache line */
  size_t rows;
  int values, blocks;
} tare_table;

/* Doubles of scratch that a table needs for 'values' values a row. */
size_t tare_table_doubles(size_t rows, int values);

/* Lays a table of zeros out in 'scratch'. */
void tare_table_init(tare_table *t, double *scratch, size_t rows, int values);

/* The values of a row. */
double *tare_table_at(const tare_table *t, size_t row);

/*
** sum[0 .. 8 * blocks - 1] = the sums of the 'count' rows that index[] names.
** index[] must have room for one more. Even and odd places are summed apart
** and added last, so the order of additions is the same everywhere.
*/
void tare_gather(const tare_table *t, uint32_t *index, size_t count,
                 double *sum);

/*
** Draws as many rows as there are, as tare_rng_indices() would, and sums them.
** Up to 6 values a row (a slope with R2), or 9 to 16 (three of them), that is
** one pass. index[] has room for 'rows' and one more.
*/
void tare_gather_draw(const tare_table *t, tare_rng *rng, uint32_t *index,
                      double *sum);

#endif
