// Unfolds the page's data (reports/payload.h says how it is folded). Points are unfolded when they are first looked at.
const dse = {};
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

  function trace(folded, sectionOf) {
    const flat = unpack(folded.data), n = folded.kept, list = new Array(n);
    let row = 0, tile = 0, template = 0, queue = 0, issued = 0;
    for (let i = 0; i < n; ++i) {
      row += flat[i]; tile += flat[n + i]; template += flat[2 * n + i]; queue += flat[3 * n + i]; issued += flat[4 * n + i];
      const ready = issued + flat[5 * n + i], start = ready + flat[6 * n + i];
      list[i] = {row, section: sectionOf(row), tile, template, queue, issued, ready, start, end: start + flat[7 * n + i]};
    }
    return list;
  }

  /** What each buffer of a memory takes by time, and the bytes alive at once. */
  function map(folded, list) {
    const flat = unpack(folded.windows), curve = unpack(folded.curve), steps = [];
    let of = 0, from = 0, bytes = 0;
    for (let i = 0; i < flat.length; i += 5) {
      of += flat[i]; from += flat[i + 1];
      list[of].windows.push({from, to: from + flat[i + 2], begin: flat[i + 3], end: flat[i + 3] + flat[i + 4]});
    }
    from = 0;
    for (let i = 0; i < curve.length; i += 3) {
      from += curve[i]; bytes += curve[i + 2];
      steps.push({from, to: from + curve[i + 1], bytes});
    }
    return {memory: folded.memory, constants: folded.constants, boxes: folded.boxes, drawn: folded.drawn, load: folded.load, steps, thinnedSteps: folded.steps > steps.length};
  }

  function unfold(point, front) {
    const causes = raw.causes.length;
    const layerNames = point.layers.map(named), kinds = point.kinds.map(named), files = (point.fileNames || []).map(named);
    const sections = unpack(point.rowSections), sectionOf = row => sections.length ? sections[row] : row;
    point.layerNames = layerNames;
    point.sectionNames = point.sections.map(named);
    point.wordList = point.words.map(named);
    point.ends = unpack(point.sectionEnd);
    point.accounts = rows(unpack(point.account), causes + 2).map(r => ({
      section: sectionOf(r[0]), name: layerNames[r[0]] || "section " + r[0], kind: kinds[r[0]] || "", file: files[r[0]] || "",
      ticks: r.slice(1, causes + 1), hidden: r[causes + 1], total: d3.sum(r.slice(1, causes + 1))}));
    point.bufferList = rows(unpack(point.buffers), 8).map(r => ({
      name: named(r[0]), role: named(r[1]).replace("_", " "), memory: named(r[2]), offset: r[3], size: r[4], from: r[5], to: r[6], tensor: named(r[7])}));
    // Layers that run by phases share their section; its name says which they are.
    point.accounts.forEach((a, i) => {
      const beside = [point.accounts[i - 1], point.accounts[i + 1]].some(b => b && b.section === a.section);
      a.segment = beside ? point.sectionNames[a.section] : "";
    });
    point.bufferList.forEach(b => { b.windows = []; });
    point.mapList = point.maps.map(m => map(m, point.bufferList));
    point.bufferList.forEach(b => {
      b.phased = b.windows.length > 0;
      if (!b.phased) b.windows.push({from: b.from, to: b.to, begin: 0, end: b.size});
    });
    // The constants image lies there before the first cycle and after the last.
    point.mapList.filter(m => m.constants > 0).forEach(m => point.bufferList.push({name: "constants", tensor: "all weights and tables", role: "constants", memory: front.memories[m.memory].name,
      offset: 0, size: m.constants, from: 0, to: point.ticks, phased: false, windows: [{from: 0, to: point.ticks, begin: 0, end: m.constants}]}));
    point.engineList = rows(unpack(point.engines), 4).map(r => ({name: front.queues[r[0]] || "queue " + r[0], tasks: r[1], busy: r[2], stalled: r[3]}));
    point.memoryList = rows(unpack(point.memories), 4).map(r => ({
      name: (front.memories[r[0]] || {name: "memory " + r[0]}).name, read: r[1], written: r[2], arena: r[3]}));
    point.tasksTraced = trace(point.trace, sectionOf);
  }

  raw.fronts.forEach(front => {
    front.dotList = dots(front.dots);
    front.boundParts = front.bound.map(part => Object.assign(dots(part), {open: part.open}));
    front.boundList = front.boundParts.flat();
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
