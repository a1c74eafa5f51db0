/* Regressions in and out of Lua: what least squares and the bootstrap share. */
#ifndef TARE_BIND_REGRESSION_H
#define TARE_BIND_REGRESSION_H

#include "bind/bind.h"
#include "pure/regression.h"

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
** may be NaN or infinite: the fit refuses them by name. Pushes two values that
** keep what '*r' points to.
*/
void tare_check_regress(lua_State *L, tare_regress *r);

/* Pushes nil, code, message for a refusal about 'column' (or -1); returns 3. */
int tare_push_refusal(lua_State *L, const tare_regress *r,
                      tare_fit_status status, int column);

/* Pushes the fit as the table that ols() gives. */
void tare_push_ols(lua_State *L, const tare_regress *r, const tare_ols *fit);

/*
** Sets coefficients and intercept of the table on top to {value, low, high}
** each.
*/
void tare_set_estimates(lua_State *L, const tare_regress *r,
                        const double *coefficient, const tare_bounds *bounds);

#endif
