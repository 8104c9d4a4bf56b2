"""Looks at every section of the pages as people see them: `page_look.py reports_sample segments_sample inspect_sample dse source_dir`.

At 1400, 1000 and 420 pixels, light and dark: no text leaves its box, no section is blank, nothing scrolls sideways, the page ends where its
content ends, and every text stands out from what is behind it; on paper no page is empty. `page_look.py FILE.html...` looks at pages that are there already.
Exit 77 (skipped) where Chromium, its driver or python3-selenium is missing. SCREENSHOTS=folder keeps the pictures.
"""
import base64
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from printed import pages as pages_of
from report_click import browser, expect, silent  # exits with 77 where there is no selenium

WIDTHS = (1400, 1000, 420)
SCHEMES = ("light", "dark")
# Answers when the page has kept its height for a third of a second: drawings follow their boxes a little later.
SETTLED = """const done = arguments[0]; let last = -1, since = performance.now();
const look = () => { const h = document.documentElement.scrollHeight, now = performance.now();
  if (h !== last) { last = h; since = now; } now - since > 330 ? done() : requestAnimationFrame(look); };
look();"""
LEAST_FILLED = 0.4  # of a printed page's height; a chart that does not fit below moves to the next
TALLEST_GAP = 220  # pixels of one colour from edge to edge, within the page

# Boxes that scroll or cut on purpose, and what is not seen.
HELPERS = """
const shown = e => { const r = e.getBoundingClientRect(); return r.width > 0 && r.height > 0 && getComputedStyle(e).visibility === 'visible'; };
const scroller = e => { for (let p = e; p && p !== document.body; p = p.parentElement) if (/auto|scroll|hidden/.test(getComputedStyle(p).overflowX)) return p; return null; };
const own = e => [...e.childNodes].filter(n => n.nodeType === 3 && n.textContent.trim());
const texts = [...document.querySelectorAll('body *')].filter(e => !e.closest('svg, script, style, noscript, #tip, option') && own(e).length && shown(e));
const label = e => (e.id ? '#' + e.id + ' ' : '') + e.textContent.trim().slice(0, 40);
"""
OUTSIDE_HTML = HELPERS + """
return texts.filter(e => {
    if (scroller(e)) return false;
    if (e.clientWidth && e.scrollWidth > e.clientWidth + 1) return true;
    const range = document.createRange();
    return own(e).some(n => { range.selectNodeContents(n); const r = range.getBoundingClientRect(), b = e.parentElement.getBoundingClientRect(); return r.left < -1 || r.right > innerWidth + 1 || r.right > b.right + 2; });
}).map(label);
"""
OUTSIDE_SVG = HELPERS + """
return [...document.querySelectorAll('svg text')].filter(t => {
    if (!t.textContent.trim() || t.closest('#canvas') || t.closest('[clip-path]')) return false;  // the graph pans; a clip is a cut on purpose
    const r = t.getBoundingClientRect(), b = t.ownerSVGElement.getBoundingClientRect();
    return r.width > 0 && b.width > 0 && (r.left < b.left - 1 || r.right > b.right + 1 || r.top < b.top - 2 || r.bottom > b.bottom + 2);
}).map(label);
"""
# Boxes that would scroll sideways. On the pages of networks nothing does: what is beyond an edge is not looked for.
BEYOND = """
return [...document.querySelectorAll('body *')].filter(e => /auto|scroll/.test(getComputedStyle(e).overflowX) && e.clientWidth && e.scrollWidth > e.clientWidth + 1)
    .map(e => `#${e.id || e.closest('[id]')?.id} ${e.scrollWidth} in ${e.clientWidth}`);
"""
# Luminance contrast as WCAG has it; large graphics colours are another matter and not text.
CONTRAST = HELPERS + """
const rgba = c => { const m = c.match(/[\\d.]+/g).map(Number); return m.length < 4 ? [...m, 1] : m; };
const light = ([r, g, b]) => { const f = v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b); };
const behind = e => { for (let p = e; p; p = p.parentElement) { const c = rgba(getComputedStyle(p).backgroundColor); if (c[3] > 0.5) return c; } return [255, 255, 255, 1]; };
const ratio = (a, b) => { const [h, l] = [light(a), light(b)].sort((x, y) => y - x); return (h + 0.05) / (l + 0.05); };
const faint = e => ratio(rgba(getComputedStyle(e).color), behind(e)) < (e.className === 'zero' ? 2 : 4.5);
const axis = t => ratio(rgba(getComputedStyle(t).fill), behind(t.ownerSVGElement)) < 4.5;
return texts.filter(e => !e.disabled && faint(e)).map(label).concat([...document.querySelectorAll('.axis text, .axis-title, .mark-label, .line-label')].filter(t => t.textContent && axis(t)).map(label));
"""
SECTIONS = """
return [...document.querySelectorAll('section, footer, #cards, #picked, #front-chart, #gantt-chart, #account-bars, #memory-map .panel, #canvas')].filter(e => e.offsetParent !== null && e.childNodes.length && !e.closest('[hidden]')).map(e => {
    const r = e.getBoundingClientRect();
    return {name: e.id || e.className || e.getAttribute('aria-label') || e.tagName.toLowerCase(), x: r.x + scrollX, y: r.y + scrollY, width: r.width, height: r.height}; });
"""
# Of a picture: how many colours it has, and its longest run of rows that are one colour.
PICTURE = """
const done = arguments[arguments.length - 1], image = new Image();
image.onload = () => {
    const c = document.createElement('canvas');
    c.width = image.width; c.height = image.height;
    const x = c.getContext('2d');
    x.drawImage(image, 0, 0);
    const data = new Uint32Array(x.getImageData(0, 0, c.width, c.height).data.buffer), colours = new Set();
    let run = 0, longest = 0, at = 0;
    for (let row = 0; row < c.height; ++row) {
        const first = data[row * c.width];
        let same = true;
        for (let i = row * c.width; i < (row + 1) * c.width; ++i) { if (colours.size < 64) colours.add(data[i]); if (data[i] !== first) same = false; }
        run = same ? run + 1 : 0;
        if (run > longest) { longest = run; at = row; }
    }
    const corner = data[0];
    done({colours: colours.size, gap: longest, at, corner: [corner & 255, (corner >> 8) & 255, (corner >> 16) & 255]});
};
image.src = 'data:image/png;base64,' + arguments[0];
"""


