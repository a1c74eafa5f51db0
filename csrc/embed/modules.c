/*
** Nothing is built in: the state's own 'require' finds the Lua part. An
** amalgamation replaces this file by the list of modules.
*/
#include "embed/modules.h"

const tare_module tare_modules[] = {{NULL, NULL, 0, 0}};
