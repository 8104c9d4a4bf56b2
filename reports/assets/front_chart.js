// The front: memory against latency. Dominated candidates and the bound on a canvas below, points as SVG above. Dragging a box zooms in.
{
  const host = document.getElementById("front-chart"), margin = {top: 26, right: 18, bottom: 40, left: 62};
  const canvas = host.appendChild(document.createElement("canvas"));
  const svg = d3.select(host).append("svg").attr("tabindex", 0).attr("role", "img")
    .attr("aria-label", "Memory against latency of all points; the table beside it holds the same numbers");
  svg.append("clipPath").attr("id", "front-clip").append("rect");
  const gx = svg.append("g").attr("class", "axis"), gy = svg.append("g").attr("class", "axis");
  const xTitle = svg.append("text").attr("class", "axis-title").attr("text-anchor", "end").text("memory (on-chip arenas), KiB");
  const yTitle = svg.append("text").attr("class", "axis-title").attr("text-anchor", "start");
  const edge = svg.append("text").attr("class", "axis-title").attr("text-anchor", "end");
  const gBrush = svg.append("g").attr("class", "brush");
  const gMarks = svg.append("g").attr("clip-path", "url(#front-clip)").style("pointer-events", "none");
  const scales = {x: "linear", y: "linear"};
  let x, y, view = null, unit, tree, size;

  /** Latency in the unit that keeps the axis readable. */
  function chooseUnit(front) {
    const fastest = d3.min(front.frontPoints, p => p.ticks) || 1, us = fastest / front.hz * 1e6;
    unit = us < 1000 ? {name: "\u00b5s", ticks: front.hz / 1e6} : us < 1e6 ? {name: "ms", ticks: front.hz / 1e3} : {name: "s", ticks: front.hz};
  }
  const toX = p => p.memory / 1024, toY = p => p.ticks / unit.ticks;

  /** What is not far from the front: one slow plan of today must not press the front flat. It is named at the edge instead. */
  const near = p => p.front || (p.memory <= 2.5 * d3.max(dse.state.front.frontPoints, q => q.memory) && p.ticks <= 2.5 * d3.max(dse.state.front.frontPoints, q => q.ticks));
  /** The axes' domains for the points near the front, or for all; the cloud does not count. */
  function extent(all) {
    const front = dse.state.front, points = front.points.filter(p => all || near(p)), own = points.filter(p => p.timed);
    const xs = points.map(toX).concat(front.boundList.map(toX)), ys = own.map(toY).concat(front.boundList.map(toY));
    const xHi = d3.max(xs), yHi = d3.max(ys);
    const xLo = d3.min(xs), yLo = d3.min(ys), pad = (lo, hi) => (hi - lo || hi) * 0.05;
    return {x: [Math.max(xLo * 0.9, xLo - pad(xLo, xHi)), xHi + pad(xLo, xHi) * 2], y: [Math.max(yLo * 0.9, yLo - pad(yLo, yHi)), yHi + pad(yLo, yHi)]};
  }

  function layout() {
    const w = host.clientWidth, h = Math.round(Math.min(620, Math.max(380, w * 0.52)));
    size = {w, h};
    host.style.height = h + "px";
    svg.attr("width", w).attr("height", h);
    svg.select("clipPath rect").attr("x", margin.left).attr("y", margin.top - 12).attr("width", w - margin.left - margin.right + 10).attr("height", h - margin.top - margin.bottom + 12);
    xTitle.attr("x", w - margin.right).attr("y", h - 6);
    yTitle.attr("x", 6).attr("y", 11).text("latency, " + unit.name);
  }

  function rescale() {
    const v = view || extent(), of = kind => kind === "log" ? d3.scaleLog() : d3.scaleLinear();
    x = of(scales.x).domain(v.x).range([margin.left, size.w - margin.right]);
    y = of(scales.y).domain(v.y).range([size.h - margin.bottom, margin.top]);
  }

  function axis(g, make, scale, grid) {
    const ticks = Math.max(4, Math.round(grid / 80));
    const a = make(scale).ticks(ticks, scale.base ? "~g" : undefined).tickSizeOuter(0);
    if (scale.base && scale.domain()[1] / scale.domain()[0] < 12) {
      const values = d3.scaleLinear().domain(scale.domain()).ticks(ticks);
      a.tickValues(values).tickFormat(d3.format("~g"));
    }
    g.call(a);
  }

  function drawCanvas() {
    const c = dse.sizeCanvas(canvas, size.w, size.h), front = dse.state.front;
    c.clearRect(0, 0, size.w, size.h);
    c.strokeStyle = "#ECEEF0";
    c.beginPath();
    gx.selectAll(".tick").each(function () { const t = +this.getAttribute("transform").match(/[-\d.]+/)[0]; c.moveTo(t, margin.top); c.lineTo(t, size.h - margin.bottom); });
    gy.selectAll(".tick").each(function () { const t = +this.getAttribute("transform").match(/,\s*([-\d.]+)/)[1]; c.moveTo(margin.left, t); c.lineTo(size.w - margin.right, t); });
    c.stroke();
    c.save();
    c.beginPath();
    c.rect(margin.left, margin.top, size.w - margin.left - margin.right, size.h - margin.top - margin.bottom);
    c.clip();
    c.fillStyle = "rgba(120,126,133,.38)";
    for (const d of front.dotList) {
      const px = x(toX(d)), py = y(toY(d));
      if (px > margin.left - 3 && px < size.w && py > 0 && py < size.h) c.fillRect(px - 1.25, py - 1.25, 2.5, 2.5);
    }
    if (!front.chart) {
      front.boundParts.forEach(part => stairs(c, part, [5, 4], dse.colors.black, 1.2, part.open));
      stairs(c, front.frontPoints, [], dse.colors.blue, 1.6);
    }
    c.restore();
  }

  /** More memory never takes away a plan: between points the latency of the smaller one holds. */
  function stairs(c, list, dash, color, width, open = true) {
    if (!list.length) return;
    c.beginPath();
    c.setLineDash(dash);
    c.strokeStyle = color;
    c.lineWidth = width;
    list.forEach((p, i) => {
      if (i === 0) c.moveTo(x(toX(p)), y(toY(p)));
      else { c.lineTo(x(toX(p)), y(toY(list[i - 1]))); c.lineTo(x(toX(p)), y(toY(p))); }
    });
    if (open) c.lineTo(size.w, y(toY(list[list.length - 1])));
    c.stroke();
    c.setLineDash([]);
  }

  function drawMarks() {
    const front = dse.state.front, {a, b, hover} = dse.state, timed = front.points.filter(p => p.timed);
    const untimed = front.points.filter(p => !p.timed);
    gMarks.selectAll("g.untimed").data(untimed, p => p.uid).join(enter => {
      const g = enter.append("g").attr("class", "untimed");
      g.append("line").attr("stroke", p => dse.originStyle(p.origin).color).attr("stroke-dasharray", "2 3").attr("stroke-width", 1.5);
      g.append("path").attr("d", p => dse.symbol(dse.originStyle(p.origin).shape, 90)).attr("fill", p => dse.originStyle(p.origin).color);
      g.append("text").attr("class", "mark-label").attr("text-anchor", "end").text(p => p.origin + " (memory only)");
      return g;
    }).attr("transform", p => `translate(${x(toX(p))},0)`).call(g => {
      g.select("line").attr("y1", margin.top).attr("y2", size.h - margin.bottom);
      g.select("path").attr("transform", `translate(0,${margin.top + 8})`);
      g.select("text").attr("x", -9).attr("y", margin.top + 12);
    });
    gMarks.selectAll("path.point").data(timed, p => p.uid).join("path").attr("class", p => "point" + (p.front ? "" : " reference"))
      .attr("d", p => dse.symbol(dse.originStyle(p.origin).shape, p === hover ? 170 : p.origin === "front" ? (p.marks.length ? 95 : 48) : 120))
      .attr("transform", p => `translate(${x(toX(p))},${y(toY(p))})`)
      .attr("fill", p => dse.originStyle(p.origin).open ? "#fff" : dse.originStyle(p.origin).color)
      .attr("stroke", p => dse.originStyle(p.origin).open ? dse.originStyle(p.origin).color : "#fff")
      .attr("stroke-width", p => dse.originStyle(p.origin).open ? 2 : 1);
    const rings = [[a, "A"], [b, "B"]].filter(r => r[0] && r[0].timed);
    gMarks.selectAll("g.ring").data(rings, r => r[1]).join(enter => {
      const g = enter.append("g").attr("class", "ring");
      g.append("circle").attr("r", 10).attr("fill", "none").attr("stroke", "#111").attr("stroke-width", 1.8).attr("stroke-dasharray", r => r[1] === "B" ? "3 2" : null);
      g.append("text").attr("class", "ring-label").attr("x", -10).attr("y", 20).attr("text-anchor", "end").text(r => r[1]);
      return g;
    }).attr("transform", r => `translate(${x(toX(r[0]))},${y(toY(r[0]))})`).raise();
    labels(timed.filter(p => dse.format.names(p).length));
  }

  /** Labels beside their point, at the first place around it that covers neither another label nor a marked point. */
  function labels(points) {
    const at = points.map(p => ({p, px: x(toX(p)), py: y(toY(p)), text: dse.format.names(p).join(", ")}))
      .filter(l => l.px >= margin.left && l.px <= size.w - margin.right + 8 && l.py >= 0 && l.py <= size.h - margin.bottom).sort((l, r) => l.px - r.px);
    const taken = at.map(l => ({l: l.px - 8, r: l.px + 8, t: l.py - 8, b: l.py + 8}))
      .concat(dse.state.front.points.filter(p => !p.timed).map(p => ({l: x(toX(p)) - 9 - (p.origin.length + 14) * 7, r: x(toX(p)) + 8, t: margin.top, b: margin.top + 18})));
    const places = [[10, -7, 0], [10, 16, 0], [-10, -7, 1], [-10, 16, 1], [10, -22, 0], [-10, -22, 1], [10, -37, 0], [-10, -37, 1], [10, 31, 0], [-10, -52, 1]];
    at.forEach((l, index) => {
      const width = l.text.length * 7 + 2, boxAt = ([dx, dy, end]) => ({l: l.px + dx - (end ? width : 0), r: l.px + dx + (end ? 0 : width), t: l.py + dy - 11, b: l.py + dy + 3});
      const free = o => o.l > margin.left && o.r < size.w && o.t > 2 && o.b < size.h - margin.bottom && !taken.some((q, i) => i !== index && o.l < q.r && o.r > q.l && o.t < q.b && o.b > q.t);
      const place = places.find(q => free(boxAt(q))) || places[l.px + 12 + width > size.w ? 2 : 0];
      taken.push(boxAt(place));
      [l.x, l.y, l.end] = [l.px + place[0], l.py + place[1], place[2]];
    });
    gMarks.selectAll("text.point-label").data(at, l => l.p.uid).join("text").attr("class", "mark-label point-label")
      .attr("x", l => l.x).attr("y", l => l.y).attr("text-anchor", l => l.end ? "end" : "start").text(l => l.text).raise();
  }

  function draw() {
    if (!dse.state.front.frontPoints.length) return;
    chooseUnit(dse.state.front);
    layout();
    rescale();
    gx.attr("transform", `translate(0,${size.h - margin.bottom})`);
    gy.attr("transform", `translate(${margin.left},0)`);
    axis(gx, d3.axisBottom, x, size.w);
    axis(gy, d3.axisLeft, y, size.h);
    drawCanvas();
    drawMarks();
    tree = d3.quadtree(dse.state.front.points.filter(p => p.timed).concat(dse.state.front.dotList), p => x(toX(p)), p => y(toY(p)));
    brush.extent([[margin.left, margin.top], [size.w - margin.right, size.h - margin.bottom]]);
    gBrush.call(brush);
    document.getElementById("front-reset").disabled = !view;
    outside();
  }

  /** Plans of today that lie beyond the view, in words above the chart. */
  function outside() {
    const beyond = dse.state.front.references.filter(p => p.timed && (toX(p) > x.domain()[1] || toY(p) > y.domain()[1]));
    edge.text(beyond.length ? "outside this view: " + beyond.map(p => `${p.origin} (${dse.format.memory(p.memory)}, ${dse.format.latency(p)})`).join(", ") : "")
      .attr("x", size.w - margin.right).attr("y", 11);
  }

  const brush = d3.brush().on("end", () => {
    const s = d3.event.selection;
    if (!s) return;
    gBrush.call(brush.move, null);
    if (s[1][0] - s[0][0] < 6 || s[1][1] - s[0][1] < 6) return;
    view = {x: [x.invert(s[0][0]), x.invert(s[1][0])], y: [y.invert(s[1][1]), y.invert(s[0][1])]};
    draw();
  });
  const reset = () => { view = null; draw(); };

  dse.onWheel(host, (factor, e) => {
    const box = host.getBoundingClientRect(), px = e.clientX - box.left, py = e.clientY - box.top;
    const about = (scale, at) => scale.range().map(r => scale.invert(at + (r - at) * factor));
    const full = extent(true), next = {x: about(x, px), y: about(y, py)};
    view = next.x[1] - next.x[0] >= full.x[1] - full.x[0] && next.y[1] - next.y[0] >= full.y[1] - full.y[0] ? {...full, all: true} : next;
    draw();
  }, () => !!view && !!view.all);

  /** The point under the pointer; a point of ours within reach wins over a nearer dot of the cloud. */
  function under(e) {
    const box = host.getBoundingClientRect(), px = e.clientX - box.left, py = e.clientY - box.top;
    const own = d3.least(dse.state.front.points.filter(p => p.timed), p => Math.hypot(x(toX(p)) - px, y(toY(p)) - py));
    if (own && Math.hypot(x(toX(own)) - px, y(toY(own)) - py) < 14) return own;
    return tree && tree.find(px, py, 6);
  }
  host.addEventListener("mousemove", e => {
    if (e.buttons) return;
    const p = under(e), f = dse.format;
    host.classList.toggle("over", !!(p && p.id));
    dse.hover(p && p.id ? p : null);
    if (!p) return dse.untip();
    if (!p.id) return dse.tip(e, "dominated candidate", [["memory", f.memory(p.memory)], ["latency", f.time(p.ticks)]]);
    dse.tip(e, f.title(p), [["id", p.id], ["memory", f.memory(p.memory)], ["latency", f.latency(p)], ["cycles", f.n(p.ticks)],
      ["bound", f.percent(p.bound / p.ticks) + " of it"], ["energy", f.n(Math.round(p.uj)) + " \u00b5J"], ["origin", p.origin + ", simulated"]]);
  });
  host.addEventListener("mouseleave", () => { dse.untip(); dse.hover(null); });
  host.addEventListener("click", e => {
    const p = under(e);
    if (p && p.id) (e.shiftKey ? dse.compareWith : dse.select)(p);
  });
  host.addEventListener("dblclick", reset);
  document.getElementById("front-reset").addEventListener("click", reset);
  document.getElementById("front-all").addEventListener("click", () => { view = {...extent(true), all: true}; draw(); });
  for (const which of ["x", "y"]) {
    document.querySelectorAll(`input[name=${which}scale]`).forEach(r => r.addEventListener("change", () => { chosen = true; scales[which] = r.value; view = null; draw(); }));
  }
  /** Far apart numbers start on a log axis, until someone has chosen. */
  let chosen = false;
  function chooseScales(front) {
    if (chosen) return;
    const ratio = of => (d3.max(front.points.filter(near), of) || 1) / (d3.min(front.points.filter(near), of) || 1);
    scales.x = ratio(p => p.memory) > 10 ? "log" : "linear";
    scales.y = ratio(p => p.timed ? p.ticks : undefined) > 10 ? "log" : "linear";
    for (const which of ["x", "y"]) document.querySelector(`input[name=${which}scale][value=${scales[which]}]`).checked = true;
  }
  dse.on("front", "chart", () => { view = null; if (dse.state.front.frontPoints.length) chooseScales(dse.state.front); gMarks.selectAll("*").remove(); draw(); legend(); });
  for (const what of ["select", "compare", "hover"]) dse.on(what, "chart", () => { if (x && dse.state.front.frontPoints.length) drawMarks(); });
  addEventListener("resize", () => draw());

  function legend() {
    const front = dse.state.front, el = dse.el, n = dse.format.n;
    const symbol = origin => {
      const s = dse.originStyle(origin), holder = d3.create("svg").attr("width", 16).attr("height", 14);
      holder.append("path").attr("transform", "translate(8,7)").attr("d", dse.symbol(s.shape, 60)).attr("fill", s.open ? "#fff" : s.color).attr("stroke", s.color).attr("stroke-width", 1.6);
      return holder.node();
    };
    const origins = Array.from(new Set(front.references.map(p => p.origin)));
    const cut = front.dots.kept < front.dots.total ? ` (${n(front.dots.kept)} of ${n(front.dots.total)} drawn)` : ` (${n(front.dots.total)})`;
    dse.fill("front-legend", ["front", ...origins].map(o => el("span", {class: "entry"}, symbol(o), o)),
      el("span", {class: "entry"}, el("i", {class: "dot"}), "dominated" + cut), front.boundParts.length ? el("span", {class: "entry"}, el("i", {class: "dashed"}), "bound on plans layer by layer") : "",
      el("span", {class: "hint"}, "drag a box or use the wheel to zoom, double click to return, shift-click sets B"));
  }
}