def picture(driver, name, box, scale=1):
    clip = {k: box[k] for k in ("x", "y", "width", "height")}
    taken = driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": {**clip, "scale": scale}})["data"]
    if os.environ.get("SCREENSHOTS"):
        (pathlib.Path(os.environ["SCREENSHOTS"]) / (name.replace("/", "_").replace(" ", "_") + ".png")).write_bytes(base64.b64decode(taken))
    return driver.execute_async_script(PICTURE, taken)


def look(driver, page, width, scheme, prepare=""):
    # A picture beyond the viewport has no scrollbar: with one, the page would be measured narrower than it is pictured.
    driver.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    driver.get("about:blank")
    driver.get("file://" + str(page))
    if prepare:
        driver.execute_script(prepare)
    driver.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done))")
    driver.execute_async_script(SETTLED)
    what = "%s at %d, %s%s" % (pathlib.Path(page).stem, width, scheme, ", " + prepare[:24] if prepare else "")
    expect("[object" not in driver.execute_script("return document.body.innerText"), what + ": values are printed as text")
    wide = driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
    expect(wide <= 0, "%s: nothing scrolls sideways (%d)" % (what, wide))
    for name, script in (("no text leaves its box", OUTSIDE_HTML), ("no text leaves its drawing", OUTSIDE_SVG), ("every text stands out", CONTRAST)):
        found = driver.execute_script(script)
        expect(not found, "%s: %s %s" % (what, name, "; ".join(found[:6])))
    if driver.execute_script("return typeof dse === 'undefined'"):
        beyond = driver.execute_script(BEYOND)
        expect(not beyond, "%s: no box cuts what it holds: %s" % (what, "; ".join(beyond[:6])))
    height = driver.execute_script("return document.documentElement.scrollHeight")
    whole = picture(driver, what + " whole", {"x": 0, "y": 0, "width": width, "height": height})
    expect(whole["gap"] < TALLEST_GAP, "%s: no white from edge to edge (%d pixels, to row %d of %d)" % (what, whole["gap"], whole["at"], height))
    expect((sum(whole["corner"]) < 200) == (scheme == "dark"), "%s: the page is %s" % (what, scheme))
    for box in driver.execute_script(SECTIONS) if not prepare else ():
        if box["width"] < 1 or box["height"] < 1:
            expect(False, "%s: %s has no size" % (what, box["name"]))
            continue
        seen = picture(driver, "%s %s" % (what, box["name"]), box)
        expect(seen["colours"] > 3 and seen["gap"] < max(150, box["height"] / 2), "%s: %s is not blank (%d colours, %d rows of one)" % (what, box["name"], seen["colours"], seen["gap"]))


