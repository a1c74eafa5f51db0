/*
** What the bootstrap does most: rows are drawn, and their values summed.
*/
#ifndef TARE_RESAMPLE_H
#define TARE_RESAMPLE_H

#include "pure/rng.h"

/*
** How the rows of a resample are drawn: one by one, in moving blocks (Kunsch
** 1989) where neighbours are alike, or in two levels, groups first and then
** rows within each (Kalibera and Jones 2013: launches, then samples).
*/
typedef struct tare_plan {
  size_t rows;
  size_t block;          /* rows a block; 0 or 1: one by one */
  const uint32_t *start; /* first row of each group and, last, 'rows'; NULL */
  size_t groups;         /* where start is not NULL; rows lie group by group */
} tare_plan;

/* Whether every row is drawn by itself from all rows. */
int tare_plan_simple(const tare_plan *p);

/* Doubles that hold the index of a resample, and one row more. */
size_t tare_plan_doubles(const tare_plan *p);

/*
** Draws one resample into index[0..] and returns how many rows it has: as many
** as there are, except where groups differ in size.
*/
size_t tare_plan_draw(const tare_plan *p, tare_rng *rng, uint32_t *index);

/* What a jackknife leaves out one at a time: rows, blocks or groups. */
size_t tare_plan_units(const tare_plan *p);

/* The rows of unit u: from '*first' up to but not including '*last'. */
void tare_plan_unit(const tare_plan *p, size_t u, size_t *first, size_t *last);

#define TARE_BLOCK 8 /* doubles that a row has in one block */

/*
** A table holds, for each row, what the statistic needs summed, in blocks of 8
** doubles, a cache line each, so that a draw costs a line and four vector
** additions for each block. After the last row stands one of zeros, which pads
** what is drawn.
*/
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
** With up to 6 values per row (a slope with R2), or 9 to 16 (two or three
** slopes), drawing and summing is one pass. index[] has room for 'rows' and one
** more.
*/
void tare_gather_draw(const tare_table *t, tare_rng *rng, uint32_t *index,
                      double *sum);

#endif
