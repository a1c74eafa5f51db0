/*
** Keeps the shared object that holds tare loaded until the process ends.
*/
#ifndef TARE_RESIDENT_H
#define TARE_RESIDENT_H

/*
** A Lua state may unload its C modules before it runs the last finalizers, and
** a finalizer of ours would then call unloaded code. After this call the
** library is never unloaded. Does nothing if tare is part of the program
** itself; define TARE_STATIC to omit even the attempt.
*/
void tare_stay_resident(void);

#endif
