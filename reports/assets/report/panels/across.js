// All points of one device side by side: how many points of each front are left where the fronts are compared with each other.
{
  const el = dse.el, fronts = dse.data.fronts, host = document.getElementById("across");
  const of = front => dse.data.across.find(a => a.fronts.includes(fronts.indexOf(front)));

  /** Whether a point of the front shown is left; null where there is nothing to compare it with. */
  dse.isLeft = p => {
    const a = of(dse.state.front);
    return a && p.front ? a.left[a.fronts.indexOf(fronts.indexOf(dse.state.front))].includes(p.id) : null;
  };
  function charts(a) {
    dse.variantsChart(document.getElementById("variants-chart"), a.variants || [], i => fronts[a.fronts[i]] === dse.state.front, i => dse.showFront(fronts[a.fronts[i]]));
    dse.areaChart(document.getElementById("area-chart"), a.fronts.map(i => fronts[i]), a.objectives, a.left, (front, p) => { dse.showFront(front); dse.select(p); });
  }
  addEventListener("resize", () => { const a = of(dse.state.front); if (a) charts(a); });
  dse.on("front", "across", () => {
    const a = of(dse.state.front);
    host.hidden = !a;
    if (!a) return;
    dse.fill("across-headline", a.headline);
    dse.fill("across-title", a.variants ? "All variants of this network" : "All points of this device");
    charts(a);
    const device = (name, i) => el("button", {class: "pick-device", "data-front": a.fronts[i], "aria-pressed": String(fronts[a.fronts[i]] === dse.state.front), on: {click: () => dse.showFront(fronts[a.fronts[i]])}}, name);
    dse.fill("across-table", dse.table(a.heads.map((text, i) => ({text, num: i > 0})), a.rows.map((row, i) => [device(row[0], i), ...row.slice(1)])));
  });
}
