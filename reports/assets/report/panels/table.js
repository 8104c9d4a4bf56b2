// All points as a sortable table, linked with the chart both ways.
{
  const el = dse.el, f = dse.format;
  const compared = () => dse.state.front.frontPoints.some(p => dse.isLeft(p) !== null);  // with other points of the device
  const every = [
    {key: "row", text: "#", num: true, of: p => p.front ? p.row : 1e6 + p.row, show: p => p.front ? p.row : "\u2013"},
    {key: "name", text: "point", of: p => f.title(p), show: p => [shape(p), el("span", {class: f.names(p).length ? "named" : "id"}, f.names(p).join(", ") || p.id)]},
    {key: "memory", text: "memory", unit: "KiB", num: true, of: p => p.memory, show: p => (p.memory / 1024).toFixed(1)},
    {key: "ticks", text: "latency", unit: () => unit.name, num: true, of: p => p.timed ? p.ticks : Infinity, show: p => p.timed ? d3.format(`,.${unit.digits}f`)(p.ticks / unit.ticks) : "\u2013"},
    {key: "bound", text: "bound", title: "admissible lower bound as a share of the simulated latency", num: true, of: p => p.timed ? p.bound / p.ticks : -1, show: p => p.timed && p.bound ? f.percent(p.bound / p.ticks) : "\u2013"},
    {key: "uj", text: "energy", unit: "\u00b5J", num: true, when: () => dse.state.front.points.some(p => p.uj !== undefined), of: p => p.uj, show: p => p.uj ? d3.format(p.uj >= 1e4 ? ",.0f" : ",.4~r")(p.uj) : "\u2013"},
    {key: "program", text: "program", unit: "KiB", num: true, when: () => !compared(), of: p => p.program, show: p => (p.program / 1024).toFixed(1)},
    {key: "left", text: "left", title: "whether it is left among the points of all device points", when: compared, of: p => dse.isLeft(p) ? 0 : 1, show: p => dse.isLeft(p) === null ? "\u2013" : dse.isLeft(p) ? "yes" : "no"},
    {key: "tasks", text: "tasks", num: true, of: p => p.tasks, show: p => f.n(p.tasks)},
  ];
  let sort = {key: "memory", up: true}, columns = every, body, heads, unit;

  function shape(p) {
    const s = dse.originStyle(p.origin), svg = d3.create("svg").attr("width", 13).attr("height", 12).attr("class", "shape");
    svg.append("path").attr("transform", "translate(6,6)").attr("d", dse.symbol(s.shape, p.marks.length ? 70 : 40)).attr("fill", s.open ? "var(--paper)" : s.color).attr("stroke", s.color).attr("stroke-width", 1.4);
    return svg.node();
  }

  function row(p) {
    const tr = el("tr", {tabindex: 0, "data-id": p.uid, on: {
      click: e => (e.shiftKey ? dse.compareWith : dse.select)(p),
      mouseenter: () => dse.hover(p), mouseleave: () => dse.hover(null),
      focus: () => dse.hover(p), blur: () => dse.hover(null), keydown: e => key(e, tr, p)}},
      columns.map(c => el("td", {class: (c.num ? "num " : "") + c.key, title: c.key === "name" ? `${f.title(p)}, ${p.id}` : null}, c.show(p))),
      el("td", {class: "pick"}, el("button", {class: "setb", tabindex: -1, title: "compare as B", on: {click: e => { e.stopPropagation(); dse.compareWith(p); }}}, "B")));
    return tr;
  }
  function key(e, tr, p) {
    if (e.key === "Enter" || e.key === " ") dse.select(p);
    else if (e.key === "b" || e.key === "B") dse.compareWith(p);
    else if (e.key === "ArrowDown" && tr.nextSibling) tr.nextSibling.focus();
    else if (e.key === "ArrowUp" && tr.previousSibling) tr.previousSibling.focus();
    else return;
    e.preventDefault();
  }

  function build() {
    unit = f.unit(dse.state.front);
    columns = every.filter(c => !c.when || c.when());
    if (!columns.some(c => c.key === sort.key)) sort = {key: "memory", up: true};
    heads = columns.map(c => el("th", {class: (c.num ? "num " : "") + c.key, scope: "col"},
      el("button", {"data-sort": c.key, title: c.title, on: {click: () => { sort = {key: c.key, up: sort.key === c.key ? !sort.up : true}; fill(); }}}, c.text, c.unit ? el("small", {}, " " + (c.unit.call ? c.unit() : c.unit)) : null)));
    body = el("tbody");
    dse.fill("table", el("table", {class: "points"}, el("thead", {}, el("tr", {}, heads, el("th", {}, ""))), body));
    fill();
  }
  function fill() {
    const column = columns.find(c => c.key === sort.key), list = dse.state.front.points.slice();
    list.sort((p, q) => (sort.up ? 1 : -1) * d3.ascending(column.of(p), column.of(q)) || p.row - q.row);
    heads.forEach((h, i) => h.setAttribute("aria-sort", columns[i].key !== sort.key ? "none" : sort.up ? "ascending" : "descending"));
    body.replaceChildren(...list.map(row));
    mark();
  }
  function mark() {
    const {a, b, hover} = dse.state;
    for (const tr of body.children) {
      const id = tr.dataset.id;
      tr.classList.toggle("is-a", !!a && id === a.uid);
      tr.classList.toggle("is-b", !!b && id === b.uid);
      tr.classList.toggle("is-hover", !!hover && id === hover.uid);
      tr.setAttribute("aria-selected", !!a && id === a.uid);
    }
  }
  function reveal() {
    mark();
    const tr = body.querySelector(".is-a"), box = document.getElementById("table");
    if (!tr) return;
    const top = tr.offsetTop, height = tr.offsetHeight;
    if (top < box.scrollTop + 30) box.scrollTop = top - 30;
    else if (top + height > box.scrollTop + box.clientHeight) box.scrollTop = top + height - box.clientHeight;
  }
  dse.on("front", "table", build);
  dse.on("select", "table", reveal);
  dse.on("compare", "table", mark);
  dse.on("hover", "table", mark);
}