def printed(driver, page):
    """On paper no page is empty, and none but the last is left nearly so."""
    driver.get("about:blank")
    driver.get("file://" + str(page))
    driver.execute_async_script(SETTLED)
    pdf = base64.b64decode(driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True, "preferCSSPageSize": True})["data"])
    filled = pages_of(pdf)
    expect(filled and all(f > LEAST_FILLED for f in filled[:-1]) and filled[-1] > 0,
           "%s on paper: no page is empty (%s)" % (pathlib.Path(page).stem, ", ".join("%.0f %%" % (100 * f) for f in filled)))


def made(arguments, folder):
    """The pages of the samples, and of a run and a network as a user makes them."""
    sample, segments, inspected, dse, source = arguments
    pages = {"sweep": [sample, str(folder / "sweep.html")], "segments": [segments, str(folder / "segments.html"), source + "/configs/networks/mobilenet-v1-0.25-96.yaml", source + "/configs/devices/gap8-class.yaml"], "network": [inspected, str(folder / "network.html"), "/dev/null"],
             "inspect": [dse, "inspect", source + "/configs/networks/resnet8.yaml", "--html", str(folder / "inspect.html")],
             "npu": [dse, "npu", "ds-cnn", "mobilenet-v1-0.25-96", "--config", "ethos-u55-64,ethos-u55-128,ethos-u65-512", "--arena", "32KiB,64KiB",
                     "--optimise", "pareto", "--html", str(folder / "npu.html")],
             "report": [dse, "run", source + "/configs/sweeps/quickstart.yaml", "-o", str(folder / "report")]}
    for command in pages.values():
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=folder)
    return [folder / (name + ".html") for name in ("sweep", "segments", "network", "inspect", "npu")] + [folder / "report" / "report.html"]


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        pages = sys.argv[1:] if sys.argv[1].endswith(".html") else made(sys.argv[1:], folder)
        driver = browser(os.path.join(name, "profile"))
        driver.set_script_timeout(60)
        try:
            for page in pages:
                for width in WIDTHS:
                    for scheme in SCHEMES:
                        look(driver, page, width, scheme)
                    if driver.execute_script("return typeof dse !== 'undefined'"):
                        look(driver, page, width, "light", "dse.compareWith(dse.state.front.points.find(p => p !== dse.state.a))")
                        look(driver, page, width, "dark", "document.getElementById('front-all').click()")
                    elif driver.execute_script("return !!document.getElementById('selected')"):
                        look(driver, page, width, "light", "net.pick(0, 'graph')")
                printed(driver, page)
            silent(driver)
        finally:
            driver.quit()
    sys.exit(1 if expect.failed else 0)


if __name__ == "__main__":
    main()
