/** Student's t distribution: how likely a difference of means is by chance alone. */

/** Terms of the continued fraction; it converges within some 50 for any degrees of freedom. */
const MAX_TERMS = 500;
const PRECISION = 1e-15;
const TINY = 1e-300;

/**
 * Probability that |T| is at least `t`.
 * @param degrees of freedom, above 0, fractions allowed
 */
export function twoSidedTail(t: number, degrees: number): number {
  if (t === 0) return 1;
  return incompleteBeta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

/** The t that |T| stays within with this probability (0 … 1): 2.776 for 0.95 and 4 degrees of freedom. */
export function twoSidedQuantile(probability: number, degrees: number): number {
  const tail = 1 - probability;
  let low = 0;
  let high = 1;
  while (twoSidedTail(high, degrees) > tail) high *= 2;
  while (high - low > 1e-12 * high) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (twoSidedTail(middle, degrees) > tail) low = middle;
    else high = middle;
  }
  return high;
}

/** Regularized incomplete beta function I_x(a, b), by its continued fraction (DLMF 8.17.22, evaluated by Lentz's method). */
function incompleteBeta(a: number, b: number, x: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(b, a, 1 - x);
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) / a;
  let c = 1;
  let d = 1 / awayFromZero(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m <= MAX_TERMS; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / awayFromZero(1 + even * d);
    c = awayFromZero(1 + even / c);
    fraction *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / awayFromZero(1 + odd * d);
    c = awayFromZero(1 + odd / c);
    fraction *= d * c;
    if (Math.abs(d * c - 1) < PRECISION) break;
  }
  return front * fraction;
}

function awayFromZero(value: number): number {
  return Math.abs(value) < TINY ? TINY : value;
}

/** Logarithm of the gamma function for x > 0: Stirling's series (DLMF 5.11.1) above 12, the recurrence below. */
function logGamma(x: number): number {
  let shift = 0;
  while (x < 12) shift -= Math.log(x++);
  const inverse = 1 / (x * x);
  const series = 1 / 12 + inverse * (-1 / 360 + inverse * (1 / 1260 + inverse * (-1 / 1680 + inverse / 1188)));
  return shift + (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + series / x;
}
