// Unfolds the page's data (reports/payload.h says how it is folded). Points are unfolded when they are first looked at.
{
  const raw = JSON.parse(document.getElementById("data").textContent);

  /** base64 of zigzag LEB128 -> numbers, exact up to 2^53. */
  function unpack(text) {
    const bytes = atob(text), out = [];
    let value = 0, scale = 1;
    for (let i = 0; i < bytes.length; ++i) {
      const byte = bytes.charCodeAt(i);
      value += (byte & 127) * scale;
      if (byte & 128) { scale *= 128; continue; }
      out.push(value % 2 ? -(value + 1) / 2 : value / 2);
      value = 0; scale = 1;
    }
    return out;
  }
  const rows = (flat, width) => d3.range(0, flat.length, width).map(i => flat.slice(i, i + width));
  const named = i => raw.strings[i];

  function dots(folded) {
    const flat = unpack(folded.data), n = folded.kept, list = [];
    let memory = 0, ticks = 0;
    for (let i = 0; i < n; ++i) list.push({memory: memory += flat[i], ticks: ticks += flat[n + i]});
    return list;
  }

  function trace(folded) {
    const flat = unpack(folded.data), n = folded.kept, list = new Array(n);
    let section = 0, tile = 0, template = 0, queue = 0, issued = 0;
    for (let i = 0; i < n; ++i) {
      section += flat[i]; tile += flat[n + i]; template += flat[2 * n + i]; queue += flat[3 * n + i]; issued += flat[4 * n + i];
      const ready = issued + flat[5 * n + i], start = ready + flat[6 * n + i];
      list[i] = {section, tile, template, queue, issued, ready, start, end: start + flat[7 * n + i]};
    }
    return list;
  }

  function unfold(point, front) {
    const causes = raw.causes.length;
    const layerNames = point.layers.map(named), kinds = point.kinds.map(named);
    point.layerNames = layerNames;
    point.wordList = point.words.map(named);
    point.ends = unpack(point.sectionEnd);
    point.accounts = rows(unpack(point.account), causes + 2).map(r => ({
      section: r[0], name: layerNames[r[0]] || "section " + r[0], kind: kinds[r[0]] || "",
      ticks: r.slice(1, causes + 1), hidden: r[causes + 1], total: d3.sum(r.slice(1, causes + 1))}));
    point.bufferList = rows(unpack(point.buffers), 7).map(r => ({
      name: named(r[0]), role: named(r[1]).replace("_", " "), memory: named(r[2]), offset: r[3], size: r[4], from: r[5], to: r[6]}));
    point.engineList = rows(unpack(point.engines), 4).map(r => ({name: front.queues[r[0]] || "queue " + r[0], tasks: r[1], busy: r[2], stalled: r[3]}));
    point.memoryList = rows(unpack(point.memories), 4).map(r => ({
      name: (front.memories[r[0]] || {name: "memory " + r[0]}).name, read: r[1], written: r[2], arena: r[3]}));
    point.tasksTraced = trace(point.trace);
  }

  raw.fronts.forEach(front => {
    front.dotList = dots(front.dots);
    front.boundList = dots(front.bound);
    const seen = new Set();
    front.points.forEach((p, i) => {
      // A plan can be found by the search and given by the user as well; on the page they stay two.
      p.uid = seen.has(p.id) ? p.id + "*" + i : p.id;
      seen.add(p.uid);
      p.row = i + 1;
      p.timed = p.ticks > 0;
      let done = false;
      p.unfold = () => { if (!done) { unfold(p, front); done = true; } return p; };
    });
    front.frontPoints = front.points.filter(p => p.front);
    front.references = front.points.filter(p => p.origin !== "front");  // a rule-based plan can lie on the front
  });
  dse.data = raw;
  dse.unpack = unpack;
}
