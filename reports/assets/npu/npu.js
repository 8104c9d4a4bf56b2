// Fronts of a network on several accelerators, what fits, and the schedule that is picked.
{
  const {data, one, el, number, bytes} = net;
  const us = v => v >= 9999.5 ? (v / 1000).toFixed(2) + " ms" : v.toFixed(1) + " us";
  const spoken = name => name.replaceAll("_", " ");
  const short = v => v >= 1000 ? number(+(v / 1000).toPrecision(3)) + " ms" : number(+v.toPrecision(3)) + " us";
  const systems = [...new Set(data.cells.map(c => c.system))], networks = [...new Set(data.cells.map(c => c.network))];
  const symbols = [d3.symbolCircle, d3.symbolSquare, d3.symbolTriangle, d3.symbolDiamond, d3.symbolStar, d3.symbolWye];
  const series = c => systems.indexOf(c.system) % 6;
  const shape = i => d3.symbol().type(symbols[i]).size(62)();
  const svg = (parent, width, height, label) => d3.select(one(parent)).html("").append("svg").attr("viewBox", [0, 0, width, height]).attr("role", "img").attr("aria-label", label);

  one("hand-over").textContent = `hand-over ${number(data.hand_over_cycles)} cycles per invocation; CPU of ${data.cpu}`;
  one("unvalidated").textContent = [...new Set(data.cells.map(c => c.unvalidated).filter(Boolean))].join(" ");
  let shown = networks[0], picked = null;
  const cells = () => data.cells.filter(c => c.network === shown);

  const chart = () => {
    const width = 760, height = 420, left = 64, right = 20, top = 12, bottom = 44, list = cells();
    const points = list.flatMap(c => c.points.map((p, i) => ({c, p, i})));
    const root = svg("chart", width, height, "memory against time of " + shown);
    if (points.length === 0) return;
    const padded = ([a, b]) => a === b ? [a * 0.8, b * 1.25] : [a * 0.93, b * 1.08];
    const used = d3.extent(points, d => d.p.sram_bytes_used), limits = data.arenas.filter(a => a > used[0] * 0.7 && a < used[1] * 1.4);
    const x = d3.scaleLinear(padded(d3.extent([...used, ...limits])), [left, width - right]);
    const y = d3.scaleLog(padded(d3.extent(points, d => d.p.total_us)), [height - bottom, top]);
    const ticks = d3.ticks(x.domain()[0] / 1024, x.domain()[1] / 1024, 7).map(t => t * 1024);
    const ys = y.ticks(6).filter((v, i, all) => all.length < 9 || /^[125]/.test(v.toPrecision(1)));
    const axes = root.append("g").attr("class", "axis");
    for (const t of ticks) {
      axes.append("line").attr("class", "grid").attr("x1", x(t)).attr("x2", x(t)).attr("y1", top).attr("y2", height - bottom);
      axes.append("text").attr("x", x(t)).attr("y", height - bottom + 16).attr("text-anchor", "middle").text(bytes(t));
    }
    for (const t of ys) {
      axes.append("line").attr("class", "grid").attr("x1", left).attr("x2", width - right).attr("y1", y(t)).attr("y2", y(t));
      axes.append("text").attr("x", left - 6).attr("y", y(t) + 4).attr("text-anchor", "end").text(short(t));
    }
    axes.append("text").attr("x", (left + width - right) / 2).attr("y", height - 8).attr("text-anchor", "middle").text("bytes of SRAM");
    for (const l of limits) {
      const g = root.append("g").attr("class", "limit");
      g.append("line").attr("x1", x(l)).attr("x2", x(l)).attr("y1", top).attr("y2", height - bottom);
      g.append("text").attr("x", x(l) - 4).attr("y", top + 10).attr("text-anchor", "end").text(bytes(l));
    }
    const steps = d3.line().x(d => x(d.sram_bytes_used)).y(d => y(d.total_us)).curve(d3.curveStepAfter);
    for (const c of list) root.append("path").attr("class", "steps").attr("d", steps(c.points)).style("stroke", `var(--s${series(c)})`);
    for (const d of points) {
      const mark = root.append("path").attr("class", "mark").attr("d", shape(series(d.c))).attr("transform", `translate(${x(d.p.sram_bytes_used)},${y(d.p.total_us)})`)
        .style("fill", `var(--s${series(d.c)})`).attr("tabindex", 0).attr("data-system", d.c.system).attr("data-point", d.i)
        .classed("is-picked", picked && picked.c === d.c && picked.i === d.i)
        .on("click", () => pick(d.c, d.i)).on("keydown", e => { if (e.key === "Enter") pick(d.c, d.i); });
      mark.append("title").text(`${d.c.system}\n${number(d.p.sram_bytes_used)} bytes, ${us(d.p.total_us)}\n${d.p.from}`);
    }
    one("legend").replaceChildren(...list.map(c => {
      const item = el("span", {});
      d3.select(item).append("svg").attr("viewBox", "-7 -7 14 14").append("path").attr("d", shape(series(c))).style("fill", `var(--s${series(c)})`);
      item.append(`${c.system} (${c.points.length})`);
      return item;
    }));
  };

  const fits = () => {
    const head = el("tr", {}, el("th", {}, "accelerator"), ...data.arenas.map(a => el("th", {class: "num"}, a > 0 ? bytes(a) : "any")));
    const rows = cells().map(c => el("tr", {}, el("td", {}, c.system), ...c.fits.map(i => {
      if (i < 0) return el("td", {class: "num"}, "does not fit", el("small", {}, c.points.length ? "least " + bytes(c.points[0].sram_bytes_used) : ""));
      const go = el("button", {"data-fit": i}, us(c.points[i].total_us));
      go.addEventListener("click", () => pick(c, i));
      return el("td", {class: "num"}, go, el("small", {}, bytes(c.points[i].sram_bytes_used)));
    })));
    one("fits").replaceChildren(el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows)));
  };

  const blocks = p => {
    const names = data.parts, left = 104, width = 560, row = 24;
    const root = svg("blocks", width, names.length * row + 4, "time of each block");
    names.forEach((name, r) => {
      root.append("text").attr("class", "name").attr("x", left - 8).attr("y", r * row + 16).attr("text-anchor", "end").text(spoken(name));
      let at = left;
      for (const cause of data.causes) {
        const cycles = p.time[name][cause];
        if (cycles === 0) continue;
        const w = cycles / p.npu_active_cycles * (width - left);
        const kind = cause === "busy" ? "busy" : cause === "done" ? "done" : "";
        root.append("rect").attr("class", "piece " + kind).attr("x", at).attr("y", r * row + 2).attr("width", w).attr("height", row - 5)
          .append("title").text(`${spoken(name)}: ${spoken(cause)} ${number(cycles)} cycles, ${(100 * cycles / p.npu_active_cycles).toFixed(1)} %`);
        if (w > cause.length * 6.5 + 6) root.append("text").attr("class", "inside " + kind).attr("x", at + 4).attr("y", r * row + 15).text(spoken(cause));
        at += w;
      }
    });
  };

  const schedule = (c, i) => {
    const p = c.points[i];
    one("title").textContent = `${c.network} on ${c.system}, ${p.from}`;
    const card = (text, value) => el("div", {class: "card"}, el("b", {}, value), text);
    one("cards").replaceChildren(card("of an inference", us(p.total_us)), card("cycles in all", number(p.total_cycles)), card("cycles of the NPU active", number(p.npu_active_cycles)),
      card(`of hand-over, ${p.invocations.length} invocation${p.invocations.length === 1 ? "" : "s"}`, number(p.hand_over_cycles)), card("of control", number(p.control_cycles)), card("on the CPU", us(p.cpu_us)),
      card("of SRAM", bytes(p.sram_bytes_used)), card("of constants", bytes(p.flash_bytes_used)));
    one("operators").replaceChildren(net.table(["operator", "type", "cycles", "of MACs", "SRAM", "AXI0 read", "AXI0 written", "AXI1 read"],
      p.operators.map(o => [o.name, o.type, number(o.cycles), (100 * o.utilisation).toFixed(1) + " %", bytes(o.sram_bytes), number(o.axi0_read_beats), number(o.axi0_write_beats), number(o.axi1_read_beats)]),
      [2, 3, 4, 5, 6, 7]));
    blocks(p);
    one("on-cpu").hidden = p.cpu_operators.length === 0;
    one("cpu").replaceChildren(net.table(["operator", "cycles of the CPU", "why"], p.cpu_operators.map(o => [o.name, number(o.cycles), o.why]), [1]));
  };

  const pick = (c, i) => {
    picked = {c, i};
    schedule(c, i);
    chart();
  };
  const show = network => {
    shown = network;
    for (const b of one("networks").children) b.setAttribute("aria-selected", b.dataset.network === network);
    fits();
    const first = cells().find(c => c.points.length > 0);
    if (first) pick(first, first.points.length - 1); else chart();
  };
  for (const n of networks) {
    const b = el("button", {role: "tab", "data-network": n}, n);
    b.addEventListener("click", () => show(n));
    one("networks").append(b);
  }
  show(shown);
}
