// The per-layer account of the compute engine: stacked bars and the numbers behind them. Its sums are checked here, exactly, in integers.
{
  const el = dse.el, f = dse.format, causes = dse.data.causes;
  const style = i => dse.causeStyle[causes[i].key];

  /** {layers, causes, total} of a point's account, and whether each sum is equal to the total. */
  dse.sums = p => {
    const perCause = causes.map((_, i) => d3.sum(p.accounts, a => a.ticks[i]));
    const byLayer = d3.sum(p.accounts, a => a.total), byCause = d3.sum(perCause);
    return {perCause, byLayer, byCause, total: p.ticks, ok: byLayer === p.ticks && byCause === p.ticks};
  };

  function sumLine(p) {
    if (!p.accounts.length) return dse.fill("sum", "no account was recorded for this plan");
    const s = dse.sums(p), off = s.byLayer - s.total;
    dse.fill("sum", "adds up: ", el("b", {class: s.ok ? "yes" : "no", id: "adds-up"}, s.ok ? "yes" : "NO"),
      s.ok ? `, ${f.n(s.byLayer)} cycles by layer = by cause = in total` : `, ${f.n(s.byLayer)} by layer, ${f.n(s.total)} in total (${f.signed(off, f.n)})`);
  }

  /** The layers, those of a segment below a line that names it. */
  const withHeads = list => d3.merge(list.map((a, i) => a.segment && (!i || list[i - 1].segment !== a.segment) ? [{head: a.segment}, a] : [a]));

  function bars(p) {
    const host = document.getElementById("account-bars"), w = host.clientWidth || 560, rowHeight = 23, right = 66, top = 20;
    const list = p.accounts, lines = withHeads(list), at = new Map(lines.map((l, i) => [l, i])), left = f.room(list.map(a => a.name), w), x = d3.scaleLinear().domain([0, d3.max(list, a => a.total) || 1]).range([left, w - right]);
    d3.select(host).selectAll("svg").remove();
    if (!list.length) return;
    const svg = d3.select(host).append("svg").attr("width", w).attr("height", top + lines.length * rowHeight + 4).attr("role", "img").attr("aria-label", "cycles per layer by cause; the table beside holds the numbers");
    svg.append("g").attr("class", "axis").attr("transform", `translate(0,${top})`).call(d3.axisTop(x).ticks(Math.max(2, Math.min(5, Math.round((w - left - right) / 70))), "~s").tickSizeOuter(0)).call(g => g.select(".domain").remove());
    svg.selectAll("text.segment").data(lines.filter(l => l.head)).join("text").attr("class", "segment").attr("x", 8).attr("y", l => top + at.get(l) * rowHeight + rowHeight / 2 + 4).text(l => l.head);
    svg.selectAll("path.segment").data(list.filter(a => a.segment)).join("path").attr("class", "segment").attr("d", a => `M4,${top + at.get(a) * rowHeight}v${rowHeight}`);
    const row = svg.selectAll("g.layer").data(list).join("g").attr("class", "layer").attr("transform", a => `translate(0,${top + at.get(a) * rowHeight})`)
      .attr("tabindex", 0).on("click", zoomTo).on("keydown", a => { if (d3.event.key === "Enter") zoomTo(a); });
    row.append("rect").attr("class", "hit").attr("width", w).attr("height", rowHeight).attr("fill", "transparent");
    row.append("text").attr("x", left - 8).attr("y", rowHeight / 2 + 4).attr("text-anchor", "end").text(a => a.name);
    dse.cutTexts(row.select("text"), left - 12);
    dse.cutTexts(svg.selectAll("text.segment"), w - 12);
    row.each(function (a) {
      let at = 0;
      const g = d3.select(this);
      a.ticks.forEach((ticks, i) => {
        if (!ticks) return;
        g.append("rect").attr("x", x(at)).attr("y", 3).attr("width", Math.max(0.5, x(at + ticks) - x(at))).attr("height", rowHeight - 9).attr("fill", dse.fillOf(style(i)))
          .on("mousemove", () => dse.tip(d3.event, `${a.name}: ${causes[i].label}`, [["cycles", f.n(ticks)], ["time", f.time(ticks)], ["of the layer", f.percent(ticks / a.total)], ["of the run", f.percent(ticks / p.ticks)], ["", causes[i].means]]))
          .on("mouseleave", dse.untip);
        at += ticks;
      });
      // DMA hidden behind compute: beside the sum, so it is a thin line below the bar and not a part of it.
      if (a.hidden) g.append("rect").attr("x", left).attr("y", rowHeight - 5).attr("height", 2).attr("width", x(Math.min(a.hidden, x.domain()[1])) - left).attr("fill", "var(--soft)");
      g.append("text").attr("class", "value").attr("x", x(a.total) + 6).attr("y", rowHeight / 2 + 4).text(f.percent(a.total / p.ticks));
    });
  }
  const zoomTo = a => {
    const p = dse.state.a, i = a.section;
    dse.setWindow(p.ends[i - 1] || 0, p.ends[i] || p.ticks);
    document.getElementById("gantt").scrollIntoView({block: "nearest", behavior: "smooth"});
  };

  function numbers(p) {
    const used = causes.map((_, i) => i).filter(i => p.accounts.some(a => a.ticks[i]));
    const heads = [{text: "layer"}, ...used.map(i => ({text: causes[i].label, num: true})), {text: "sum", num: true}, {text: "hidden DMA", num: true}];
    const cell = v => v ? f.n(v) : el("span", {class: "zero"}, "0");
    const rows = withHeads(p.accounts).map(a => a.head ? [el("span", {class: "segment"}, a.head), ...used.map(() => ""), "", ""]
      : [el("span", {title: [a.kind, a.segment, a.file && "in the file: " + a.file].filter(w => w).join(", "), class: a.segment ? "phased" : null}, a.name), ...used.map(i => cell(a.ticks[i])), el("b", {}, f.n(a.total)), el("span", {class: "beside"}, f.n(a.hidden))]);
    const s = dse.sums(p);
    const foot = ["sum", ...used.map(i => f.n(s.perCause[i])), f.n(s.byLayer), el("span", {class: "beside"}, f.n(d3.sum(p.accounts, a => a.hidden)))];
    dse.fill("account-table", p.accounts.length ? dse.table(heads, rows, foot) : "");
    return used;
  }

  function show() {
    const p = dse.state.a;
    if (!p) return;
    sumLine(p);
    const used = numbers(p);
    bars(p);
    const s = dse.sums(p);
    dse.legend("account-legend", used.map(i => ({label: `${causes[i].label} ${p.ticks ? f.percent(s.perCause[i] / p.ticks) : ""}`, style: style(i), title: causes[i].means}))
      .concat(p.accounts.length ? [{label: "hidden DMA (thin line, not in the sum)", style: {color: "var(--soft)", hatch: "none"}}] : []));
  }
  dse.on("select", "account", show);
  addEventListener("resize", () => { if (dse.state.a) bars(dse.state.a); });
}
