// The selected point in words and tables, the command that exports it, and what the numbers stand on.
{
  const el = dse.el, f = dse.format;

  function picked(p) {
    const figures = [["memory", f.memory(p.memory)], ["latency", f.latency(p)], ["cycles", p.timed ? f.n(p.ticks) : "\u2013"], ["bound", p.timed && p.bound ? f.percent(p.bound / p.ticks) : "\u2013"], ["verified", p.verified ? "byte-exact" : "no"]];
    dse.fill("picked", el("span", {class: "badge"}, "A"), el("strong", {}, f.title(p)), el("code", {}, p.id), figures.map(([k, v]) => el("span", {}, el("small", {}, k), v)),
      el("span", {class: "grow"}), p.failure ? el("b", {class: "no"}, p.failure) : null, el("label", {}, "compare with ", choice(p)));
  }
  function choice(p) {
    const b = dse.state.b;
    return el("select", {id: "pick-b", on: {change: e => dse.compareWith(dse.state.front.points.find(q => q.uid === e.target.value) || dse.state.b)}}, el("option", {value: ""}, "nothing"),
      dse.state.front.points.filter(q => q !== p).map(q => el("option", {value: q.uid, selected: q === b}, `${f.title(q)}, ${f.memory(q.memory)}, ${f.latency(q)}`)));
  }

  /** `word: rest` with the layer's name set apart. */
  dse.words = p => p.wordList.map(w => { const at = w.indexOf(":"); return el("li", {}, at > 0 ? [el("b", {}, w.slice(0, at)), w.slice(at)] : w); });

  function engines(p) {
    const whole = p.ticks || 1, share = (v, style) => el("span", {class: "share", title: f.percent(v / whole)}, el("i", {style: `width:${Math.min(100, 100 * v / whole)}%;background:${style}`}));
    dse.fill("engines", p.engineList.length ? dse.table([{text: "queue"}, {text: "tasks", num: true}, {text: "busy", num: true}, {text: "stalled", num: true}, {text: "idle", num: true}, {text: "busy"}],
      p.engineList.map(e => [e.name, f.n(e.tasks), f.percent(e.busy / whole), f.percent(e.stalled / whole), f.percent((whole - e.busy - e.stalled) / whole), share(e.busy, dse.colors.blue)])) : "not recorded");
    dse.fill("traffic", p.memoryList.length ? dse.table([{text: "memory"}, {text: "read", num: true}, {text: "written", num: true}, {text: "arena", num: true}, {text: "B/cycle", num: true}],
      p.memoryList.map(m => [m.name, f.bytes(m.read), f.bytes(m.written), f.memory(m.arena), ((m.read + m.written) / whole).toFixed(2)])) : "not recorded");
    const known = [["multiply-accumulates", f.n(p.macs)], ["MAC per cycle", p.timed ? (p.macs / p.ticks).toFixed(2) : "\u2013"], ...(p.uj === undefined ? [] : [["energy", f.figure(p.uj) + " \u00b5J (estimate)"]]), ["load (a bound on the arena)", f.memory(p.load)],
      ["program", f.bytes(p.program)], ["tasks", f.n(p.tasks)], ["start-up copies (not in latency)", f.bytes(p.startup)]];
    const energy = (title, t) => [el("h2", {}, title), dse.table(t.heads, t.rows.slice(0, -1), t.rows[t.rows.length - 1])];
    dse.fill("energy", p.energy ? [energy("Energy by cause (estimate)", p.energy[0]), energy("Energy by layer, pJ (estimate)", p.energy[1])] : []);
    dse.fill("metrics", dse.table([{text: "figure"}, {text: "value", num: true}], known.concat(Object.entries(p.metrics).map(([k, v]) => [k, f.figure(v)]))));
  }

  function exportBox(p) {
    const itself = el("p", {class: "note"}, p.plan ? ["The plan itself: ", el("code", {}, p.plan)] : "", p.onNpu ? " The package emulates the NPU: it proves the bytes, not the time." : "");
    // The page lies in the sweep's folder; a file address tells which one. The id works whatever the front is called.
    const folder = location.protocol === "file:" ? decodeURIComponent(location.pathname).split("/").slice(-2)[0] || "DIR" : "DIR";
    const quoted = /^[\w.+\/-]+$/.test(folder) ? folder : `'${folder.replace(/'/g, "'\\''")}'`;
    const command = `dse export ${quoted} --point ${p.id} -o package`, said = el("span", {class: "hint", role: "status"});
    const code = el("code", {id: "command"}, command);
    const copy = el("button", {id: "copy", on: {click: () => {
      const done = () => { said.textContent = "copied"; setTimeout(() => { said.textContent = ""; }, 2000); };
      const byHand = () => { getSelection().selectAllChildren(code); if (document.execCommand("copy")) done(); else said.textContent = "selected: copy with Ctrl+C"; };
      if (navigator.clipboard) navigator.clipboard.writeText(command).then(done, byHand); else byHand();
    }}}, "Copy");
    dse.fill("export", el("div", {class: "command"}, code, copy, said), itself);
  }

  function trust(p) {
    const front = dse.state.front, line = (k, v) => [el("dt", {}, k), el("dd", {}, v)];
    dse.fill("trust", el("dl", {}, line("kernel library", front.library ? `timed as ${front.library}; a package that ships other kernels says so` : "not named"), line("accuracy", front.accuracy || "not stated"),
      line("latency, memory", "simulated in SystemC" + (p.timed ? "" : " (memory only: this plan was not timed)")), line("bytes", p.verified ? "the simulated run's output equals the interpreter's" : "not verified"),
      line("front", front.complete ? "complete: every candidate was simulated or is proven dominated" : `${front.completeness}: better plans may exist`), line("clock", `${f.figure(front.hz / 1e6)} MHz; one cycle is one of the device's fastest clock`)));
  }

  function show() {
    const p = dse.state.a;
    if (!p) return;
    dse.fill("words", dse.words(p));
    engines(p);
    exportBox(p);
    trust(p);
  }
  dse.on("select", "details", show);
  dse.on("compare", "picked", () => { if (dse.state.a) picked(dse.state.a); });

  dse.showProvenance = () => {
    const v = dse.data.provenance, front = dse.state.front, line = (k, x) => x ? [el("dt", {}, k), el("dd", {}, x)] : [];
    dse.fill("provenance", el("dl", {}, line("dse", v.version), line("command", el("code", {}, v.command)), line("date", v.date), line("run time", v.seconds ? v.seconds.toFixed(1) + " s" : ""),
      line("network hash", front.networkHash && el("code", {}, front.networkHash)), line("device hash", front.deviceHash && el("code", {}, front.deviceHash)),
      Object.entries(v.inputs).map(([k, h]) => line(k, el("code", {}, h)))));
  };
  dse.on("front", "provenance", dse.showProvenance);
}
