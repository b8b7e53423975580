// Curves on logarithmic axes, as a text of SVG. Heights and places are logarithms to base 10.

"use strict";

function maureyPlot() {
  const LETTERS = "abcdefghijklmnop";
  const RIBBON = 12;

  const ten = (power) => (power === 0 ? "1" : power === 1 ? "10" : `10<tspan dy="-0.45em" class="power">${String(power).replace("-", "−")}</tspan>`);

  /** A number as it stands on an axis: 250, 0.02, 3.86·10^8. */
  function told(value, digits) {
    const size = Math.abs(value);
    if (size >= 1e-3 && size < 1e5) return String(Number(value.toPrecision(digits)));
    const power = Math.floor(Math.log10(size) + 1e-12), mantissa = (value / 10 ** power).toPrecision(Math.max(1, digits));
    return `${Number(mantissa)}·${ten(power)}`;
  }

  /** Places for labels on an axis from low to high: powers of ten where there are some, round numbers where not. */
  function ticks(low, high, most, whole = false) {
    if (whole && high < Math.log10(25)) return few(low, high, most);
    const first = Math.ceil(low - 1e-9), last = Math.floor(high + 1e-9);
    if (high - low > 1.5 && last - first >= 1) {
      const step = Math.max(1, Math.ceil((last - first) / most));
      const powers = Array.from({ length: last - first + 1 }, (_, i) => first + i).filter((p) => (p - first) % step === 0);
      if (powers.length >= 3) return powers.map((p) => ({ at: p, label: ten(p) }));
      const between = [];
      for (let p = first - 1; p <= last; p++) for (const k of [1, 2, 5]) between.push(p + Math.log10(k));
      return between.filter((at) => at >= low - 1e-9 && at <= high + 1e-9).map((at) => ({ at, label: told(10 ** at, 1) }));
    }
    const shift = Math.floor(low), [a, b] = [10 ** (low - shift), 10 ** (high - shift)], rough = (b - a) / Math.max(2, most - 1);
    const power = 10 ** Math.floor(Math.log10(rough)), step = power * [1, 2, 5, 10].find((k) => k * power >= rough);
    const digits = Math.max(1, Math.ceil(Math.log10(b / step)) + 1), found = [];
    for (let v = Math.ceil(a / step - 1e-9) * step; v <= b * (1 + 1e-12); v += step) found.push(v);
    const plain = (v) => (shift >= -3 && shift < 5 ? told(v * 10 ** shift, digits + 2) : `${Number(v.toPrecision(digits))}·${ten(shift)}`);
    return found.map((v) => ({ at: Math.log10(v) + shift, label: plain(v) }));
  }

  const WHOLE = [1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24];

  /** Numbers of layers. */
  function few(low, high, most) {
    const found = WHOLE.filter((k) => Math.log10(k) >= low - 1e-9 && Math.log10(k) <= high + 1e-9);
    const room = (high - low) / most;
    return found.filter((k, n) => !n || Math.log10(k / found[n - 1]) > room * 0.45).map((k) => ({ at: Math.log10(k), label: String(k) }));
  }

  const escape = (text) => String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

  /** The span of heights, with some room, and with where bounds begin to say nothing if that is near. */
  function span(curves, limit) {
    const all = curves.flatMap((curve) => curve.points.map(([, y]) => y)).filter(Number.isFinite);
    if (!all.length) return [0, 1];
    let low = all.reduce((x, y) => Math.min(x, y)), high = all.reduce((x, y) => Math.max(x, y));
    if (limit !== null) {
      if (limit < low && low - limit < 6) low = limit;
      if (limit > high && limit - high < 3) high = limit;
    }
    const room = Math.max(0.06 * (high - low), 0.01), band = limit !== null && limit < high + room ? limit + 0.14 * (high - low + room) : 0;
    return [low - room, Math.max(high + room, band)];
  }

  function path(points, x, y) {
    let out = "", pen = false;
    for (const [u, v] of points) {
      if (!Number.isFinite(v)) {
        pen = false;
        continue;
      }
      out += `${pen ? "L" : "M"}${x(u).toFixed(1)} ${y(v).toFixed(1)}`;
      pen = true;
    }
    return out;
  }

  /** Letters at the right ends of the curves, moved apart. */
  function tags(curves, y, place, top, bottom) {
    const ends = curves.map((curve, n) => {
      const last = [...curve.points].reverse().find(([, v]) => Number.isFinite(v));
      return last ? { n, at: y(last[1]) } : null;
    }).filter(Boolean).sort((p, q) => p.at - q.at);
    ends.forEach((end, i) => { if (i) end.at = Math.max(end.at, ends[i - 1].at + 15); });
    for (let i = ends.length - 1; i >= 0; i--) ends[i].at = Math.min(ends[i].at, i === ends.length - 1 ? bottom : ends[i + 1].at - 15);
    return ends.map(({ n, at }) => `<text class="tag c${n}" x="${place}" y="${(Math.max(at, top) + 5).toFixed(1)}">${LETTERS[n]}</text>`).join("");
  }

  function axes(box, x, y, [left, right], [low, high], whole) {
    const across = ticks(left, right, Math.max(2, Math.floor(box.width / 78)), whole), up = ticks(low, high, Math.max(2, Math.floor(box.height / 46)));
    const columns = across.map(({ at, label }) => `<path class="grid" d="M${x(at).toFixed(1)} ${box.top}V${box.bottom}"/>` +
      `<text class="tick" text-anchor="middle" x="${x(at).toFixed(1)}" y="${box.bottom + RIBBON + 18}">${label}</text>`);
    const rows = up.map(({ at, label }) => `<path class="grid" d="M${box.left} ${y(at).toFixed(1)}H${box.right}"/>` +
      `<text class="tick" text-anchor="end" x="${box.left - 8}" y="${(y(at) + 5).toFixed(1)}">${label}</text>`);
    return columns.join("") + rows.join("");
  }

  /** What is above the limit says nothing. */
  function shade(box, y, limit, high, words) {
    if (limit === null || limit >= high) return "";
    const edge = Math.min(y(limit), box.bottom);
    return `<rect class="nothing" x="${box.left}" y="${box.top}" width="${box.width}" height="${Math.max(0, edge - box.top).toFixed(1)}"/>` +
      (edge < box.bottom ? `<path class="limit" d="M${box.left} ${edge.toFixed(1)}H${box.right}"/>` : "") +
      `<text class="nothing" x="${box.left + 10}" y="${box.top + 18}">${escape(words)}</text>`;
  }

  /** Below the axis: which proved curve is the smallest, and where. */
  function ribbon(box, x, winners) {
    return winners.map(({ curve, from, to }) => {
      const start = x(Math.log10(from)), width = Math.max(1, x(Math.log10(to)) - start), middle = start + width / 2;
      const letter = width > 14 ? `<text class="winner c${curve}" text-anchor="middle" x="${middle.toFixed(1)}" y="${box.bottom + RIBBON - 1}">${LETTERS[curve]}</text>` : "";
      return `<rect class="winner c${curve}" x="${start.toFixed(1)}" y="${box.bottom + 1}" width="${width.toFixed(1)}" height="${RIBBON}"/>${letter}`;
    }).join("");
  }

  /** `curves`: [{points: [[x, y]], proved}]; `range`: ends of x; `here`: where things are, and the heights there. */
  function draw({ width, height, curves, range, name, limit, words, winners, crossovers, here, heights, where, whole, label }) {
    const left = 66, right = width - 26, top = 22, bottom = height - 52 - (RIBBON - 6);
    const box = { left, right, top, bottom, width: right - left, height: bottom - top };
    const [low, high] = span(curves, limit), ends = range.map(Math.log10);
    const x = (v) => left + ((v - ends[0]) / (ends[1] - ends[0] || 1)) * box.width;
    const y = (v) => top + ((high - v) / (high - low)) * box.height;
    const lines = curves.map((curve, n) => `<path class="curve c${n}${curve.proved ? "" : " dashed"}" d="${path(curve.points, x, y)}"/>`);
    const rings = crossovers.map(([u, v]) => `<circle class="ring" cx="${x(u).toFixed(1)}" cy="${y(v).toFixed(1)}" r="5"/>`);
    const inside = here !== null && here >= ends[0] - 1e-9 && here <= ends[1] + 1e-9;
    const marker = inside ? `<path class="here" d="M${x(here).toFixed(1)} ${top}V${bottom}"/>` +
      heights.map((v, n) => (Number.isFinite(v) ? `<circle class="dot c${n}" cx="${x(here).toFixed(1)}" cy="${y(v).toFixed(1)}" r="4.5"/>` : "")).join("") +
      `<path class="handle" d="M${x(here).toFixed(1)} ${top - 1}l6 -8h-12z"/>` +
      `<text class="handle" text-anchor="${x(here) > right - 110 ? "end" : "start"}" x="${(x(here) + (x(here) > right - 110 ? -10 : 10)).toFixed(1)}" y="${top - 2}">${where}</text>` : "";
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" class="plot" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(label)}">` +
      `<defs><pattern id="hatch" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path class="hatch" d="M0 0V8"/></pattern>` +
      `<clipPath id="inside"><rect x="${left}" y="${top - 6}" width="${box.width + 1}" height="${box.height + 12}"/></clipPath></defs>` +
      shade(box, y, limit, high, words) + axes(box, x, y, ends, [low, high], whole) +
      `<g clip-path="url(#inside)">${lines.join("")}</g>${ribbon(box, x, winners)}${rings.join("")}${marker}` +
      tags(curves, y, right + 8, top, bottom) +
      `<text class="axis" text-anchor="middle" x="${(left + right) / 2}" y="${height - 5}">${escape(name)}</text>` +
      `</svg>`;
    const place = (pixel) => 10 ** (ends[0] + ((Math.min(right, Math.max(left, pixel)) - left) / box.width) * (ends[1] - ends[0]));
    return { svg, place };
  }

  return { draw, ticks, LETTERS, escape, ten };
}
