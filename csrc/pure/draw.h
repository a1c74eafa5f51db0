/*
** How the rows of a resample are drawn: one by one, in moving blocks (Kunsch
** 1989) where neighbours are alike, or in two levels, groups first and then
** rows within each (Kalibera and Jones 2013: launches, then samples).
*/
#ifndef TARE_DRAW_H
#define TARE_DRAW_H

#include "pure/rng.h"

typedef struct tare_plan {
  size_t rows;
  size_t block;          /* rows a block; 0 or 1: one by one */
  const uint32_t *start; /* first row of each group and, last, 'rows'; NULL */
  size_t groups;         /* where start is not NULL; rows lie group by group */
} tare_plan;

/* Whether every row is drawn by itself from all rows. */
int tare_plan_simple(const tare_plan *p);

/* The most rows that a resample can have. */
size_t tare_plan_capacity(const tare_plan *p);

/*
** Draws one resample into index[0..] and returns how many rows it has: as many
** as there are, except where groups differ in size.
*/
size_t tare_plan_draw(const tare_plan *p, tare_rng *rng, uint32_t *index);

/* What a jackknife leaves out one at a time: rows, blocks or groups. */
size_t tare_plan_units(const tare_plan *p);

/* The rows of unit u: from '*first' up to but not including '*last'. */
void tare_plan_unit(const tare_plan *p, size_t u, size_t *first, size_t *last);

#endif
