// Engines over time: one lane per queue, layers as shaded bands, zoomable down to single tasks, on a canvas.
{
  const el = dse.el, f = dse.format, host = document.getElementById("gantt-chart");
  const canvas = host.appendChild(el("canvas", {tabindex: 0, "aria-label": "Gantt chart of the engines; the tables below hold the sums"}));
  const left = dse.timelineLeft = 104, right = 14, laneHeight = 34, top = 22, overview = 26;
  let lanes = [], size = {w: 0, h: 0}, pending = false;

  const scale = dse.timeScale = () => d3.scaleLinear().domain(dse.state.window).range([left, size.w - right]);

  /** Ticks on the axis in time, whole cycles in the tooltip. */
  dse.timeAxis = (context, x, y, height) => {
    const unit = f.unit(dse.state.front), axis = d3.scaleLinear().domain(x.domain().map(t => t / unit.ticks)).range(x.range());
    const line = dse.token("rule"), ink = dse.token("soft");
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "center";
    const ticks = axis.ticks(Math.max(2, Math.round((x.range()[1] - x.range()[0]) / 110))), format = axis.tickFormat(ticks.length);
    ticks.forEach((t, i) => {
      context.fillStyle = line;
      context.fillRect(Math.round(axis(t)), y, 1, height);
      context.fillStyle = ink;
      context.fillText(format(t), Math.min(axis(t), size.w - context.measureText(format(t)).width / 2 - 1), y - 6);
    });
    context.textAlign = "right";
    context.fillText(unit.name, left - 16, y - 6);
  };

  function collect(p) {
    lanes = dse.state.front.queues.map((name, i) => ({name, color: dse.queueColors[i % dse.queueColors.length], tasks: []}));
    p.tasksTraced.forEach(t => { if (lanes[t.queue]) lanes[t.queue].tasks.push(t); });
    lanes.forEach(l => { l.longest = d3.max(l.tasks, t => t.end - Math.min(t.start, t.issued)) || 0; });
  }
  /** Tasks of a lane that may be seen: its list is in order of start. */
  const visible = (lane, [from, to]) => {
    const by = d3.bisector(t => t.start);
    return lane.tasks.slice(by.left(lane.tasks, from - lane.longest), by.right(lane.tasks, to + lane.longest));
  };

  function bands(c, p, x, y, h, names) {
    const band = dse.token("band"), paper = dse.token("paper"), ink = dse.token("soft");
    p.ends.forEach((end, i) => {
      const from = p.ends[i - 1] || 0, l = Math.max(x.range()[0], x(from)), r = Math.min(x.range()[1], x(end));
      if (r <= l) return;
      c.fillStyle = i % 2 ? band : paper;
      c.fillRect(l, y, r - l, h);
      if (names && r - l > 24) {
        c.fillStyle = ink;
        c.font = "10.5px system-ui, sans-serif";
        c.textAlign = "center";
        const fits = n => c.measureText(n).width < r - l - 4, full = p.sectionNames[i] || "", name = [full, full.split(":")[0]].find(fits);
        if (name) c.fillText(name, (l + r) / 2, y + h - 4);
      }
    });
  }
  dse.layerBands = bands;

  function draw() {
    pending = false;
    const p = dse.state.a;
    if (!p) return;
    size = {w: host.clientWidth, h: top + lanes.length * laneHeight + 18 + overview};
    const c = dse.sizeCanvas(canvas, size.w, size.h), x = scale(), w = dse.state.window, bottom = top + lanes.length * laneHeight;
    c.clearRect(0, 0, size.w, size.h);
    bands(c, p, x, top, bottom - top + 16, true);
    dse.timeAxis(c, x, top, bottom - top);
    c.save();
    c.beginPath();
    c.rect(left, top, size.w - right - left, bottom - top);
    c.clip();
    lanes.forEach((lane, i) => drawLane(c, lane, visible(lane, w), x, top + i * laneHeight));
    c.restore();
    lanes.forEach((lane, i) => {
      c.fillStyle = dse.token("ink");
      c.font = "12px system-ui, sans-serif";
      c.textAlign = "right";
      c.fillText(lane.name, left - 10, top + i * laneHeight + laneHeight / 2 + 4);
      c.fillStyle = dse.token("rule");
      c.fillRect(left, top + (i + 1) * laneHeight, size.w - left - right, 1);
    });
    cut(c, p, x, bottom);
    drawOverview(c, p, bottom + 22);
  }

  function drawLane(c, lane, tasks, x, y) {
    const dark = d3.color(lane.color), light = d3.color(d3.interpolateRgb(lane.color, "#fff")(0.35)).toString();
    const edge = dse.token("edge");
    let filledTo = -1;
    for (const t of tasks) {
      const l = x(t.start), r = x(t.end), wide = r - l;
      if (wide < 0.7 && l < filledTo) continue;  // thinner than a pixel and behind what is drawn already
      const wait = Math.min(t.issued, t.start);
      if (x(t.start) - x(wait) > 3 && wide > 4) {  // issued, ready, then the task
        c.fillStyle = edge;
        c.fillRect(x(wait), y + laneHeight - 6, l - x(wait), 1);
        c.fillRect(x(wait), y + laneHeight - 9, 1, 6);
        c.fillRect(x(Math.max(wait, Math.min(t.ready, t.start))) - 1, y + laneHeight - 8, 2, 5);
      }
      c.fillStyle = t.row % 2 ? light : dark;
      c.fillRect(l, y + 5, Math.max(0.7, wide - (wide > 3 ? 0.8 : 0)), laneHeight - 16);
      filledTo = Math.max(filledTo, l + Math.max(0.7, wide));
      if (wide > 46) {
        c.fillStyle = d3.hsl(c.fillStyle).l > 0.6 ? "#111" : "#fff";
        c.font = "10.5px system-ui, sans-serif";
        c.textAlign = "left";
        const name = `${dse.state.a.layerNames[t.row] || t.row}[${t.tile}]`;
        if (c.measureText(name).width < wide - 8) c.fillText(name, Math.max(l, left) + 4, y + laneHeight - 17);
      }
    }
  }

  /** Where the trace was cut to keep the page small: hatched and named. */
  function cut(c, p, x, bottom) {
    if (p.trace.kept >= p.trace.total) return;
    const from = Math.max(left, x(d3.max(p.tasksTraced, t => t.start) || 0)), to = size.w - right;
    if (from >= to) return;
    c.save();
    c.beginPath();
    c.rect(from, top, to - from, bottom - top);
    c.clip();
    c.strokeStyle = dse.token("line");
    for (let i = from - bottom; i < to; i += 9) { c.beginPath(); c.moveTo(i, bottom); c.lineTo(i + bottom - top, top); c.stroke(); }
    c.restore();
    c.fillStyle = dse.token("ink");
    c.textAlign = "center";
    c.font = "12px system-ui, sans-serif";
    if (to - from > 150) c.fillText("trace cut here", (from + to) / 2, top + 18);
  }

  function drawOverview(c, p, y) {
    const x = d3.scaleLinear().domain([0, dse.span(p)]).range([left, size.w - right]), [from, to] = dse.state.window, h = 14;
    bands(c, p, x, y, h, false);
    c.strokeStyle = dse.token("rule");
    c.strokeRect(left + 0.5, y + 0.5, size.w - left - right - 1, h);
    c.fillStyle = "rgba(0,114,178,.22)";
    c.fillRect(x(from), y, Math.max(2, x(to) - x(from)), h);
    c.strokeStyle = dse.colors.blue;
    c.strokeRect(x(from) + 0.5, y + 0.5, Math.max(2, x(to) - x(from) - 1), h);
    c.fillStyle = dse.token("soft");
    c.font = "11px system-ui, sans-serif";
    c.textAlign = "right";
    c.fillText("whole run", left - 10, y + 11);
  }
  const later = () => { if (dse.printing) draw(); else if (!pending) { pending = true; requestAnimationFrame(draw); } };

  function at(e) {
    const box = canvas.getBoundingClientRect(), px = e.clientX - box.left, py = e.clientY - box.top, lane = lanes[Math.floor((py - top) / laneHeight)];
    if (!lane || px < left) return null;
    const x = scale(), t = x.invert(px), slack = x.invert(2) - x.invert(0);
    const tasks = visible(lane, [t - slack, t + slack]).filter(k => k.start - slack <= t && t <= k.end + slack);
    return tasks.length ? {lane, task: d3.least(tasks, k => t >= k.start && t <= k.end ? 0 : Math.min(Math.abs(k.start - t), Math.abs(k.end - t)))} : null;
  }
  canvas.addEventListener("mousemove", e => {
    if (e.buttons) return dse.untip();
    const hit = at(e), n = f.n;
    if (!hit) return dse.untip();
    const t = hit.task;
    const p = dse.state.a, phased = p.accounts[t.row] && p.accounts[t.row].segment;
    dse.tip(e, `${p.layerNames[t.row] || t.row}, tile ${t.tile}`, [...(phased ? [["in", phased]] : []), ["engine", hit.lane.name], ["issued", n(t.issued)], ["ready", n(t.ready)], ["start", n(t.start)],
      ["end", n(t.end)], ["ran for", `${n(t.end - t.start)} cycles, ${f.time(t.end - t.start)}`], ["waited", `${n(Math.max(0, t.start - Math.max(t.ready, t.issued)))} cycles for its engine`], ["template", n(t.template)]]);
  });
  canvas.addEventListener("mouseleave", dse.untip);

  /** `factor` < 1 zooms in about the tick `about`. */
  dse.zoomTime = (factor, about) => {
    const [from, to] = dse.state.window, middle = about == null ? (from + to) / 2 : about;
    dse.setWindow(middle - (middle - from) * factor, middle + (to - middle) * factor);
  };
  dse.dragTime = (element, xOf) => {
    let grabbed = null;
    element.addEventListener("mousedown", e => { if (e.button === 0) grabbed = {px: e.clientX, window: dse.state.window.slice()}; });
    addEventListener("mousemove", e => {
      if (!grabbed) return;
      const x = xOf(), perPixel = (grabbed.window[1] - grabbed.window[0]) / (x.range()[1] - x.range()[0]), by = (grabbed.px - e.clientX) * perPixel;
      dse.setWindow(grabbed.window[0] + by, grabbed.window[1] + by);
    });
    addEventListener("mouseup", () => { grabbed = null; });
    dse.onWheel(element, (factor, e) => dse.zoomTime(factor, xOf().invert(e.clientX - element.getBoundingClientRect().left)), whole);
    element.addEventListener("dblclick", () => dse.setWindow(0, dse.span(dse.state.a)));
  };
  const whole = () => dse.state.window[1] - dse.state.window[0] >= dse.span(dse.state.a);
  dse.dragTime(canvas, scale);
  /** Moves the window for a key; of the timeline and of what follows it. */
  dse.timeKey = e => {
    const [from, to] = dse.state.window, by = (to - from) / 5;
    const moves = {ArrowLeft: () => dse.setWindow(from - by, to - by), ArrowRight: () => dse.setWindow(from + by, to + by), "+": () => dse.zoomTime(0.6), "=": () => dse.zoomTime(0.6),
      "-": () => dse.zoomTime(1 / 0.6), Home: () => dse.setWindow(0, dse.span(dse.state.a))};
    if (moves[e.key]) { moves[e.key](); e.preventDefault(); }
  };
  canvas.addEventListener("keydown", dse.timeKey);
  document.getElementById("zoom-in").addEventListener("click", () => dse.zoomTime(0.5));
  document.getElementById("zoom-out").addEventListener("click", () => dse.zoomTime(2));
  document.getElementById("gantt-reset").addEventListener("click", () => dse.setWindow(0, dse.span(dse.state.a)));
  const choice = document.getElementById("gantt-layer");
  choice.addEventListener("change", () => {
    const i = +choice.value, p = dse.state.a;
    if (i < 0) dse.setWindow(0, dse.span(p)); else dse.setWindow(p.ends[i - 1] || 0, p.ends[i]);
  });

  dse.on("select", "timeline", () => {
    const p = dse.state.a;
    if (!p) return;
    collect(p);
    choice.replaceChildren(el("option", {value: -1}, "all"), ...p.ends.map((_, i) => el("option", {value: i}, p.sectionNames[i] || "section " + i)));
    const note = !p.trace.total ? "No trace was recorded for this plan."
      : p.trace.kept < p.trace.total ? `The trace was cut to keep this file small: the first ${f.n(p.trace.kept)} of ${f.n(p.trace.total)} tasks are shown. The per-layer account above covers all of them.` : "";
    dse.fill("gantt-note", note).hidden = !note;
    later();
  });
  dse.on("window", "timeline", later);
  addEventListener("resize", later);
}
