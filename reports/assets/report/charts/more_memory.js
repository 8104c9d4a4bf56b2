// "What would 16 KiB more buy?": for the hovered point, else for A.
{
  const el = dse.el, f = dse.format;
  let kib = 16;

  const fastest = most => d3.least(dse.state.front.frontPoints.filter(p => p.memory <= most), p => p.ticks);
  const link = p => el("button", {class: "link", on: {click: () => dse.select(p)}}, f.title(p));

  /** The step from p to the next faster point, whatever it costs. */
  const next = p => d3.least(dse.state.front.frontPoints.filter(q => q.ticks < p.ticks && q.memory > p.memory), q => q.memory);

  function gain(p, q) {
    const bytes = q.memory - p.memory, ticks = p.ticks - q.ticks;
    return [el("b", {}, "\u2212" + f.time(ticks)), ` (${f.change(q.ticks, p.ticks)}) for +${f.memory(bytes)}: `, link(q),
      `, ${f.memory(q.memory)}, ${f.latency(q)}; ${f.n(Math.round(ticks / (bytes / 1024)))} cycles saved per KiB`];
  }

  function buys(p) {
    const q = fastest(p.memory + kib * 1024);
    if (q && q.ticks < p.ticks && q.memory > p.memory) return gain(p, q);
    if (q && q.ticks < p.ticks) return ["the front has a faster plan in no more memory: ", link(q), `, ${f.memory(q.memory)}, ${f.latency(q)} (${f.change(q.ticks, p.ticks)})`];
    const step = next(p);
    if (!step) return [el("b", {}, "nothing"), ": no plan of this front is faster"];
    return [el("b", {}, "nothing"), ": the next faster plan needs +" + f.memory(step.memory - p.memory) + " (", link(step), `, ${f.change(step.ticks, p.ticks)})`];
  }
  function nextStep(p) {
    const q = next(p);
    return q ? gain(p, q) : ["none: this is the fastest"];
  }
  function saves(p) {
    const q = fastest(p.memory - kib * 1024);
    if (!q) return ["not possible: the smallest plan needs " + f.memory(dse.state.front.frontPoints[0].memory)];
    if (q.ticks <= p.ticks) return ["costs nothing: ", link(q), `, ${f.memory(q.memory)}, ${f.latency(q)}`];
    return ["+" + f.time(q.ticks - p.ticks), ` (${f.change(q.ticks, p.ticks)}): `, link(q), `, ${f.memory(q.memory)}, ${f.latency(q)}`];
  }

  const amount = el("input", {type: "number", min: 1, max: 100000, step: 1, value: kib, "aria-label": "KiB more",
    on: {input: () => { if (+amount.value > 0) { kib = +amount.value; show(); } }}});
  const who = el("span", {class: "who"}), lines = el("dl");
  dse.fill("more", el("h3", {}, "What would ", amount, " KiB more buy? ", who), lines);

  function show() {
    const p = dse.state.hover && dse.state.hover.timed ? dse.state.hover : dse.state.a;
    if (!p || !dse.state.front.frontPoints.length) return;
    who.textContent = `from ${f.title(p)}, ${f.memory(p.memory)}, ${f.latency(p)}`;
    const line = (title, content) => [el("dt", {}, title), el("dd", {}, content)];
    lines.replaceChildren(...(p.timed ? [...line(`+${kib} KiB`, buys(p)), ...line("next step", nextStep(p)), ...line(`\u2212${kib} KiB`, saves(p))]
      : line(`+${kib} KiB`, ["this plan was not timed"])));
  }
  for (const what of ["select", "hover", "front"]) dse.on(what, "more", show);
}
