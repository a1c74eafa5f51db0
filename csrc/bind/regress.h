/* Regressions in and out of Lua: what ols, bootstrap and huber share. */
#ifndef TARE_REGRESS_H
#define TARE_REGRESS_H

#include "bind/bind.h"
#include "pure/ols.h"

/* A regression as Lua gave it; its values live in a userdata on the stack. */
typedef struct tare_regress {
  tare_design design; /* its 'x' is the array below: do not copy the struct */
  const double *x[TARE_COLUMNS_MAX];
  double *values; /* y, then column after column: what design points into */
  const char *name[TARE_COLUMNS_MAX]; /* NULL where columns came as a list */
  int bare; /* whether a list of numbers stood for a single column */
} tare_regress;

/*
** Reads the arguments (y, columns [, options]) at 1 to 3: y is a list of
** numbers; columns is a list of such lists, or a single one, or a table name ->
** list, then taken in the order of the names; options.intercept is true by
** default. Raises an error for anything else and for lengths that differ. Values
** may be NaN or infinite: the fit refuses them by name. Pushes one userdata.
*/
void tare_check_regress(lua_State *L, tare_regress *r);

/* Doubles of scratch in a userdata that it pushes. */
double *tare_push_scratch(lua_State *L, size_t count);

/* Sets field 'name' of the table on top to a whole number. */
void tare_set_whole(lua_State *L, const char *name, double value);

/* Pushes {value, low, high}; nil where there is no value. */
void tare_push_estimate(lua_State *L, double value, double low, double high);

/* Pushes nil, code, message for a refusal about 'column' (or -1); returns 3. */
int tare_push_refusal(lua_State *L, const tare_regress *r,
                      tare_fit_status status, int column);

/*
** Sets field 'name' of the table on top to one value a column: a list, or by
** name where the columns came so. NaN leaves a hole.
*/
void tare_set_columns(lua_State *L, const tare_regress *r, const char *name,
                      const double *values);

/* Pushes the fit as the table that ols() gives. */
void tare_push_ols(lua_State *L, const tare_regress *r, const tare_ols *fit);

/* Sets t[c + 1], or t[name of c], of the table on top to the value below it. */
void tare_set_column(lua_State *L, const tare_regress *r, int c);

#endif
