// Offset against time for every memory: each buffer a named rectangle, capacity and what is reserved as lines. Follows the timeline's window.
{
  const el = dse.el, f = dse.format, host = document.getElementById("memory-map"), right = 14, top = 16;
  const left = dse.timelineLeft;

  /** Up to the capacity where the plan uses a fair part of it; else up to a little above what it uses. */
  function ceiling(memory, used) {
    return memory.size && used > memory.size * 0.25 ? Math.max(memory.size, used) * 1.04 : used * 1.12 || memory.size || 1;
  }

  function panel(p, memory) {
    const buffers = p.bufferList.filter(b => b.memory === memory.name), use = p.memoryList.find(m => m.name === memory.name);
    const used = Math.max(d3.max(buffers, b => b.offset + b.size) || 0, use ? use.arena : 0);
    if (!used) return null;
    const box = el("div", {class: "panel"}), w = host.clientWidth, high = ceiling(memory, used);
    const h = !memory.onChip ? 110 : high > memory.size ? 280 : 190, free = memory.size - memory.reserved, y = d3.scaleLinear().domain([0, high]).range([h, top]);
    const offScale = memory.size > high ? `, capacity ${f.memory(memory.size)} is off the scale` : "";
    box.append(el("h3", {}, memory.name, el("small", {}, ` arena ${f.memory(use ? use.arena : used)} of ${f.memory(free)}${memory.reserved ? ` (${f.memory(memory.size)} less ${f.memory(memory.reserved)} reserved)` : ""}`
      + (memory.onChip ? "" : ", off chip: not part of the memory objective") + offScale)));
    const svg = d3.select(box).append("svg").attr("width", w).attr("height", h + 4);
    const clip = "clip-" + memory.name.replace(/\W/g, "_");
    svg.append("clipPath").attr("id", clip).append("rect").attr("x", left).attr("width", Math.max(0, w - left - right)).attr("height", h + 2);
    svg.append("g").attr("class", "bands").attr("clip-path", `url(#${clip})`);
    const step = kibStep(high);
    svg.append("g").attr("class", "axis").attr("transform", `translate(${left},0)`).call(d3.axisLeft(y).tickValues(d3.range(0, high, step)).tickFormat(v => f.memory(v).replace(".0 ", " ")).tickSizeOuter(0));
    const g = svg.append("g").attr("clip-path", `url(#${clip})`);
    const rect = g.selectAll("g").data(buffers).join("g").attr("class", b => {
      const s = dse.roleStyle[b.role];
      return "buffer" + (!s || s.hatch !== "none" ? " hatched" : d3.hsl(s.color).l < 0.4 ? " dark" : "");
    });
    rect.append("rect").attr("y", b => y(b.offset + b.size)).attr("height", b => Math.max(1, y(b.offset) - y(b.offset + b.size))).attr("fill", b => dse.fillOf(dse.roleStyle[b.role]))
      .on("mousemove", b => dse.tip(d3.event, b.name, [["role", b.role], ["offset", f.n(b.offset)], ["size", f.bytes(b.size)], ["end", f.n(b.offset + b.size)], ["from", `${f.n(b.from)}  ${f.time(b.from)}`], ["to", `${f.n(b.to)}  ${f.time(b.to)}`]]))
      .on("mouseleave", dse.untip);
    rect.append("text").attr("y", b => (y(b.offset) + y(b.offset + b.size)) / 2 + 3.5);
    const line = (at, text, cls) => {
      if (at > high || at <= 0) return;
      svg.append("line").attr("class", cls).attr("x1", left).attr("x2", w - right).attr("y1", y(at)).attr("y2", y(at));
      svg.append("text").attr("class", "line-label").attr("x", w - right - 4).attr("y", y(at) - 3).attr("text-anchor", "end").text(text);
    };
    line(memory.size, "capacity " + f.memory(memory.size), "capacity");
    if (memory.reserved && high >= memory.size) {
      g.append("rect").attr("x", left).attr("width", Math.max(0, w - left - right)).attr("y", y(memory.size)).attr("height", y(free) - y(memory.size)).attr("fill", dse.fillOf({color: "#F6F7F9", hatch: "up"}));
      svg.append("text").attr("class", "line-label").attr("x", left + 8).attr("y", (y(memory.size) + y(free)) / 2 + 4).text("reserved " + f.memory(memory.reserved));
    }
    if (memory.reserved) line(free, "free for plans " + f.memory(free), "reserved");
    if (use) line(use.arena, "arena " + f.memory(use.arena), "arena");
    const place = () => {
      const x = d3.scaleLinear().domain(dse.state.window).range([left, w - right]), clampX = v => Math.max(-50, Math.min(w + 50, x(v)));
      rect.each(function (b) {
        const l = clampX(b.from), r = clampX(b.to), tall = y(b.offset) - y(b.offset + b.size), s = d3.select(this);
        const shownLeft = Math.max(l, left), wide = Math.min(r, w - right) - shownLeft;
        s.select("rect").attr("x", l).attr("width", Math.max(0.8, r - l));
        const chars = Math.floor((wide - 6) / 6), text = b.name.length <= chars ? b.name : b.name.split(".").pop();
        s.select("text").attr("x", shownLeft + 4).text(tall > 11 && text.length <= chars && wide > 10 ? text : "");
      });
      const p2 = dse.state.a;
      svg.select("g.bands").selectAll("rect").data(p2.ends).join("rect").attr("x", (e, i) => clampX(p2.ends[i - 1] || 0)).attr("width", (e, i) => Math.max(0, clampX(e) - clampX(p2.ends[i - 1] || 0)))
        .attr("y", top).attr("height", h - top).attr("fill", (_, i) => i % 2 ? "#F3F5F7" : "#fff");
    };
    place();
    dse.dragTime(svg.node(), () => d3.scaleLinear().domain(dse.state.window).range([left, w - right]));
    return {box, place};
  }
  const kibStep = high => [256, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 1048576, 4194304].find(s => high / s <= 5) || high / 4;

  let panels = [], pending = false;
  function build() {
    const p = dse.state.a;
    if (!p) return;
    panels = dse.state.front.memories.map(m => panel(p, m)).filter(Boolean);
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
