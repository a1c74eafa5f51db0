#include "pure/durations.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { LEAST_EXPONENT = 6, EXPONENT_BIAS = 1023, MANTISSA_BITS = 52 };
enum { BIN_BITS = 7 }; /* of the mantissa: 2^7 bins an octave */

/*
** The bin of a duration. The exponent and the leading bits of the mantissa of an
** IEEE double, read as one number, count bins that are equal steps within each
** octave.
*/
static int bin_of(double ns) {
  const int64_t least = (int64_t)(EXPONENT_BIAS + LEAST_EXPONENT) << BIN_BITS;
  int64_t bits;
  assert(ns >= 0.0);
  memcpy(&bits, &ns, sizeof bits);
  bits = (bits >> (MANTISSA_BITS - BIN_BITS)) - least;
  if (bits < 0) return 0;
  return bits < TARE_DURATIONS_BINS ? (int)bits : TARE_DURATIONS_BINS - 1;
}

int tare_durations_add(tare_durations *d, double ns) {
  int bin = bin_of(ns);
  d->bins[bin]++;
  if (d->count <= 0.0 || ns < d->min_ns) d->min_ns = ns;
  if (d->count <= 0.0 || ns > d->max_ns) d->max_ns = ns;
  d->count += 1.0;
  d->total_ns += ns;
  return bin;
}

double tare_durations_edge_ns(int bin) {
  int octave = bin / TARE_DURATIONS_PER_OCTAVE;
  double part = (double)(bin % TARE_DURATIONS_PER_OCTAVE);
  return ldexp(1.0 + part / TARE_DURATIONS_PER_OCTAVE, LEAST_EXPONENT + octave);
}

/* No duration is shorter than the shortest, or longer than the longest. */
static double within(const tare_durations *d, double ns) {
  if (ns < d->min_ns) return d->min_ns;
  return ns < d->max_ns ? ns : d->max_ns;
}

/*
** Where a bin's durations lie: between its edges, but the outer bins hold what
** is beyond, too.
*/
static double low_ns(const tare_durations *d, int bin) {
  return bin > 0 ? within(d, tare_durations_edge_ns(bin)) : d->min_ns;
}

static double high_ns(const tare_durations *d, int bin) {
  if (bin == TARE_DURATIONS_BINS - 1) return d->max_ns;
  return within(d, tare_durations_edge_ns(bin + 1));
}

/* The k-th duration in ascending order, counted from 0. */
static double ranked_ns(const tare_durations *d, double k) {
  double low, high;
  int bin = 0;
  if (k <= 0.0) return d->min_ns;
  if (k >= d->count - 1.0) return d->max_ns;
  for (; bin < TARE_DURATIONS_BINS - 1 && k >= d->bins[bin]; bin++)
    k -= d->bins[bin];
  low = low_ns(d, bin);
  high = high_ns(d, bin);
  return low + (high - low) * (k + 0.5) / d->bins[bin];
}

double tare_durations_quantile_ns(const tare_durations *d, double q) {
  double rank = q * (d->count - 1.0), below = floor(rank), ns;
  assert(q >= 0.0 && q <= 1.0);
  if (d->count <= 0.0) return NAN;
  ns = ranked_ns(d, below);
  if (rank <= below) return ns;
  return ns + (rank - below) * (ranked_ns(d, below + 1.0) - ns);
}

double tare_durations_longest_ns(const tare_durations *d, double share) {
  double wanted = floor(share * d->count), left, sum;
  int longest = bin_of(d->max_ns), bin;
  assert(share > 0.0 && share <= 1.0);
  if (d->count <= 0.0) return NAN;
  if (wanted < 2.0) return d->max_ns;
  sum = d->max_ns; /* known exactly, and it weighs most */
  left = wanted - 1.0;
  for (bin = longest; left > 0.0 && bin >= 0; bin--) {
    double n = d->bins[bin] - (bin == longest ? 1.0 : 0.0);
    if (n <= 0.0) continue;
    if (n > left) n = left;
    sum += n * within(d, 0.5 * (tare_durations_edge_ns(bin) +
                                tare_durations_edge_ns(bin + 1)));
    left -= n;
  }
  return sum / wanted;
}
