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
  const gBrush = svg.append("g").attr("class", "brush");
  const gMarks = svg.append("g").attr("clip-path", "url(#front-clip)").style("pointer-events", "none");
  const scales = {x: "linear", y: "linear"};
  let x, y, view = null, unit, tree, size, spots = new Map();

  const toX = p => p.memory / 1024, toY = p => p.ticks / unit.ticks;

  /** The axes' domains: those of the front, so that one slow plan of today does not press it flat, or of all marked points; the cloud does not count.
   *  The bound counts as far as it leaves the front two thirds of the height. */
  function extent(all) {
    const front = dse.state.front, points = all ? front.points : front.frontPoints, own = points.filter(p => p.timed);
    const axis = (values, bound) => {
      const lo = d3.min(values), hi = d3.max(values), span = hi - lo || hi * 0.3, least = Math.max(d3.min(bound) || lo, all ? 0 : lo - span / 2);
      const from = Math.min(lo, least);
      return [Math.max(from * 0.5, from - span * 0.06), hi + span * 0.09];
    };
    return {x: axis(points.map(toX), front.boundList.map(toX)), y: axis(own.map(toY), front.boundList.map(toY))};
  }

  function layout() {
    const w = Math.max(host.clientWidth, 200), h = dse.printing ? 380 : Math.round(Math.min(620, Math.max(380, w * 0.52)));
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
    c.strokeStyle = dse.token("hair");
    c.beginPath();
    gx.selectAll(".tick").each(function () { const t = +this.getAttribute("transform").match(/[-\d.]+/)[0]; c.moveTo(t, margin.top); c.lineTo(t, size.h - margin.bottom); });
    gy.selectAll(".tick").each(function () { const t = +this.getAttribute("transform").match(/,\s*([-\d.]+)/)[1]; c.moveTo(margin.left, t); c.lineTo(size.w - margin.right, t); });
    c.stroke();
    c.save();
    c.beginPath();
    c.rect(margin.left, margin.top, size.w - margin.left - margin.right, size.h - margin.top - margin.bottom);
    c.clip();
    c.fillStyle = dse.token("dot");
    for (const d of front.dotList) {
      const px = x(toX(d)), py = y(toY(d));
      if (px > margin.left - 3 && px < size.w && py > 0 && py < size.h) c.fillRect(px - 1.25, py - 1.25, 2.5, 2.5);
    }
    if (!front.chart) {
      front.boundParts.forEach(part => stairs(c, part, [5, 4], dse.colors.black, 1.2, part.open));
      stairs(c, front.frontPoints, [], dse.token("accent"), 1.6);
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
      g.append("text").attr("class", "mark-label").attr("text-anchor", "end");
      return g;
    }).attr("transform", p => `translate(${spot(p).x},0)`).call(g => {
      g.select("line").attr("y1", margin.top).attr("y2", size.h - margin.bottom).attr("display", p => spot(p).beyond ? "none" : null);
      g.select("path").attr("transform", `translate(0,${margin.top + 8})`);
      g.select("text").attr("x", -9).attr("y", margin.top + 12).text(untimedText);
    });
    const symbol = p => dse.symbol(dse.originStyle(p.origin).shape, p === hover ? 170 : p.origin === "front" ? (p.marks.length ? 95 : 48) : 120);
    gMarks.selectAll("path.point").data(timed, p => p.uid).join("path").attr("class", p => "point" + (p.front ? "" : " reference") + (spot(p).beyond ? " beyond" : ""))
      .attr("d", p => symbol(p) + (spot(p).beyond ? arrow(spot(p)) : ""))
      .attr("transform", p => `translate(${spot(p).x},${spot(p).y})`)
      .attr("fill", p => dse.originStyle(p.origin).open ? "var(--paper)" : dse.originStyle(p.origin).color)
      .attr("stroke", p => dse.originStyle(p.origin).open || spot(p).beyond ? dse.originStyle(p.origin).color : "var(--paper)")
      .attr("fill-opacity", p => p.asFastAs ? 0.35 : 1)
      .attr("stroke-width", p => dse.originStyle(p.origin).open ? 2 : 1);
    const rings = [[a, "A"], [b, "B"]].filter(r => r[0] && r[0].timed && (inView(r[0]) || spot(r[0]).beyond));
    gMarks.selectAll("g.ring").data(rings, r => r[1]).join(enter => {
      const g = enter.append("g").attr("class", "ring");
      g.append("circle").attr("r", 10).attr("fill", "none").attr("stroke", "var(--ink)").attr("stroke-width", 1.8).attr("stroke-dasharray", r => r[1] === "B" ? "3 2" : null);
      g.append("text").attr("class", "ring-label").attr("x", -10).attr("y", 20).attr("text-anchor", "end").text(r => r[1]);
      return g;
    }).attr("transform", r => `translate(${spot(r[0]).x},${spot(r[0]).y})`).raise();
    labels(timed.filter(p => dse.format.names(p).length));
  }

  const untimedText = p => `${p.origin} (memory only${spot(p).beyond ? ", " + dse.format.memory(p.memory) : ""})`;
  const inView = p => x(toX(p)) >= margin.left - 1 && x(toX(p)) <= size.w - margin.right + 8 && y(toY(p)) >= margin.top - 12 && y(toY(p)) <= size.h - margin.bottom + 1;
  /** Where a point stands: a marked plan that lies beyond the view is at its edge, with an arrow towards where it is. */
  const spot = p => spots.get(p) || edged(p);
  function edged(p) {
    const at = {x: x(toX(p)), y: p.timed ? y(toY(p)) : margin.top + 8, beyond: false};
    if (p.origin === "front") return at;
    const inset = 14, cx = Math.max(margin.left + inset, Math.min(size.w - margin.right - inset, at.x)), cy = Math.max(margin.top + inset - 6, Math.min(size.h - margin.bottom - inset, at.y));
    const left = margin.left - 1, right = size.w - margin.right + 8, top = margin.top - 12, bottom = size.h - margin.bottom + 1;
    if (at.x >= left && at.x <= right && at.y >= top && at.y <= bottom) return at;
    return {x: cx, y: p.timed ? cy : at.y, beyond: true, shift: 0, turn: Math.atan2(at.y < top ? -1 : at.y > bottom ? 1 : 0, at.x < left ? -1 : at.x > right ? 1 : 0)};
  }
  /** Places of all marked plans; of those at one edge none covers another. */
  function placeMarks() {
    spots = new Map();
    const seen = [];
    for (const p of dse.state.front.references.slice().sort((a, b) => a.memory - b.memory)) {
      const at = edged(p), along = Math.abs(Math.cos(at.turn || 0)) > 0.9 ? "y" : "x", low = along === "x" ? margin.left + 14 : margin.top + 8, high = along === "x" ? size.w - margin.right - 14 : size.h - margin.bottom - 14;
      const free = v => !seen.some(o => Math.hypot(o.x - (along === "x" ? v : at.x), o.y - (along === "y" ? v : at.y)) < 16);
      if (at.beyond) {
        const by = [0, 18, -18, 36, -36, 54, -54].find(d => at[along] + d >= low && at[along] + d <= high && free(at[along] + d));
        at[along] += by || 0;
        seen.push(at);
      }
      spots.set(p, at);
    }
  }
  /** A small triangle beside the symbol. */
  const arrow = ({turn}) => {
    const at = (along, across) => `${along * Math.cos(turn) - across * Math.sin(turn)},${along * Math.sin(turn) + across * Math.cos(turn)}`;
    return `M${at(15, 0)}L${at(9, 5)}L${at(9, -5)}Z`;
  };

  /** Labels beside their point, at the first place around it that covers neither another label nor a marked point. */
  function labels(points) {
    const f = dse.format, wide = text => text.length * 7 + 2, titled = p => f.names(p).join(", ");
    const at = points.filter(p => spot(p).beyond || inView(p))
      .map(p => ({p, px: spot(p).x, py: spot(p).y, text: titled(p) + (spot(p).beyond ? ` (${f.memory(p.memory)}, ${f.latency(p)})` : "")})).sort((l, r) => l.px - r.px);
    at.filter(l => wide(l.text) > size.w - margin.left - margin.right - 12).forEach(l => { l.text = titled(l.p); });
    const taken = at.map(l => ({l: l.px - 8, r: l.px + 8, t: l.py - 8, b: l.py + 8}))
      .concat(dse.state.front.points.filter(p => !p.timed).map(p => ({l: spot(p).x - 9 - untimedText(p).length * 7, r: spot(p).x + 8, t: margin.top, b: margin.top + 18})));
    const places = [[10, -7, 0], [10, 16, 0], [-10, -7, 1], [-10, 16, 1], [10, -22, 0], [-10, -22, 1], [10, -37, 0], [-10, -37, 1], [10, 31, 0], [-10, 31, 1], [-10, -52, 1], [10, 46, 0], [-10, 46, 1], [10, 61, 0], [-10, 61, 1], [10, 76, 0], [10, 91, 0]];
    at.forEach((l, index) => {
      const width = wide(l.text);
      // A long one moves sideways rather than out of the chart.
      const boxAt = ([dx, dy, end]) => {
        const from = l.px + dx - (end ? width : 0), left = Math.max(margin.left + 2, Math.min(size.w - width - 4, from));
        return {l: left, r: left + width, t: l.py + dy - 11, b: l.py + dy + 3, by: left - from};
      };
      const free = o => o.t > 2 && o.b < size.h - margin.bottom && !taken.some((q, i) => i !== index && o.l < q.r && o.r > q.l && o.t < q.b && o.b > q.t);
      const place = places.find(q => Math.abs(boxAt(q).by) < 1 && free(boxAt(q))) || places.find(q => free(boxAt(q))) || places[0], box = boxAt(place), by = box.by;
      taken.push(box);
      l.box = box;
      l.far = Math.abs(place[1]) > 20 || Math.abs(by) > 12;
      [l.x, l.y, l.end] = [l.px + place[0] + by, l.py + place[1], place[2]];
    });
    // A label that found no place beside its point is tied to it.
    gMarks.selectAll("path.leader").data(at.filter(l => l.far), l => l.p.uid).join("path").attr("class", "leader").attr("fill", "none").attr("stroke", l => dse.originStyle(l.p.origin).color)
      .attr("d", l => `M${l.px},${l.py}L${Math.max(l.box.l + 3, Math.min(l.box.r - 3, l.px))},${l.box.t > l.py ? l.box.t : l.box.b}`).lower();
    gMarks.selectAll("text.point-label").data(at, l => l.p.uid).join("text").attr("class", "mark-label point-label")
      .attr("x", l => l.x).attr("y", l => l.y).attr("text-anchor", l => l.end ? "end" : "start").text(l => l.text).raise();
  }

  function draw() {
    if (!dse.state.front.frontPoints.length) return;
    unit = dse.format.unit(dse.state.front);
    layout();
    rescale();
    gx.attr("transform", `translate(0,${size.h - margin.bottom})`);
    gy.attr("transform", `translate(${margin.left},0)`);
    axis(gx, d3.axisBottom, x, size.w);
    axis(gy, d3.axisLeft, y, size.h);
    drawCanvas();
    placeMarks();
    drawMarks();
    tree = d3.quadtree(dse.state.front.points.filter(p => p.timed).concat(dse.state.front.dotList), p => p.id ? spot(p).x : x(toX(p)), p => p.id ? spot(p).y : y(toY(p)));
    brush.extent([[margin.left, margin.top], [size.w - margin.right, size.h - margin.bottom]]);
    gBrush.call(brush);
    document.getElementById("front-reset").disabled = !view;
    document.getElementById("front-all").disabled = !dse.state.front.references.some(p => spot(p).beyond);
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
    const away = p => Math.hypot(spot(p).x - px, spot(p).y - py);
    const own = d3.least(dse.state.front.points.filter(p => p.timed), away);
    if (own && away(own) < 14) return own;
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
      ["bound", f.percent(p.bound / p.ticks) + " of it"], ...(p.uj === undefined ? [] : [["energy", f.n(Math.round(p.uj)) + " \u00b5J"]]), ["origin", p.origin + ", simulated"],
      ...(p.asFastAs ? [["as fast as", `${p.asFastAs}, within the error of times`]] : [])]);
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
    const ratio = of => (d3.max(front.frontPoints, of) || 1) / (d3.min(front.frontPoints, of) || 1);
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
      holder.append("path").attr("transform", "translate(8,7)").attr("d", dse.symbol(s.shape, 60)).attr("fill", s.open ? "var(--paper)" : s.color).attr("stroke", s.color).attr("stroke-width", 1.6);
      return holder.node();
    };
    const origins = Array.from(new Set(front.references.map(p => p.origin)));
    const cut = front.dots.kept < front.dots.total ? ` (${n(front.dots.kept)} of ${n(front.dots.total)} drawn)` : ` (${n(front.dots.total)})`;
    dse.fill("front-legend", ["front", ...origins].map(o => el("span", {class: "entry"}, symbol(o), o)),
      el("span", {class: "entry"}, el("i", {class: "dot"}), "dominated" + cut), front.boundParts.length ? el("span", {class: "entry"}, el("i", {class: "dashed"}), "bound on plans layer by layer" + (front.runsCovered ? " and with runs by phases" : "")) : "",
      el("span", {class: "hint"}, "drag a box or use the wheel to zoom, double click to return, shift-click sets B"));
  }
}
