// What is looked at: the front, points A and B, the hovered point, the time window. Parts of the page listen to events.
{
  const events = d3.dispatch("front", "select", "compare", "hover", "window");
  const state = dse.state = {front: dse.data.fronts[0], a: null, b: null, hover: null, window: [0, 1]};

  /** `what` is the event, `who` a name of the listener, unique per event. */
  dse.on = (what, who, handler) => events.on(what + "." + who, handler);

  function remember() {
    const parts = ["front=" + dse.data.fronts.indexOf(state.front)];
    if (state.a) parts.push("a=" + encodeURIComponent(state.a.uid));
    if (state.b) parts.push("b=" + encodeURIComponent(state.b.uid));
    history.replaceState(null, "", "#" + parts.join("&"));
  }
  const withMark = mark => state.front.frontPoints.find(p => p.marks.includes(mark));

  dse.showFront = front => {
    state.front = front;
    state.b = state.hover = null;
    state.a = withMark("knee") || front.frontPoints[0] || front.points[0] || null;
    if (state.a) { state.a.unfold(); state.window = [0, span(state.a)]; }
    remember();
    events.call("front");
    events.call("select");
    events.call("compare");
  };
  /** Ticks that the timeline spans: up to the last task, which may end after the last output. */
  const span = p => Math.max(1, p.ticks, d3.max(p.tasksTraced, t => t.end) || 0);
  dse.span = span;
  dse.select = p => {
    if (!p || p === state.a) return;
    state.a = p.unfold();
    state.window = [0, span(p)];
    if (state.b === p) state.b = null;
    remember();
    events.call("select");
    events.call("compare");
  };
  dse.compareWith = p => {
    state.b = p === state.b || p === state.a ? null : p;
    if (state.b) state.b.unfold();
    remember();
    events.call("compare");
  };
  dse.swap = () => {
    if (!state.b) return;
    [state.a, state.b] = [state.b, state.a];
    state.window = [0, span(state.a)];
    remember();
    events.call("select");
    events.call("compare");
  };
  dse.hover = p => { if (p !== state.hover) { state.hover = p; events.call("hover"); } };
  dse.setWindow = (from, to) => {
    const end = span(state.a), width = Math.min(end, Math.max(8, to - from));
    const begin = Math.min(Math.max(0, from), end - width);
    state.window = [begin, begin + width];
    events.call("window");
  };
  /** The address's fragment (#front=0&a=1f2e3d) restores what was looked at. */
  dse.start = () => {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const a = wanted.get("a"), b = wanted.get("b");
    dse.showFront(dse.data.fronts[+wanted.get("front")] || dse.data.fronts[0]);
    const find = id => state.front.points.find(p => p.uid === id);
    if (a && find(a)) dse.select(find(a));
    if (b && find(b)) dse.compareWith(find(b));
  };
}
