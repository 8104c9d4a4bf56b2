// The data, what is selected, and a few helpers that every part uses.
const net = {};
{
  net.data = JSON.parse(document.getElementById("data").textContent);
  net.number = d3.format(",");
  net.intensity = v => !(v > 0) ? "-" : v >= 9.995 ? net.number(+v.toFixed(1)) : v < 0.001 ? "<0.001" : v < 0.9995 ? v.toFixed(3) : v.toFixed(2);
  net.bytes = b => b < 10240 ? net.number(b) + " B" : b < 1048576 ? (b / 1024).toFixed(1) + " KiB" : (b / 1048576).toFixed(2) + " MiB";
  net.tensor = i => net.data.tensors[i];
  net.one = id => document.getElementById(id);

  /** An element with attributes and children; text is never read as markup. */
  net.el = (tag, attributes = {}, ...children) => {
    const e = document.createElement(tag);
    for (const [k, v] of Object.entries(attributes)) if (v != null && v !== false) e.setAttribute(k, v);
    e.append(...children);
    return e;
  };

  /** A plain table from a header and rows of text; columns of numbers are named by position. */
  net.table = (head, rows, numeric = []) => {
    const cell = (tag, text, i) => net.el(tag, {class: numeric.includes(i) ? "num" : i === 0 ? "wrap" : null}, String(text));
    return net.el("table", {}, net.el("thead", {}, net.el("tr", {}, ...head.map((h, i) => cell("th", h, i)))),
      net.el("tbody", {}, ...rows.map(r => net.el("tr", {}, ...r.map((t, i) => cell("td", t, i))))));
  };

  const listeners = [];
  net.picked = -1;
  net.onPick = f => listeners.push(f);
  /** Selects an operator; `by` is the part where it was done, which need not move to show it. */
  net.pick = (layer, by) => {
    net.picked = layer;
    for (const f of listeners) f(layer, by);
  };
}
