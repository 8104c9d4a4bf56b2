// The graph: positions come with the data; here it is drawn, moved and linked to the table.
{
  const {data, one, el} = net, g = data.graph, margin = 24;
  const svg = d3.select("#canvas").append("svg").attr("role", "img").attr("aria-label", "graph of the network");
  svg.append("defs").append("marker").attr("id", "tip").attr("viewBox", "0 0 8 8").attr("refX", 7).attr("refY", 4)
    .attr("markerUnits", "userSpaceOnUse").attr("markerWidth", 9).attr("markerHeight", 9).attr("orient", "auto").append("path").attr("class", "arrow").attr("d", "M0,0 L8,4 L0,8 z");
  const scene = svg.append("g");

  /** Straight beside the labels and through layers, between them curves that leave and arrive vertically. */
  const stub = 17, path = p => {
    let d = "M" + p[0] + "," + p[1];
    for (let i = 2; i < p.length; i += 2) {
      const from = p[i - 1] + stub, middle = (from + p[i + 1]) / 2;
      d += p[i] === p[i - 2] ? "V" + p[i + 1] : "V" + from + "C" + p[i - 2] + "," + middle + " " + p[i] + "," + middle + " " + p[i] + "," + p[i + 1];
    }
    return d;
  };
  const edges = scene.append("g").selectAll("path").data(g.edges).enter().append("path").attr("class", "edge").attr("d", e => path(e.points)).attr("marker-end", "url(#tip)");
  edges.append("title").text(e => net.tensor(e.tensor).name + "  " + net.tensor(e.tensor).shape + "  " + net.tensor(e.tensor).type);

  const family = n => n.layer == null ? "port" : data.layers[n.layer].family;
  const nodes = scene.append("g").selectAll("g").data(g.nodes).enter().append("g")
    .attr("class", n => "node" + (n.layer == null ? " port" : "") + (n.layer != null && data.layers[n.layer].why != null ? " none" : ""))
    .attr("data-layer", n => n.layer == null ? null : n.layer).attr("transform", n => "translate(" + n.x + "," + n.y + ")");
  nodes.append("rect").attr("class", family).attr("x", n => -n.w / 2).attr("y", n => -n.h / 2).attr("width", n => n.w).attr("height", n => n.h).attr("rx", n => n.layer == null ? n.h / 2 : 5);
  nodes.filter(n => n.layer == null).append("text").attr("class", "sub").attr("y", 4).text(n => n.title + "  " + n.sub);
  const layers = nodes.filter(n => n.layer != null);
  layers.append("text").attr("class", "title").attr("y", -3).text(n => n.title);
  layers.append("text").attr("class", "sub").attr("y", 12).text(n => n.sub);
  layers.filter(n => data.layers[n.layer].why != null || data.layers[n.layer].float).append("text")
    .attr("class", n => data.layers[n.layer].why != null ? "flag" : "flag floating").attr("x", n => n.w / 2 - 2).attr("y", n => -n.h / 2 - 3)
    .text(n => data.layers[n.layer].why != null ? "cannot be run" : "float");
  layers.append("title").text(n => n.layer + "  " + n.title + "  " + data.layers[n.layer].type + (data.layers[n.layer].why != null ? "\ncannot be run: " + data.layers[n.layer].why : ""));
  layers.on("click", n => net.pick(n.layer, "graph"));

  // One label per tensor, where it leaves.
  const seen = new Set();
  const first = g.edges.filter(e => !seen.has(e.from + "/" + e.tensor) && seen.add(e.from + "/" + e.tensor));
  scene.append("g").selectAll("text").data(first).enter().append("text").attr("class", "label").attr("x", e => e.points[0] + 6).attr("y", e => e.points[1] + 13).text(e => net.tensor(e.tensor).shape);

  const zoom = d3.zoom().scaleExtent([0.01, 3]).on("zoom", () => scene.attr("transform", d3.event.transform));
  svg.call(zoom).on("dblclick.zoom", null);
  const size = () => one("canvas").getBoundingClientRect();
  const show = (x, y, k) => svg.call(zoom.transform, d3.zoomIdentity.translate(size().width / 2 - k * x, size().height / 2 - k * y).scale(k));
  const fit = () => {
    const k = Math.min(1.2, (size().width - 2 * margin) / g.width, (size().height - 2 * margin) / g.height);
    show(g.width / 2, g.height / 2, k);
  };
  /** Legible at first: the whole graph if its text can be read then, else its top. */
  const start = () => {
    const whole = Math.min((size().width - 2 * margin) / g.width, (size().height - 2 * margin) / g.height);
    if (whole >= 0.62) return fit();
    const k = Math.max(0.62, Math.min(1, (size().width - 2 * margin) / g.width)), top = g.nodes.reduce((a, b) => b.y < a.y ? b : a);
    show(g.width * k <= size().width ? g.width / 2 : top.x, (size().height / 2 - margin) / k, k);
  };
  one("fit").addEventListener("click", fit);
  one("closer").addEventListener("click", () => svg.call(zoom.scaleBy, 1.5));
  one("farther").addEventListener("click", () => svg.call(zoom.scaleBy, 1 / 1.5));
  start();

  net.onPick((layer, by) => {
    nodes.classed("is-picked", n => n.layer === layer);
    edges.classed("is-picked", e => g.nodes[e.from].layer === layer || g.nodes[e.to].layer === layer);
    edges.filter(".is-picked").raise();
    if (by === "graph") return;
    const n = g.nodes.find(m => m.layer === layer), k = Math.max(0.7, d3.zoomTransform(svg.node()).k);
    show(n.x, n.y, k);
  });

  const names = {weighted: "convolutions and products", recurrent: "recurrent", pooling: "pooling and reductions", arithmetic: "arithmetic", activation: "activations",
    movement: "movement of data", conversion: "conversion", other: "other"};
  const used = new Set(data.layers.map(l => l.family));
  one("legend").append(...Object.keys(names).filter(k => used.has(k)).map(k => el("span", {}, el("i", {class: k}), names[k])));
  if (data.summary.unsupported.length > 0) one("legend").append(el("span", {}, el("i", {class: "none"}), "cannot be run"));
}
