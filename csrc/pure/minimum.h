/* The least value of a function of one variable. */
#ifndef TARE_MINIMUM_H
#define TARE_MINIMUM_H

typedef double (*tare_function)(void *context, double x);

/*
** Where f(context, x) is least in low..high: the best of 'cells' + 1 points
** spread evenly, then golden-section search around it (Kiefer 1953,
** Proceedings of the AMS 4) until it is known to 'tolerance'. Finds the
** least of several minima if they are further apart than a cell.
** Requires low < high, cells >= 2 and tolerance > 0.
*/
double tare_minimum(tare_function f, void *context, double low, double high,
                    int cells, double tolerance);

#endif
