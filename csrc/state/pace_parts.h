/*
** What a pace that Lua keeps as a debt (pace_debt.c) and one that is kept here
** as a threshold (pace_threshold.c) have in common.
*/
#ifndef TARE_PACE_PARTS_H
#define TARE_PACE_PARTS_H

#include "state/pace.h"

/*
** Steps closer together than this are not told apart, where what is not done
** at once stays due: looking at each would cost more than it does.
*/
double tare_pace_grain_bytes(const tare_pace *p);

/* Stops the collector; the heap tells whether it was used since the release. */
void tare_pace_take(lua_State *L, tare_pace *p);

/* Percent of what was alive at which the next cycle begins. */
int tare_pace_percent(lua_State *L);

#endif
