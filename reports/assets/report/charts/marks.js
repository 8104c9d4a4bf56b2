// Colours, hatches and shapes. Colours are Okabe and Ito's eight, told apart by colour-blind readers; every one has a hatch or shape too.
{
  /** A colour of tokens.css as it is now, for canvases; SVG takes `var(--name)`. */
  dse.token = name => getComputedStyle(document.body).getPropertyValue("--" + name).trim();
  matchMedia("(prefers-color-scheme: dark)").addListener(() => dispatchEvent(new Event("resize")));
  const c = dse.colors = {get black() { return dse.token("ink"); }, orange: "#E69F00", sky: "#56B4E9", green: "#009E73", yellow: "#F0E442", blue: "#0072B2",
    red: "#D55E00", purple: "#CC79A7", grey: "#9AA0A6", pale: "#D5D8DC"};
  dse.causeStyle = {
    compute: {color: c.blue, hatch: "none"}, dispatch: {color: c.sky, hatch: "dots"}, memory: {color: c.purple, hatch: "cross"},
    dma_weights: {color: c.orange, hatch: "up"}, dma_input: {color: c.red, hatch: "down"}, dma_output: {color: c.yellow, hatch: "level"},
    issue: {color: c.green, hatch: "upright"}, wait: {color: c.grey, hatch: "up"}, other: {color: c.pale, hatch: "none"}};
  dse.roleStyle = {
    tensor: {color: c.sky, hatch: "none"}, tile: {color: c.blue, hatch: "none"}, weights: {color: c.orange, hatch: "up"},
    "partial sums": {color: c.purple, hatch: "cross"}, scratch: {color: c.yellow, hatch: "level"}, staging: {color: c.green, hatch: "upright"},
    constants: {color: c.pale, hatch: "dots"}, state: {color: c.grey, hatch: "down"}};
  dse.queueColors = [c.blue, c.red, c.orange, c.green, c.purple, c.sky, c.grey, c.yellow];

  /** Shape and colour of a marked point by its origin. */
  dse.originStyle = origin => origin === "front" ? {shape: d3.symbolCircle, color: c.blue, open: false}
    : origin === "rule-based (branch order)" ? {shape: d3.symbolStar, color: c.red, open: false}
    : origin.startsWith("rule-based (") ? {shape: d3.symbolDiamond, color: c.red, open: true}
    : origin.startsWith("rule-based") ? {shape: d3.symbolDiamond, color: c.red, open: false}
    : origin.startsWith("TFLM") ? {shape: d3.symbolSquare, color: c.green, open: false}
    : {shape: d3.symbolTriangle, color: c.purple, open: false};

  dse.symbol = (shape, size) => d3.symbol().type(shape).size(size)();

  const strokes = {up: "M-2,2L2,-2M0,8L8,0M6,10L10,6", down: "M-2,6L2,10M0,0L8,8M6,-2L10,2", level: "M0,4H8", upright: "M4,0V8",
    cross: "M0,0L8,8M0,8L8,0", dots: "M2,2h1M6,6h1"};
  const svg = d3.select("body").append("svg").attr("width", 0).attr("height", 0).attr("aria-hidden", "true").style("position", "absolute");
  const defs = svg.append("defs");
  const made = new Set();
  /** A fill for SVG: the style's colour with its hatch over it. */
  dse.fillOf = style => {
    if (!style) return c.pale;
    if (style.hatch === "none") return style.color;
    const id = "hatch-" + style.hatch + style.color.replace(/\W/g, "");
    if (!made.has(id)) {
      made.add(id);
      const p = defs.append("pattern").attr("id", id).attr("width", 8).attr("height", 8).attr("patternUnits", "userSpaceOnUse");
      p.append("rect").attr("width", 8).attr("height", 8).attr("fill", style.color);
      p.append("path").attr("d", strokes[style.hatch]).attr("stroke", style.stroke || (d3.hsl(style.color).l > 0.7 ? "rgba(0,0,0,.35)" : "rgba(255,255,255,.75)"))
        .attr("stroke-width", style.hatch === "dots" ? 2 : 1.2);
    }
    return `url(#${id})`;
  };
  /** A legend of [{label, style, title}]. */
  dse.legend = (id, entries) => {
    const items = d3.select("#" + id).selectAll("span.entry").data(entries).join("span").attr("class", "entry").attr("title", d => d.title || null).html("");
    items.append("svg").attr("width", 16).attr("height", 12).append("rect").attr("width", 16).attr("height", 12).attr("rx", 2).attr("fill", d => dse.fillOf(d.style));
    items.append("span").text(d => d.label);
  };
}
