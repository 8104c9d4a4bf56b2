// Points of all device points of one device: latency (or memory, where nobody asked for latency) against the device's area. Filled: left where
// fronts are compared. The line is the least that an area reaches. Clicking a point shows it on its front.
{
  const margin = {top: 24, right: 24, bottom: 40, left: 62};

  /** `fronts` and `left`: as in across, places in the data and ids by front; `pick(front, point)` shows it. */
  dse.areaChart = (host, fronts, objectives, left, pick) => {
    const timed = objectives.includes("latency");
    const all = fronts.flatMap((front, i) => front.area == null ? [] : front.frontPoints.filter(p => !timed || p.timed)
      .map(p => ({front, p, area: front.area, value: timed ? p.ticks / front.hz * 1e6 : p.memory / 1024, left: left[i].includes(p.id)})));
    host.replaceChildren();
    host.hidden = document.getElementById("area-note").hidden = new Set(all.map(d => d.area)).size < 2;
    if (host.hidden) return;
    const unit = timed ? dse.format.timeUnit(d3.min(all, d => d.value)) : {name: "KiB", size: 1};
    const w = Math.max(host.clientWidth, 240), h = dse.printing ? 280 : Math.round(Math.min(420, Math.max(280, w * 0.42)));
    const what = timed ? "latency" : "memory", svg = d3.select(host).append("svg").attr("width", w).attr("height", h).attr("role", "group")
      .attr("aria-label", `${what[0].toUpperCase() + what.slice(1)} against area of all points; the table below counts those that are left`);
    const of = d => d.value / unit.size, span = d3.extent(all, of), areas = d3.extent(all, d => d.area), edge = 0.08 * (areas[1] - areas[0]);
    const x = d3.scaleLinear().domain([areas[0] - edge, areas[1] + edge]).range([margin.left, w - margin.right]);
    const far = span[0] > 0 && span[1] / span[0] > 10, room = 0.08 * (span[1] - span[0] || span[1] || 1);
    const y = (far ? d3.scaleLog().domain([span[0] * 0.85, span[1] * 1.15]) : d3.scaleLinear().domain([span[0] - room, span[1] + room])).range([h - margin.bottom, margin.top]);
    const axis = make => svg.append("g").attr("class", "axis").call(make.tickSizeOuter(0));
    axis(d3.axisBottom(x).ticks(Math.max(3, Math.round(w / 120)))).attr("transform", `translate(0,${h - margin.bottom})`);
    axis(d3.axisLeft(y).ticks(6, far ? "~g" : undefined)).attr("transform", `translate(${margin.left},0)`);
    svg.append("text").attr("class", "axis-title").attr("x", w - margin.right).attr("y", h - 6).attr("text-anchor", "end").text("area, mm\u00b2");
    svg.append("text").attr("class", "axis-title").attr("x", 6).attr("y", 11).text(`${what}, ${unit.name}`);
    const steps = [];
    for (const d of d3.sort(all, (a, b) => a.area - b.area || a.value - b.value)) if (!steps.length || d.value < steps[steps.length - 1].value) steps.push(d);
    svg.append("path").attr("class", "steps").attr("d", d3.line().x(d => x(d.area)).y(d => y(of(d))).curve(d3.curveStepAfter)(steps.concat({area: areas[1], value: steps[steps.length - 1].value})));
    svg.selectAll("circle").data(d3.sort(all, d => d.left)).join("circle").attr("cx", d => x(d.area)).attr("cy", d => y(of(d))).attr("r", d => d.left ? 5 : 3.5)
      .attr("tabindex", 0).attr("role", "button").classed("left", d => d.left).classed("picked", d => d.front === dse.state.front)
      .attr("aria-label", d => `${d.front.device}, point ${d.p.row}: ${+d.area.toPrecision(4)} mm\u00b2, ${dse.format.figure(of(d))} ${unit.name}`)
      .on("click", d => pick(d.front, d.p))
      .on("keydown", d => { if (d3.event.key === "Enter" || d3.event.key === " ") { d3.event.preventDefault(); pick(d.front, d.p); } })
      .append("title").text(d => `${d.front.device}\narea ${+d.area.toPrecision(4)} mm\u00b2\n${what} ${dse.format.figure(of(d))} ${unit.name}\nmemory ${dse.format.memory(d.p.memory)}` + (d.left ? "" : "\nbeaten by a point of another device point"));
  };
}
