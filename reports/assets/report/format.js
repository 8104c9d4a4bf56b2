// Numbers and names as people read them, and a few DOM helpers.
{
  const grouped = d3.format(",");
  const digits = v => Math.abs(v) >= 99.95 ? d3.format(",.0f")(v) : Math.abs(v) >= 9.995 ? v.toFixed(1) : v.toFixed(2);
  const f = dse.format = {
    n: grouped,
    memory: bytes => Math.abs(bytes) < 52 ? bytes + " B" : Math.abs(bytes) < 1048576 ? (bytes / 1024).toFixed(1) + " KiB" : (bytes / 1048576).toFixed(2) + " MiB",
    bytes: b => b < 10240 ? grouped(b) + " B" : f.memory(b),
    /** The unit of an axis whose least time is `us` microseconds: {name, microseconds in one of it}. */
    timeUnit: us => us < 1000 ? {name: "\u00b5s", size: 1} : us < 1e6 ? {name: "ms", size: 1e3} : {name: "s", size: 1e6},
    /** The one unit of a front's time axes and of the table's column: {name, ticks in one of it, digits of its latencies}. */
    unit(front) {
      const fastest = d3.min(front.points.filter(p => p.timed), p => p.ticks) || 1, {name, size} = f.timeUnit(fastest / front.hz * 1e6), unit = {name, ticks: front.hz / 1e6 * size};
      // Four digits, and enough to tell the front's points apart.
      const own = front.frontPoints.map(p => p.ticks), span = own.length ? d3.max(own) - d3.min(own) : 0, place = ticks => Math.floor(Math.log10(ticks / unit.ticks));
      return Object.assign(unit, {digits: Math.max(0, Math.min(4, Math.max(3 - place(fastest), span ? 2 - place(span) : 0)))});
    },
    time(ticks) {
      if (!(Math.abs(ticks) > 0)) return ticks === 0 ? "0" : "-";
      const us = ticks / dse.state.front.hz * 1e6, a = Math.abs(us);
      return a < 0.9995 ? digits(us * 1e3) + " ns" : a < 999.5 ? digits(us) + " \u00b5s" : a < 999500 ? digits(us / 1e3) + " ms" : digits(us / 1e6) + " s";
    },
    /** Any figure: whole numbers in full, others to five digits. */
    figure: v => Number.isInteger(v) || Math.abs(v) >= 1e5 ? d3.format(",.0f")(v) : d3.format(",.5~r")(v),
    latency: p => p.timed ? f.time(p.ticks) : "not timed",
    percent(v) {
      const a = Math.abs(v), places = a > 0 && a < 0.001 ? 2 : a < 0.0995 || (a >= 0.995 && a < 1) ? 1 : 0;
      return (100 * v).toFixed(places) + " %";
    },
    /** Room for the longest of these names before an axis that is `wide` in all. */
    room: (names, wide) => Math.min(190, 0.4 * wide, Math.max(92, 20 + 7.2 * (d3.max(names, s => s.length) || 0))),
    change(now, then) {
      if (now === then) return "the same";
      if (!then) return "-";
      const v = now / then - 1;
      return (v > 0 ? "+" : "\u2212") + f.percent(Math.abs(v));
    },
    signed: (v, show) => v === 0 ? "0" : (v > 0 ? "+" : "\u2212") + show(Math.abs(v)),
    /** What a point is called: its marks or origin, then its id. */
    title: p => f.names(p).join(", ") || "point " + p.row,
    names: p => p.origin === "front" ? p.marks : p.marks.concat(p.origin),
  };

  dse.el = (tag, attributes = {}, ...children) => {
    const e = document.createElement(tag);
    for (const [k, v] of Object.entries(attributes)) {
      if (k === "on") for (const [type, handler] of Object.entries(v)) e.addEventListener(type, handler);
      else if (v === true) e.setAttribute(k, "");
      else if (v !== false && v != null) e.setAttribute(k, v);
    }
    e.append(...children.flat(Infinity).filter(c => c != null));
    return e;
  };
  dse.fill = (id, ...children) => {
    const e = document.getElementById(id);
    e.replaceChildren(...children.flat(Infinity).filter(c => c != null));
    return e;
  };
  /** A plain table: heads [{text, num}], rows of cells (text or nodes). */
  dse.table = (heads, rows, foot) => {
    const el = dse.el, cls = i => heads[i].num ? "num" : null;
    const row = (cells, tag) => el("tr", {}, cells.map((c, i) => el(i === 0 && tag === "td" ? "th" : tag, {class: cls(i), scope: i === 0 && tag === "td" ? "row" : null}, c)));
    return el("table", {class: "plain"}, el("thead", {}, row(heads.map(h => h.text), "th")),
      el("tbody", {}, rows.map(r => row(r, "td"))), foot ? el("tfoot", {}, row(foot, "td")) : null);
  };

  /** Cuts SVG texts that are longer than `room` pixels; the whole of it is in their title. */
  dse.cutTexts = (texts, room) => texts.each(function () {
    const whole = this.textContent, length = this.getComputedTextLength();
    if (length <= room) return;
    this.textContent = whole.slice(0, Math.max(1, Math.floor(whole.length * room / length) - 1)) + "\u2026";
    d3.select(this).append("title").text(whole);
  });

  const tip = document.getElementById("tip");
  /** Shows lines (the first is the title; pairs are label and value) beside the pointer. */
  dse.tip = (event, title, pairs) => {
    tip.replaceChildren(dse.el("b", {}, title), ...pairs.map(([k, v]) => dse.el("div", {}, dse.el("span", {}, k), v)));
    tip.hidden = false;
    const w = tip.offsetWidth, h = tip.offsetHeight;
    const x = event.clientX + 14 + w > innerWidth ? event.clientX - 14 - w : event.clientX + 14;
    const y = event.clientY + 14 + h > innerHeight ? event.clientY - 10 - h : event.clientY + 14;
    tip.style.left = Math.max(4, x) + "px";
    tip.style.top = Math.max(4, y) + "px";
  };
  dse.untip = () => { tip.hidden = true; };
}
