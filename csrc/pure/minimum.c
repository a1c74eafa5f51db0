#include "pure/minimum.h"

#include <assert.h>

#define GOLDEN 0.61803398874989484820

static double golden_section(tare_function f, void *context, double low,
                             double high, double tolerance) {
  double a = high - GOLDEN * (high - low), b = low + GOLDEN * (high - low);
  double fa = f(context, a), fb = f(context, b);
  while (high - low > tolerance) {
    if (fa <= fb) {
      high = b;
      b = a, fb = fa;
      a = high - GOLDEN * (high - low), fa = f(context, a);
    } else {
      low = a;
      a = b, fa = fb;
      b = low + GOLDEN * (high - low), fb = f(context, b);
    }
  }
  return fa <= fb ? a : b;
}

double tare_minimum(tare_function f, void *context, double low, double high,
                    int cells, double tolerance) {
  double width = (high - low) / cells, least = f(context, low), x;
  int best = 0, i;
  assert(low < high && cells >= 2 && tolerance > 0.0);
  for (i = 1; i <= cells; i++) {
    double value = f(context, low + i * width);
    if (value < least) least = value, best = i;
  }
  x = golden_section(f, context, low + (best > 0 ? best - 1 : 0) * width,
                     low + (best < cells ? best + 1 : cells) * width,
                     tolerance);
  return f(context, x) <= least ? x : low + best * width;
}
