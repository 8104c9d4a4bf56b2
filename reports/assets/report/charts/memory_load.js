// Bytes alive at once over time, below a memory's map: the load, beside the height of the arena and never added to it.
{
  const f = dse.format;

  /** Draws the frame into `svg`; @returns the function that draws the curve for a scale of ticks. */
  dse.loadStrip = (svg, clip, map, arena, {left, right, top, bottom}) => {
    const y = d3.scaleLinear().domain([0, Math.max(map.load, arena) * 1.12]).range([bottom, top]);
    svg.append("g").attr("class", "axis").attr("transform", `translate(${left},0)`)
      .call(d3.axisLeft(y).tickValues([0, map.load]).tickFormat(v => f.memory(v).replace(".0 ", " ")).tickSizeOuter(0));
    const area = svg.append("g").attr("clip-path", `url(#${clip})`).append("path").attr("class", "load");
    area.on("mousemove", () => {
      const tick = inside.invert(d3.mouse(svg.node())[0]), step = map.steps.find(s => s.from <= tick && tick < s.to);
      if (step) dse.tip(d3.event, "alive at once", [["bytes", f.n(step.bytes) + (map.thinnedSteps ? " at most" : "")], ["of the load", f.percent(step.bytes / map.load)], ["cycles", `${f.n(step.from)} to ${f.n(step.to)}`], ["arena", f.n(arena) + " B"]]);
    }).on("mouseleave", dse.untip);
    const line = (at, cls) => svg.append("line").attr("class", cls).attr("x1", left).attr("x2", right).attr("y1", y(at)).attr("y2", y(at));
    line(arena, "arena");
    line(map.load, "load-line");
    const text = (x, at, anchor, words) => svg.append("text").attr("class", "line-label").attr("x", x).attr("y", at).attr("text-anchor", anchor).text(words);
    text(right - 4, y(arena) - 3, "end", "arena " + f.memory(arena));
    text(left + 6, y(map.load) + 11, "start", `alive at once: at most ${f.memory(map.load)}`);
    let inside = d3.scaleLinear();
    return (scale, x) => {
      inside = scale;
      const corners = map.steps.map(s => `L${x(s.from)},${y(s.bytes)}L${x(s.to)},${y(s.bytes)}`).join("");
      const first = map.steps[0], last = map.steps[map.steps.length - 1];
      area.attr("d", first ? `M${x(first.from)},${y(0)}${corners}L${x(last.to)},${y(0)}Z` : null);
    };
  };
}
