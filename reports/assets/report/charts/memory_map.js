// Offset against time for every memory: each buffer a named shape that takes what it takes when it takes it, sections as bands, capacity, arena and
// what is reserved as lines; below, the bytes alive at once. Follows the timeline's window.
{
  const el = dse.el, f = dse.format, host = document.getElementById("memory-map"), right = 14, top = 20, gap = 12, strip = 58, axis = 34;
  const left = dse.timelineLeft;

  /** Up to the capacity where the plan uses a fair part of it; else up to a little above what it uses. */
  function ceiling(memory, used) {
    return memory.size && used > memory.size * 0.25 ? Math.max(memory.size, used) * 1.04 : used * 1.12 || memory.size || 1;
  }
  const kibStep = high => [256, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 1048576, 4194304].find(s => high / s <= 5) || high / 4;
  const bytesTick = v => f.memory(v).replace(".0 ", " ");

  function heading(memory, use, used, map, high) {
    const arena = use ? use.arena : used, free = memory.size - memory.reserved;
    const room = `of ${f.memory(free)}${memory.reserved ? ` (${f.memory(memory.size)} less ${f.memory(memory.reserved)} reserved)` : ""}`;
    const load = map.load ? `; alive at once at most ${f.memory(map.load)}, the load` + (arena > map.load ? `: the arena is ${f.bytes(arena - map.load)} higher` : ": no arena is lower") : "";
    return el("h3", {}, memory.name, el("small", {}, ` arena ${f.memory(arena)} ${room}` + (memory.onChip ? load : ", off chip: not part of the memory objective")
      + (memory.size > high ? `, capacity ${f.memory(memory.size)} is off the scale` : "")));
  }

  const facts = b => [...(b.tensor ? [["holds", b.tensor]] : []), ["role", b.role], ["offset", f.n(b.offset)], ["size", f.bytes(b.size)], ["end", f.n(b.offset + b.size)], ["from", `${f.n(b.from)}  ${f.time(b.from)}`], ["to", `${f.n(b.to)}  ${f.time(b.to)}`]];
  const taken = (b, w) => [["in use", `${f.bytes(w.end - w.begin)} here: ${f.n(b.offset + w.begin)} to ${f.n(b.offset + w.end)}`], ["", `cycles ${f.n(w.from)} to ${f.n(w.to)}`]];

  function list(buffers, name) {
    const box = el("details", {class: "buffers"}, el("summary", {}, buffers.length === 1 ? `The buffer of ${name} by name` : `All ${buffers.length} buffers of ${name} by name`));
    const heads = [{text: "buffer"}, {text: "holds"}, {text: "role"}, {text: "offset", num: true}, {text: "size, bytes", num: true}, {text: "from cycle", num: true}, {text: "to cycle", num: true}, {text: "takes"}];
    const takes = b => b.phased ? `${f.bytes(d3.min(b.windows, w => w.end - w.begin))} to ${f.bytes(d3.max(b.windows, w => w.end - w.begin))}` : "all of it";
    box.addEventListener("toggle", () => {
      if (box.open && box.children.length === 1) box.append(dse.table(heads, buffers.map(b => [b.name, b.tensor, b.role, f.n(b.offset), f.n(b.size), f.n(b.from), f.n(b.to), takes(b)])));
    });
    return box;
  }

  function panel(p, memory, map) {
    const buffers = p.bufferList.filter(b => b.memory === memory.name).sort((a, b) => a.from - b.from || a.offset - b.offset), use = p.memoryList.find(m => m.name === memory.name);
    const used = Math.max(d3.max(buffers, b => b.offset + b.size) || 0, use ? use.arena : 0);
    if (!used) return null;
    buffers.forEach(b => { b.runs = dse.stairs(b.windows); });
    const box = el("div", {class: "panel"}), w = host.clientWidth, high = ceiling(memory, used), curve = memory.onChip && map.load > 0;
    const h = top + (!memory.onChip ? 94 : high > memory.size || buffers.some(b => b.phased) ? 260 : 180), free = memory.size - memory.reserved, y = d3.scaleLinear().domain([0, high]).range([h, top]);
    const bottom = h + (curve ? gap + strip : 0), width = Math.max(0, w - left - right);
    box.append(heading(memory, use, used, map, high));
    const svg = d3.select(box).append("svg").attr("width", w).attr("height", bottom + axis).attr("tabindex", 0).attr("role", "img")
      .attr("aria-label", `memory map of ${memory.name}: ${buffers.length} buffers; up and down go from buffer to buffer, the list below names all`);
    const clip = "clip-" + memory.name.replace(/\W/g, "_"), inside = d3.scaleLinear().range([left, w - right]), unit = f.unit(dse.state.front);
    svg.append("clipPath").attr("id", clip).append("rect").attr("x", left).attr("width", width).attr("height", bottom + 2);
    const bands = svg.append("g").attr("clip-path", `url(#${clip})`), names = svg.append("g").attr("class", "section-names");
    svg.append("g").attr("class", "axis").attr("transform", `translate(${left},0)`).call(d3.axisLeft(y).tickValues(d3.range(0, high, kibStep(high))).tickFormat(bytesTick).tickSizeOuter(0));
    const g = svg.append("g").attr("clip-path", `url(#${clip})`);
    if (memory.reserved && high >= memory.size) {
      g.append("rect").attr("x", left).attr("width", width).attr("y", y(memory.size)).attr("height", y(free) - y(memory.size)).attr("fill", dse.fillOf({color: "var(--wash)", hatch: "up", stroke: "var(--rule)"}));
      svg.append("text").attr("class", "line-label").attr("x", left + 8).attr("y", (y(memory.size) + y(free)) / 2 + 4).text("reserved " + f.memory(memory.reserved));
    }
    const shape = g.selectAll("g").data(buffers).join("g").attr("class", b => {
      const s = dse.roleStyle[b.role];
      return "buffer" + (!s || s.hatch !== "none" ? " hatched" : d3.hsl(s.color).l < 0.4 ? " dark" : "");
    });
    shape.append("path").attr("fill", b => dse.fillOf(dse.roleStyle[b.role])).on("mousemove", b => {
      const [px, py] = d3.mouse(svg.node()), at = b.phased ? dse.windowAt(b, inside.invert(px), y.invert(py)) : null;
      dse.tip(d3.event, b.name, facts(b).concat(at ? taken(b, at) : []));
    }).on("mouseleave", dse.untip);
    shape.append("text");
    const edges = svg.append("g").attr("clip-path", `url(#${clip})`);
    const line = (at, text, cls) => {
      if (at > high || at <= 0) return;
      svg.append("line").attr("class", cls).attr("x1", left).attr("x2", w - right).attr("y1", y(at)).attr("y2", y(at));
      svg.append("text").attr("class", "line-label").attr("x", w - right - 4).attr("y", y(at) - 3).attr("text-anchor", "end").text(text);
    };
    line(memory.size, "capacity " + f.memory(memory.size), "capacity");
    if (memory.reserved) line(free, "free for plans " + f.memory(free), "reserved");
    if (use) line(use.arena, "arena " + f.memory(use.arena), "arena");
    const drawLoad = curve ? dse.loadStrip(svg, clip, map, use ? use.arena : used, {left, right: w - right, top: h + gap, bottom}) : () => {};
    const ticks = svg.append("g").attr("class", "axis").attr("transform", `translate(0,${bottom})`);
    svg.append("text").attr("class", "axis-title").attr("x", left - 16).attr("y", bottom + 16).attr("text-anchor", "end").text(unit.name);

    const place = () => {
      inside.domain(dse.state.window);
      const x = v => Math.max(-50, Math.min(w + 50, inside(v))), view = [left, w - right], ends = p.ends, from = i => ends[i - 1] || 0;
      ticks.call(d3.axisBottom(inside.copy().domain(inside.domain().map(t => t / unit.ticks))).ticks(Math.max(2, Math.round(width / 110))).tickSizeOuter(0));
      shape.each(function (b) {
        const s = d3.select(this), hidden = b.to < dse.state.window[0] || b.from > dse.state.window[1];
        s.attr("display", hidden ? "none" : null);
        if (hidden) return;
        s.select("path").attr("d", dse.stairPath(b, x, y));
        const at = dse.labelPlace(b, x, y, view), chars = at ? Math.floor((at.wide - 6) / 6.1) : 0;
        const text = chars > 1 && [b.tensor && `${b.name}: ${b.tensor}`, b.tensor || b.name, b.name, b.name.split(".").pop()].find(t => t && t.length <= chars);
        s.select("text").attr("x", at ? at.x + 4 : 0).attr("y", at ? at.y : 0).text(text || "");
      });
      bands.selectAll("rect").data(ends).join("rect").attr("x", (e, i) => x(from(i))).attr("width", (e, i) => Math.max(0, x(e) - x(from(i))))
        .attr("y", top).attr("height", bottom - top).attr("fill", (_, i) => i % 2 ? "var(--band)" : "var(--paper)");
      // Boundaries that are closer than a few pixels say nothing.
      const shown = ends.map((e, i) => i).filter(i => x(ends[i]) - x(from(i)) >= 4 && x(ends[i]) > left && x(ends[i]) < w - right);
      edges.selectAll("line").data(shown).join("line").attr("class", "boundary").attr("x1", i => x(ends[i])).attr("x2", i => x(ends[i])).attr("y1", top).attr("y2", bottom);
      const named = ends.map((e, i) => ({from: Math.max(left, x(from(i))), to: Math.min(w - right, x(e)), name: p.sectionNames[i] || ""}))
        .map(s => Object.assign(s, {name: [s.name, s.name.split(":")[0]].find(n => n.length * 6 < s.to - s.from - 4) || ""})).filter(s => s.name);
      names.selectAll("text").data(named).join("text").attr("x", s => (s.from + s.to) / 2).attr("y", top - 6).attr("text-anchor", "middle").text(s => s.name);
      drawLoad(inside, x);
    };
    place();
    dse.dragTime(svg.node(), () => inside.copy().domain(dse.state.window));
    const said = el("p", {class: "hint said", "aria-live": "polite"});
    box.append(said);
    if (map.drawn < map.boxes) box.append(el("p", {class: "note"}, `Drawn with ${f.n(map.drawn)} boxes around ${f.n(map.boxes)} windows: an outline may cover bytes that are free for a while, and another buffer's. The numbers are not thinned.`));
    box.append(list(buffers, memory.name));
    keys(svg.node(), buffers, shape, said);
    return {box, place};
  }

  /** Up and down go from buffer to buffer, Enter looks at one, the rest is as in the timeline. */
  function keys(node, buffers, shape, said) {
    let at = -1;
    const say = () => {
      shape.classed("is-focus", (_, i) => i === at);
      said.textContent = at < 0 ? "" : `${buffers[at].name}: ` + facts(buffers[at]).map(([k, v]) => `${k} ${v}`).join(", ") + (buffers[at].phased ? "; it does not take all of its bytes all the time" : "");
    };
    node.addEventListener("keydown", e => {
      const step = {ArrowDown: 1, ArrowUp: -1}[e.key];
      if (step) { at = (Math.max(at, step > 0 ? -1 : 0) + step + buffers.length) % buffers.length; say(); e.preventDefault(); }
      else if (e.key === "Enter" && at >= 0) { const b = buffers[at], by = (b.to - b.from) / 10; dse.setWindow(b.from - by, b.to + by); }
      else dse.timeKey(e);
    });
    node.addEventListener("blur", () => { at = -1; say(); });
  }

  let panels = [], pending = false;
  function build() {
    const p = dse.state.a;
    if (!p) return;
    const none = {load: 0, boxes: 0, drawn: 0, steps: []};
    panels = dse.state.front.memories.map((m, i) => panel(p, m, p.mapList.find(x => x.memory === i) || none)).filter(Boolean);
    host.replaceChildren(...panels.map(x => x.box));
    if (!panels.length) host.textContent = "No buffers were recorded for this plan.";
    const roles = Array.from(new Set(p.bufferList.map(b => b.role)));
    dse.legend("memory-legend", Object.keys(dse.roleStyle).filter(r => roles.includes(r)).map(r => ({label: r, style: dse.roleStyle[r]})));
  }
  dse.on("select", "memory", build);
  dse.on("window", "memory", () => {
    if (pending) return;
    pending = true;
    requestAnimationFrame(() => { pending = false; panels.forEach(x => x.place()); });
  });
  addEventListener("resize", build);
}
