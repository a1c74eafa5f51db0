/*
** Nothing is built in: the Lua part is found by the state's own 'require'. In
** an amalgamation the list stands in the place of this file.
*/
#include "embed/modules.h"

const tare_module tare_modules[] = {{NULL, NULL, 0, 0}};
