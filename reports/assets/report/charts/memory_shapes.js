// Outlines of buffers in time and offset. What a buffer takes in succession is one stair: an input that is given up row by row, an output that grows.
{
  /** Windows in runs: each begins when the one before it ends, and shares bytes with it. */
  dse.stairs = windows => {
    const runs = [];
    for (const w of windows) {
      const run = runs.slice(-4).find(r => { const last = r[r.length - 1]; return last.to === w.from && last.begin < w.end && w.begin < last.end; });
      if (run) run.push(w); else runs.push([w]);
    }
    return runs;
  };

  /** SVG path of a buffer's runs; `x` of ticks, `y` of offsets. */
  dse.stairPath = (buffer, x, y) => buffer.runs.map(run => {
    const top = w => y(buffer.offset + w.end), bottom = w => Math.max(y(buffer.offset + w.begin), top(w) + 1), wide = w => Math.max(x(w.to), x(w.from) + 0.8);
    const there = run.map(w => `L${x(w.from)},${top(w)}L${wide(w)},${top(w)}`).join("").slice(1);
    const back = run.slice().reverse().map(w => `L${wide(w)},${bottom(w)}L${x(w.from)},${bottom(w)}`).join("");
    return "M" + there + back + "Z";
  }).join("");

  /** The widest visible part of a buffer that has room for a line of text: {x, y, wide}, or null. */
  dse.labelPlace = (buffer, x, y, [left, right]) => {
    let best = null;
    for (const run of buffer.runs) {
      let span = null;  // neighbouring windows with common bytes are one place
      for (const w of run) {
        const from = Math.max(left, x(w.from)), to = Math.min(right, x(w.to));
        if (to <= from) continue;
        const low = span ? Math.max(span.low, w.begin) : w.begin, high = span ? Math.min(span.high, w.end) : w.end;
        span = span && y(buffer.offset + low) - y(buffer.offset + high) > 11 ? {from: span.from, to, low, high} : {from, to, low: w.begin, high: w.end};
        if (y(buffer.offset + span.low) - y(buffer.offset + span.high) <= 11) { span = null; continue; }
        if (!best || span.to - span.from > best.wide) best = {x: span.from, y: (y(buffer.offset + span.low) + y(buffer.offset + span.high)) / 2 + 3.5, wide: span.to - span.from};
      }
    }
    return best;
  };

  /** What a buffer takes at a tick and offset (both within a pixel or so), for the tooltip. */
  dse.windowAt = (buffer, tick, offset) => buffer.windows.find(w => w.from <= tick && tick < w.to && buffer.offset + w.begin <= offset && offset < buffer.offset + w.end)
    || buffer.windows.find(w => w.from <= tick && tick < w.to) || null;
}
