// Two points side by side: figures, cycles by cause, layers, words.
{
  const el = dse.el, f = dse.format, causes = dse.data.causes, section = document.getElementById("compare");

  function figures(a, b) {
    const rows = [["memory", p => p.memory, f.memory], ["latency", p => p.ticks, f.time], ["cycles", p => p.ticks, f.n], ["load", p => p.load, f.memory], ["energy, \u00b5J", p => p.uj, f.figure], ["program", p => p.program, f.bytes],
      ["tasks", p => p.tasks, f.n], ["start-up copies", p => p.startup, f.bytes], ["hidden DMA", p => d3.sum(p.accounts, x => x.hidden), f.n], ...causes.map((c, i) => [c.label, p => d3.sum(p.accounts, x => x.ticks[i]), f.n])];
    return dse.table([{text: ""}, {text: "A", num: true}, {text: "B", num: true}, {text: "B \u2212 A", num: true}, {text: "", num: true}], rows.filter(r => r[1](a) !== undefined && r[1](b) !== undefined && (r[1](a) || r[1](b)))
      .map(([name, of, show]) => [name, show(of(a)), show(of(b)), f.signed(of(b) - of(a), show), f.change(of(b), of(a))]));
  }

  /** Layers of both by name; a layer that only one of them has (fused in the other) counts 0 there. */
  function layers(a, b) {
    const names = Array.from(new Set(a.accounts.concat(b.accounts).map(x => x.name))), find = (p, n) => p.accounts.find(x => x.name === n);
    const list = names.map(n => ({name: n, a: (find(a, n) || {total: 0}).total, b: (find(b, n) || {total: 0}).total, ticksA: find(a, n), ticksB: find(b, n)}));
    const host = document.getElementById("compare-body"), w = Math.max(280, Math.min(1100, host.clientWidth - (host.clientWidth > 1000 ? 560 : 0))), left = f.room(names, w), right = 120, height = 30, x = d3.scaleLinear().domain([0, d3.max(list, d => Math.max(d.a, d.b)) || 1]).range([left, w - right]);
    const svg = d3.create("svg").attr("width", w).attr("height", list.length * height + 4).attr("class", "pairs").attr("role", "img").attr("aria-label", "cycles per layer of A (above) and B (below)");
    const g = svg.selectAll("g").data(list).join("g").attr("transform", (_, i) => `translate(0,${i * height})`);
    g.append("text").attr("x", left - 8).attr("y", 19).attr("text-anchor", "end").text(d => d.name);
    defer(() => dse.cutTexts(g.selectAll("text:first-child"), left - 12));
    const stack = (node, account, y) => {
      let at = 0;
      (account ? account.ticks : []).forEach((t, i) => {
        if (t) d3.select(node).append("rect").attr("x", x(at)).attr("y", y).attr("width", Math.max(0.4, x(at + t) - x(at))).attr("height", 10).attr("fill", dse.fillOf(dse.causeStyle[causes[i].key]))
          .append("title").text(`${account.name}, ${causes[i].label}: ${f.n(t)} cycles`);
        at += t;
      });
    };
    g.each(function (d) { stack(this, d.ticksA, 4); stack(this, d.ticksB, 16); });
    g.append("text").attr("class", "value").attr("x", w - right + 8).attr("y", 19).text(d => f.signed(d.b - d.a, d3.format(".3~s")) + (d.a ? "  " + f.change(d.b, d.a) : ""));
    return el("figure", {}, el("figcaption", {}, "cycles per layer: A above, B below, and B \u2212 A"), svg.node());
  }

  function words(a, b) {
    const key = w => w.split(":")[0], both = new Map(a.wordList.map(w => [key(w), [w, ""]]));
    b.wordList.forEach(w => both.set(key(w), [(both.get(key(w)) || [""])[0], w]));
    const differ = Array.from(both.values()).filter(([x, y]) => x !== y);
    if (!differ.length) return el("p", {class: "note"}, "Both plans read the same.");
    return el("div", {}, el("h3", {}, `Decided differently in ${differ.length} of ${both.size} layers`), dse.table([{text: "A"}, {text: "B"}], differ));
  }

  const deferred = [], defer = what => deferred.push(what);
  const show = () => {
    const {a, b} = dse.state;
    section.hidden = !b;
    if (!b) return;
    const head = (p, letter) => el("div", {class: "side"}, el("span", {class: "badge" + (letter === "B" ? " b" : "")}, letter), el("strong", {}, f.title(p)), el("code", {}, p.id));
    dse.fill("compare-body", el("div", {class: "sides"}, head(a, "A"), head(b, "B")), el("div", {class: "compare-grid"}, el("div", {}, figures(a, b)), layers(a, b)), words(a, b));
    deferred.splice(0).forEach(what => what());  // lengths of texts are known once they are on the page
  };
  dse.on("compare", "compare", show);
  addEventListener("resize", show);
  document.getElementById("swap").addEventListener("click", dse.swap);
  document.getElementById("compare-close").addEventListener("click", () => dse.compareWith(null));
}
