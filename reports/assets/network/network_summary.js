// Totals above, facts below, and what cannot be run.
{
  const {data, one, el, number, bytes} = net, s = data.summary;
  document.title = data.name + " - dse inspect";
  one("name").textContent = data.name;
  one("structure").textContent = data.structure;

  const card = (title, value, note, bad) => one("cards").append(el("div", {class: bad ? "card bad" : "card"}, el("small", {}, title), el("b", {}, value), el("small", {}, note)));
  card("operators", number(s.operators), s.kinds.length + (s.kinds.length === 1 ? " kind" : " kinds"));
  card("multiply-accumulates", number(s.macs), s.macs > 0 ? net.intensity(s.intensity) + " per byte moved" : "no convolutions or products");
  card("parameters", number(s.params), bytes(s.bytes));
  card("peak of activations", bytes(s.peak), "while " + data.layers[s.peakLayer].name + " runs");
  card("variables (state)", bytes(s.variables), "kept between runs");
  card("cannot be run", number(s.unsupported.length), "of " + number(s.operators) + " operators", s.unsupported.length > 0);
  if (s.floating > 0) card("float operators", number(s.floating), "quantise first: dse quantize", true);

  if (s.unsupported.length > 0) {
    const item = i => {
      const l = data.layers[i], link = el("button", {}, i + "  " + l.name);
      link.addEventListener("click", () => net.pick(i));
      return el("li", {}, link, " " + l.type + ": " + l.why);
    };
    one("warnings").append(el("details", {open: s.unsupported.length <= 20 ? "" : null},
      el("summary", {}, "Cannot be run: " + s.unsupported.length + " of " + s.operators + " operators"), el("ul", {}, ...s.unsupported.map(item))));
  }
  if (s.floating > 0)
    one("warnings").append(el("details", {}, el("summary", {}, s.floating + " of " + s.operators + " operators compute in float: quantise first (dse quantize)"), "operators " + s.floatingWhere));

  const ports = (title, list) => list.map((t, i) => net.tensor(t)).map((t, i) => [title + " " + i + ": " + t.name, t.shape, t.type, number(t.bytes), t.quantization || "-"]);
  one("ports").append(net.table(["tensor", "shape", "type", "bytes", "quantisation"], ports("input", s.inputs).concat(ports("output", s.outputs)), [3]));
  one("memory").append(
    el("p", {}, "Peak of activations: " + number(s.peak) + " bytes while operator " + s.peakLayer + " (" + data.layers[s.peakLayer].name + ") runs. Layer by layer in the file's order, nothing in place."),
    net.table(["live at the peak", "shape", "bytes"], s.live.slice(0, 12).map(net.tensor).map(t => [t.name, t.shape, number(t.bytes)]), [2]),
    el("p", {}, "Weights: " + number(s.bytes) + " bytes. Variables (state): " + number(s.variables) + " bytes."));
  one("kinds").append(net.table(["kind", "operators", "MACs", "parameters"], s.kinds.map(k => [k.kind, number(k.operators), number(k.macs), number(k.params)]), [1, 2, 3]));
  if (s.rewrites.length > 0) {
    one("rewritten").hidden = false;
    one("rewrites").append(net.table(["what", "operator in the file", "became"], s.rewrites.map(r => [r.what, r.where, r.text]), []));
  }
  one("quantization").append(s.quantization.length === 0 ? el("p", {}, "Nothing is quantised.") :
    net.table(["tensors", "type", "granularity", "number", "scale", "zero point", "Q formats"],
      s.quantization.map(q => [q.role, q.type, q.per, number(q.tensors), q.scale, q.zero, q.formats.join(" ") || "-"]), [3]));
}
