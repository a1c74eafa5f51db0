/*
** Nothing is built in: the state's own 'require' finds the Lua part. An
** amalgamation replaces this file by the list of modules.
*/
#include "embed/modules.h"

const unsigned char tare_packed[] = {0};
const tare_module tare_modules[] = {{NULL, 0, 0}};
