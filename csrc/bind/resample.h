/* The options of resampling, as Lua gives them. */
#ifndef TARE_RESAMPLE_H
#define TARE_RESAMPLE_H

#include "bind/bind.h"
#include "pure/boot.h"

/* Resamples that are drawn where nothing else is asked for. */
#define TARE_RESAMPLES 10000

/* options.confidence of the table or nil at 'arg': 0.95 by default. */
double tare_opt_confidence(lua_State *L, int arg);

/* Resampling by rows, before options are read. */
tare_boot tare_boot_default(size_t resamples, tare_boot_method method);

/*
** Reads the options at 'arg', which may be nil, for so many rows; 'boot' holds
** the defaults of what is optional. Groups bring rows together: the result is
** the place of each row, or NULL where rows stay. Pushes at most one userdata,
** which the result and boot->plan point into.
*/
const uint32_t *tare_check_boot(lua_State *L, int arg, size_t rows,
                                tare_boot *boot);

#endif
