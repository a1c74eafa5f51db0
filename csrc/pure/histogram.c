#include "pure/histogram.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void tare_histogram_init(tare_histogram *h) {
  memset(h, 0, sizeof *h);
}

double tare_histogram_edge_ns(int bin) {
  return TARE_HISTOGRAM_LEAST_NS *
         pow(10.0, (double)bin / TARE_HISTOGRAM_PER_DECADE);
}

double tare_histogram_bin_at(double ns) {
  assert(ns > 0.0);
  return floor(log10(ns / TARE_HISTOGRAM_LEAST_NS) * TARE_HISTOGRAM_PER_DECADE +
               0.5);
}

static int bin_of(double ns) {
  double bin;
  if (ns <= TARE_HISTOGRAM_LEAST_NS) return 0;
  bin = floor(log10(ns / TARE_HISTOGRAM_LEAST_NS) * TARE_HISTOGRAM_PER_DECADE);
  return bin < TARE_HISTOGRAM_BINS ? (int)bin : TARE_HISTOGRAM_BINS - 1;
}

void tare_histogram_add(tare_histogram *h, double ns) {
  assert(ns >= 0.0);
  h->counts[bin_of(ns)] += 1.0;
  h->total += 1.0;
  if (ns > h->max_ns) h->max_ns = ns;
}

void tare_histogram_add_count(tare_histogram *h, int bin, double count,
                              double max_ns) {
  assert(bin >= 0 && bin < TARE_HISTOGRAM_BINS);
  h->counts[bin] += count;
  h->total += count;
  if (max_ns > h->max_ns) h->max_ns = max_ns;
}

double tare_histogram_quantile_ns(const tare_histogram *h, double q) {
  double left = q * h->total, ns;
  int bin = 0;
  assert(q >= 0.0 && q <= 1.0);
  if (h->total <= 0.0) return NAN;
  while (bin < TARE_HISTOGRAM_BINS - 1 &&
         (left > h->counts[bin] || h->counts[bin] <= 0.0))
    left -= h->counts[bin++];
  if (h->counts[bin] <= 0.0) return h->max_ns;
  ns = tare_histogram_edge_ns(bin) *
       pow(10.0, left / h->counts[bin] / TARE_HISTOGRAM_PER_DECADE);
  return ns < h->max_ns ? ns : h->max_ns;
}
