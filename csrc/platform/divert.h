/*
** Sends standard output to standard error for a while, so that nothing that
** benches print ends up in a report.
*/
#ifndef TARE_DIVERT_H
#define TARE_DIVERT_H

/* Diverts; returns a descriptor for tare_divert_end(), or -1. */
int tare_divert_begin(void);

/* Standard output is again what it was; closes 'saved'. */
void tare_divert_end(int saved);

#endif
