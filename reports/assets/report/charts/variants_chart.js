// Variants of a network: accuracy against the latency of the fastest plan; a disc's area is the weights' bytes, a dash below it the dense
// network of as many parameters. Clicking shows the variant's front.
{
  const margin = {top: 24, right: 24, bottom: 40, left: 62};

  /** `variants`: as across.variants; `pressed(i)`: its front is the one shown; `pick(i)` shows it. */
  dse.variantsChart = (host, variants, pressed, pick) => {
    const all = variants.map((v, i) => Object.assign({i}, v)).filter(v => v.us != null && v.accuracy != null);
    host.replaceChildren();
    host.hidden = document.getElementById("variants-note").hidden = all.length < 2;
    if (host.hidden) return;
    const w = Math.max(host.clientWidth, 240), h = Math.round(Math.min(420, Math.max(280, w * 0.42)));
    const svg = d3.select(host).append("svg").attr("width", w).attr("height", h).attr("role", "group")
      .attr("aria-label", "Accuracy against latency of all variants; the table below holds the same numbers");
    const pad = ([lo, hi]) => { const span = hi - lo || Math.abs(hi) * 0.1 || 1; return [lo - span * 0.08, hi + span * 0.08]; };
    const shown = all.flatMap(v => v.equal == null ? [v.accuracy] : [v.accuracy, v.equal]);
    const x = d3.scaleLinear().domain(pad(d3.extent(all, v => v.us))).range([margin.left, w - margin.right]);
    const y = d3.scaleLinear().domain(pad(d3.extent(shown)).map(v => Math.min(v, 1.005))).range([h - margin.bottom, margin.top]);
    const r = d3.scaleSqrt().domain([0, d3.max(all, v => v.weights)]).range([3, 16]);
    const axis = make => svg.append("g").attr("class", "axis").call(make);
    axis(d3.axisBottom(x).ticks(Math.max(3, Math.round(w / 120))).tickSizeOuter(0)).attr("transform", `translate(0,${h - margin.bottom})`);
    axis(d3.axisLeft(y).ticks(6, ".1%").tickSizeOuter(0)).attr("transform", `translate(${margin.left},0)`);
    svg.append("text").attr("class", "axis-title").attr("x", w - margin.right).attr("y", h - 6).attr("text-anchor", "end").text("latency of the fastest plan, \u00b5s");
    svg.append("text").attr("class", "axis-title").attr("x", 6).attr("y", 11).text("accuracy");
    const g = svg.selectAll("g.variant").data(d3.sort(all, v => -v.weights)).join("g").attr("class", "variant");
    g.filter(v => v.equal != null).append("path").attr("class", "equal")
      .attr("d", v => `M${x(v.us)},${y(v.accuracy)}V${y(v.equal)}M${x(v.us) - 8},${y(v.equal)}h16`);
    g.append("circle").attr("cx", v => x(v.us)).attr("cy", v => y(v.accuracy)).attr("r", v => r(v.weights))
      .attr("tabindex", 0).attr("role", "button").classed("picked", v => pressed(v.i))
      .attr("aria-label", v => `${v.label}: ${dse.format.percent(v.accuracy)}`)
      .on("click", v => pick(v.i))
      .on("keydown", v => { if (d3.event.key === "Enter" || d3.event.key === " ") { d3.event.preventDefault(); pick(v.i); } })
      .append("title").text(v => `${v.label}\naccuracy ${(100 * v.accuracy).toFixed(2)} % (${v.of})\nweights ${dse.format.bytes(v.weights)}\nfastest plan ${v.us.toFixed(1)} \u00b5s` +
        (v.equal == null ? "" : `\ndense network of as many parameters ${(100 * v.equal).toFixed(2)} %`));
  };
}
