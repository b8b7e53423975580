// Counts and their tails in doubles: binomials, inverses of tails, the complementary error function.

"use strict";

function maureyTails() {
  const STEPS = 200;
  const TINY = 1e-17;
  const MOST = 1e8; // trials of a tail that is summed

  // log x! = (x + 1/2) log x - x + log(2 pi)/2 + gap(x): Stirling's series from 16 on
  const FACTORIALS = [0];
  for (let x = 1; x < 16; x++) FACTORIALS.push(FACTORIALS[x - 1] + Math.log(x));
  const SERIES = [1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12];

  function gap(x) {
    if (x < 16) return FACTORIALS[x] - (x + 0.5) * Math.log(x) + x - Math.log(2 * Math.PI) / 2;
    return SERIES.reduce((sum, c) => sum / (x * x) + c, 0) / x;
  }

  /** log C(n, k), with no difference of large numbers. */
  function logBinomial(n, k) {
    if (!(k <= n)) return k > n ? -Infinity : NaN;
    if (k <= 0 || k >= n) return Number.isFinite(n) ? 0 : NaN;
    const share = k / n, below = Math.log(share), above = Math.log1p(-share);
    const root = (below + above + Math.log(n) + Math.log(2 * Math.PI)) / 2;
    return gap(n) - gap(k) - gap(n - k) - k * below - (n - k) * above - root;
  }

  /** 1 + r_first + r_first r_(first+1) + ... + r_first ... r_last, where the ratios fall. */
  function series(first, last, ratio) {
    let total = 1, term = 1;
    for (let i = first; i <= last; i++) {
      const r = ratio(i);
      term *= r;
      total += term;
      if (r < 1 && (term * r) / (1 - r) < total * TINY) break;
    }
    return total;
  }

  const logits = (x) => [1 / (1 + Math.exp(-x)), 1 / (1 + Math.exp(x))];
  const logShare = (x) => -Math.log1p(Math.exp(-x)); // of p; that of 1 - p is it at -x

  /** The logarithm of P(Bin(m, p) <= k), p by its logit: from k down, or by what is above k. */
  function logBelow(k, m, x) {
    const [p] = logits(x), term = logBinomial(m, k) + k * logShare(x) + (m - k) * logShare(-x);
    if (p * (m + 1) > k) return term + Math.log(series(1, k, (i) => (Math.exp(-x) * (k - i + 1)) / (m - k + i)));
    const odds = Math.exp(x), sums = series(1, m - k - 1, (i) => (odds * (m - k - i)) / (k + i + 1));
    return Math.log1p((-Math.exp(term + x) * sums * (m - k)) / (k + 1));
  }

  const logMixture = (S, m, x) =>
    Math.log(series(S + 1, m - 2, (i) => (Math.exp(x) * (m - 1 - i)) / (i + 1)) / (S + 1)) - logShare(-x);

  /** p where a function of the logit is at the level: it rises, or falls (sign -1). Halving, from the start outward. */
  function root(log, level, start, width, sign) {
    let low = start, high = start;
    for (let step = width; !(sign * (log(low) - level) < 0); step *= 2) {
      if (low < -1e4) return NaN;
      low -= step;
    }
    for (let step = width; !(sign * (log(high) - level) > 0); step *= 2) {
      if (high > 700) return 1;
      high += step;
    }
    for (let n = 0; n < STEPS; n++) {
      const middle = (low + high) / 2;
      if (middle <= low || middle >= high) break;
      if (sign * (log(middle) - level) < 0) low = middle;
      else high = middle;
    }
    return logits((low + high) / 2)[0];
  }

  const fits = (k, m, level) => k >= 0 && k <= m && m <= MOST && level <= 0;
  const start = (k, m) => Math.log((k + 0.5) / (m + 0.5 - k));

  /** Of counts, and of the logarithm of a level. */
  function binomialInverse(k, m, level) {
    if (!fits(k, m, level)) return NaN;
    if (k === m) return 1;
    return level === 0 ? 0 : root((x) => logBelow(k, m, x), level, start(k, m), 1 / Math.sqrt(k + 1), -1);
  }

  function mixtureInverse(S, m, level) {
    if (!fits(S, m, level)) return NaN;
    return S > m - 2 ? 1 : root((x) => logMixture(S, m, x), -level, start(S, m), 1 / Math.sqrt(S + 1), 1);
  }

  /** The logarithm of P(Hyp(N, M, m) <= k): of M errors among N, at most k among m. */
  function logHypergeometric(k, m, N, M) {
    const top = Math.min(k, m, M), low = Math.max(0, m - (N - M));
    if (top < low) return -Infinity;
    const term = logBinomial(M, top) + logBinomial(N - M, m - top) - logBinomial(N, m);
    return term + Math.log(series(1, top - low, (i) => ((top - i + 1) / (M - top + i)) * ((N - M - m + top - i + 1) / (m - top + i))));
  }

  function hypergeometricInverse(k, m, N, level) {
    if (!fits(k, m, level) || !(m <= N)) return NaN;
    let low = k, high = N - (m - k) + 1;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (logHypergeometric(k, m, N, middle) >= level - 1e-11) low = middle;
      else high = middle;
    }
    return low / N;
  }

  /** A series near 0, a continued fraction beyond. */
  function erfc(x) {
    if (x < 0) return 2 - erfc(-x);
    const root_pi = Math.sqrt(Math.PI);
    if (x < 2) {
      let term = x, sum = x;
      for (let n = 1; term > sum * TINY; n++) {
        term *= (2 * x * x) / (2 * n + 1);
        sum += term;
      }
      return 1 - (2 * Math.exp(-x * x) * sum) / root_pi;
    }
    let below = x;
    for (let n = 80; n > 0; n--) below = x + n / 2 / below;
    return Math.exp(-x * x) / below / root_pi;
  }

  /** The largest p in [q, 1] with kl(q||p) <= c: Newton's steps from the right of the root of a convex function. */
  function inverseKl(q, c) {
    if (!(q >= 0 && q <= 1 && c >= 0)) return NaN;
    if (q === 1 || c === Infinity) return 1;
    if (c === 0) return q;
    if (q === 0) return -Math.expm1(-c);
    const apart = (t) => -(1 - q) * Math.expm1(-t);
    const first = c + Math.sqrt(c) * Math.sqrt(c + 2 * q);
    let t = (c - q * Math.log(q)) / (1 - q);
    if (first < 1 - q) t = Math.min(t, -Math.log1p(-first / (1 - q)));
    for (let n = 0; n < 400; n++) {
      const away = apart(t), divergence = (1 - q) * t - q * Math.log1p(away / q);
      const step = ((divergence - c) * (q + away)) / away;
      if (!(step > 0) || !Number.isFinite(step)) break;
      t = Math.max(t - step, t / 16);
      if (step <= 4e-16 * t) break;
    }
    return Math.min(q + apart(t), 1);
  }

  /** The least b with n <= 2^b. */
  function ceilLog2(x) {
    const n = Math.round(x) - 1;
    let bits = n < 1 ? 0 : Math.floor(Math.log2(n)) + 1;
    while (n >= 1 && 2 ** bits <= n) bits++;
    while (n >= 1 && 2 ** (bits - 1) > n) bits--;
    return bits;
  }

  return { logBinomial, binomialInverse, mixtureInverse, hypergeometricInverse, erfc, inverseKl, ceilLog2 };
}
