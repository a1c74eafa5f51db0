/*
** What a pacer is made of, in three ways: pace_debt.c (5.3 and 5.4 keep a debt),
** pace_wait.c (5.5 keeps a wait), pace_threshold.c (5.1, 5.2 and LuaJIT: tare
** keeps a threshold).
*/
#ifndef TARE_PACE_PARTS_H
#define TARE_PACE_PARTS_H

#include "state/pace.h"

/*
** Steps closer together than this are done together, where a step that is not
** done stays due: a look at each would cost more than the step.
*/
double tare_pace_grain_bytes(const tare_pace *p);

/* Marks the collector as held, and records whether it ran. */
void tare_pace_take(lua_State *L, tare_pace *p);

#endif
