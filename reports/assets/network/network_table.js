// The table of operators: sortable, searchable, linked to the graph.
{
  const {data, one, el, number} = net, s = data.summary;
  const columns = [
    {key: "index", label: "#", num: true}, {key: "name", label: "operator"}, {key: "type", label: "type"}, {key: "shape", label: "output"},
    {key: "data", label: "data"}, {key: "macs", label: "MACs", num: true}, {key: "params", label: "params", num: true},
    {key: "bytes", label: "bytes", num: true}, {key: "inBytes", label: "bytes in", num: true}, {key: "outBytes", label: "bytes out", num: true},
    {key: "live", label: "live bytes", num: true}, {key: "intensity", label: "MAC/B", num: true, show: net.intensity}];
  data.layers.forEach((l, i) => { l.index = i; });

  const head = el("tr"), body = el("tbody"), rows = [];
  for (const l of data.layers) {
    const row = el("tr", {tabindex: 0, "data-layer": l.index, class: l.why != null ? "none" : null});
    for (const c of columns) {
      const text = c.show ? c.show(l[c.key]) : c.num ? number(l[c.key]) : l[c.key];
      const cell = el("td", {class: c.num ? "num" : null}, text);
      if (c.key === "name") cell.prepend(el("i", {class: "swatch " + l.family}));
      if (c.key === "name" && l.why != null) cell.append(" (cannot be run)");
      else if (c.key === "data" && l.float) {
        cell.classList.add("floating");
        cell.title = "computes in float: quantise first";
      }
      if (c.key === "live" && l.index === s.peakLayer) cell.classList.add("peak");
      row.append(cell);
    }
    rows.push(row);
  }
  const total = {name: "total", macs: s.macs, params: s.params, bytes: s.bytes, inBytes: s.inBytes, outBytes: s.outBytes, live: s.peak, intensity: s.intensity};
  const foot = el("tr", {}, ...columns.map(c => el("td", {class: c.num ? "num" : null},
    !(c.key in total) ? "" : c.show ? c.show(total[c.key]) : c.num ? number(total[c.key]) : total[c.key])));

  let sorted = {key: "index", down: false};
  const sort = (key, down) => {
    sorted = {key, down};
    const order = d3.range(rows.length).sort((a, b) => (down ? d3.descending : d3.ascending)(data.layers[a][key], data.layers[b][key]) || a - b);
    body.append(...order.map(i => rows[i]));
    for (const th of head.children) th.setAttribute("aria-sort", th.dataset.key !== key ? "none" : down ? "descending" : "ascending");
  };
  for (const c of columns) {
    const button = el("button", {"data-sort": c.key}, c.label);
    // Numbers are first wanted largest first.
    button.addEventListener("click", () => sort(c.key, sorted.key === c.key ? !sorted.down : Boolean(c.num && c.key !== "index")));
    head.append(el("th", {class: c.num ? "num" : null, "data-key": c.key, scope: "col"}, button));
  }
  one("table").append(el("table", {}, el("thead", {}, head), body, el("tfoot", {}, foot)));
  sort("index", false);

  const layerOf = e => e.target.closest("tr[data-layer]");
  body.addEventListener("click", e => { if (layerOf(e)) net.pick(+layerOf(e).dataset.layer, "table"); });
  body.addEventListener("keydown", e => {
    const row = layerOf(e);
    if (!row) return;
    if (e.key === "Enter" || e.key === " ") net.pick(+row.dataset.layer, "table");
    else if (e.key === "ArrowDown" || e.key === "ArrowUp") (e.key === "ArrowDown" ? row.nextElementSibling : row.previousElementSibling)?.focus();
    else return;
    e.preventDefault();
  });
  one("find").addEventListener("input", e => {
    const want = e.target.value.trim().toLowerCase();
    data.layers.forEach((l, i) => { rows[i].hidden = want !== "" && ![l.name, l.type, l.shape, l.kind].some(t => t.toLowerCase().includes(want)); });
  });

  const tensorRows = (role, list) => list.map(net.tensor).map(t => [role + ": " + t.name, t.shape, t.type, number(t.bytes), t.quantization || "-"]);
  net.onPick((layer, by) => {
    rows.forEach((r, i) => r.classList.toggle("is-picked", i === layer));
    if (by !== "table") {
      rows[layer].hidden = false;
      const box = one("table"), at = rows[layer].offsetTop;
      if (at < box.scrollTop + 40 || at > box.scrollTop + box.clientHeight - 70) box.scrollTop = at - box.clientHeight / 2;
    }
    const l = data.layers[layer];
    one("selected").replaceChildren(
      el("p", {}, el("b", {}, l.index + "  " + l.name), " " + l.type + ", " + number(l.live) + " bytes of activations live while it runs"),
      ...(l.why != null ? [el("p", {class: "why"}, "Cannot be run: " + l.why)] : []),
      ...(l.formats ? [el("p", {}, "Q formats (x: correction factor): " + l.formats)] : []),
      net.table(["tensor", "shape", "type", "bytes", "quantisation"],
        [...tensorRows("in", l.in), ...tensorRows("constant", l.constants), ...tensorRows("out", l.out)], [3]));
  });
  one("selected").append(el("small", {}, "Click an operator in the table or in the graph."));
}
