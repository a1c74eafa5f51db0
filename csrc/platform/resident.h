/*
** Keeps the shared object that holds tare loaded until the process ends.
*/
#ifndef TARE_RESIDENT_H
#define TARE_RESIDENT_H

/*
** A Lua state may unload its C modules before it runs the last finalizers;
** code of ours would then be called where there is none. After this call the
** library is not unloaded any more. Does nothing where tare is part of the
** program itself; define TARE_STATIC to leave out even the attempt.
*/
void tare_stay_resident(void);

#endif
