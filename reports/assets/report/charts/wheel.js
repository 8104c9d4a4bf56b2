// A wheel over a chart zooms it, but a wheel that is scrolling the page past the chart keeps scrolling the page.
{
  let lastScroll = -1e9;
  addEventListener("scroll", () => { lastScroll = performance.now(); }, {passive: true});
  /** zoom(factor, event) with factor < 1 for closer; `out()` tells that the chart is all the way out. */
  dse.onWheel = (element, zoom, out) => element.addEventListener("wheel", e => {
    if (performance.now() - lastScroll < 350 || (e.deltaY > 0 && out()) || Math.abs(e.deltaX) > Math.abs(e.deltaY)) return;
    e.preventDefault();
    zoom(Math.pow(1.0018, e.deltaY * (e.deltaMode ? 30 : 1)), e);
  }, {passive: false});

  /** A canvas of CSS size w x h inside `host`, sharp on dense screens; returns its 2D context. */
  dse.sizeCanvas = (canvas, w, h) => {
    const ratio = Math.max(1, devicePixelRatio || 1);
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(h * ratio);
    canvas.style.width = w + "px";
    canvas.style.height = h + "px";
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    return context;
  };
}
