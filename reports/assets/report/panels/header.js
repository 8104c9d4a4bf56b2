// Which front: network and device. Above the chart: what stands behind the front, and its marked points as cards.
{
  const el = dse.el, f = dse.format, fronts = dse.data.fronts;
  const network = document.getElementById("network"), device = document.getElementById("device");

  const devicesOf = name => fronts.filter(x => x.network === name);
  function options(select, list, chosen) { select.replaceChildren(...list.map(v => el("option", {value: v, selected: v === chosen}, v))); }
  const go = () => dse.showFront(devicesOf(network.value).find(x => x.device === device.value));
  network.addEventListener("change", () => {
    const own = devicesOf(network.value), same = own.find(x => x.device === device.value) || own[0];
    options(device, own.map(x => x.device), same.device);
    go();
  });
  device.addEventListener("change", go);
  document.getElementById("print").addEventListener("click", () => print());

  function status(front) {
    const n = f.n, parts = [];
    if (front.frontPoints.length) {
      parts.push(`${n(front.frontPoints.length)} ${front.frontPoints.length === 1 ? "point" : "points"}`);
      parts.push(el("b", {class: front.complete ? "yes" : front.runsCovered ? null : "no"}, front.completeness));
    }
    parts.push([`${n(front.simulated)} simulated`, front.proven ? `${n(front.proven)} proven dominated` : null, front.infeasible ? `${n(front.infeasible)} infeasible` : null].filter(Boolean).join(" + "));
    if (front.area) parts.push(["area: ", el("b", {}, `${f.figure(front.area)} mm\u00b2`)]);
    if (front.library) parts.push(["timed as ", el("b", {}, front.library)]);
    if (front.accuracy) parts.push(["accuracy: ", el("b", {}, front.accuracy)]);
    const notes = front.answers.concat(front.chart || [], front.notes);
    dse.fill("notes", notes.map(n => el("li", {}, n))).hidden = !notes.length;
    const cells = (row, kind) => el("tr", {}, row.map(c => el(kind, {}, c)));
    dse.fill("without", front.without.length ? cells(["without", "smallest", "fastest", "hypervolume", ""], "th") : "",
      front.without.map(row => cells(row, "td"))).hidden = !front.without.length;
    dse.fill("status", el("strong", {}, `${front.network} on ${front.device}`), parts.map(p => el("span", {}, p)));
  }

  /** Rows like "-61 % memory" against a reference plan. */
  function cards(front) {
    const base = front.references.find(p => p.origin === "rule-based");
    const shown = front.marks.map(m => front.frontPoints.find(p => p.marks.includes(m))).filter(Boolean);
    const list = Array.from(new Set(shown.concat(front.references)));
    dse.fill("cards", list.map(p => el("button", {class: "card " + (p.front ? "own" : "reference"), "data-id": p.uid, on: {click: e => (e.shiftKey ? dse.compareWith : dse.select)(p)}},
      el("span", {class: "name"}, f.title(p)),
      el("span", {class: "big"}, f.memory(p.memory)), el("span", {class: "big" + (p.timed ? "" : " untimed")}, f.latency(p)),
      base && p !== base ? el("span", {class: "against"}, `${f.change(p.memory, base.memory)} memory`, p.timed && base.timed ? `, ${f.change(p.ticks, base.ticks)} latency` : "")
        : el("span", {class: "against"}, p === base ? "what the others are measured against" : "\u00a0"))));
  }
  function mark() {
    document.querySelectorAll("#cards .card").forEach(c => c.classList.toggle("is-a", !!dse.state.a && c.dataset.id === dse.state.a.uid));
  }

  dse.on("front", "header", () => {
    const front = dse.state.front;
    options(network, Array.from(new Set(fronts.map(x => x.network))), front.network);
    options(device, devicesOf(front.network).map(x => x.device), front.device);
    status(front);
    cards(front);
    const none = !front.frontPoints.length;
    document.getElementById("infeasible").hidden = !none;
    document.getElementById("feasible").hidden = none && !front.points.length;
    // Marked plans alone are no front: they have a table and accounts, but neither a chart nor steps to take.
    document.getElementById("front").hidden = none;
    document.getElementById("none").textContent = front.none.charAt(0).toUpperCase() + front.none.slice(1);
    document.getElementById("reason").textContent = none ? front.reason || "The sweep gives no reason." : "";
    document.title = `dse report: ${front.network} on ${front.device}`;
  });
  dse.on("select", "header", mark);
}
