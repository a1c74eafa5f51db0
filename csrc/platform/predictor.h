/*
** The branch predictor of the core that this thread runs on.
*/
#ifndef TARE_PREDICTOR_H
#define TARE_PREDICTOR_H

#include <stdint.h>

/*
** Fills the branch predictor with branches that go either way by chance, so
** that code that runs next is predicted from its own branches alone, whatever
** ran before. Takes about 0.1 ms. 'random': any number, not 0; returns the next
** one.
*/
uint64_t tare_predictor_clear(uint64_t random);

#endif
