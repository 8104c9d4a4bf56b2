"""Opens the page of `dse inspect` in a browser and uses it: `inspect_click.py inspect_sample`.

Exit 77 (skipped) where Chromium, its driver or python3-selenium is missing. SCREENSHOTS=folder keeps pictures.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

from report_click import Page, browser, expect, silent  # exits with 77 where there is no selenium

# Boxes that must not lie on each other: nodes, labels of shapes, flags. All in the graph's own coordinates.
BOXES = """
const shift = e => { const m = /translate\\(([-\\d.e]+),([-\\d.e]+)\\)/.exec(e.parentNode.getAttribute('transform') || '') || [0, 0, 0]; return [+m[1], +m[2]]; };
return [...document.querySelectorAll('#canvas .node rect, #canvas .label, #canvas .flag')].map(e => {
    const b = e.getBBox(), [x, y] = shift(e);
    return [b.x + x, b.y + y, b.width, b.height, e.textContent || e.parentNode.textContent]; });
"""
INSIDE = """
return [...document.querySelectorAll('#canvas .node')].filter(n => {
    const w = n.querySelector('rect').getBBox().width;
    return [...n.querySelectorAll('.title, .sub')].some(t => t.getBBox().width > w - 4); }).map(n => n.textContent);
"""


def overlaps(boxes):
    found = []
    boxes = sorted(boxes, key=lambda b: b[1])
    for i, (x, y, w, h, name) in enumerate(boxes):
        for u, v, k, l, other in boxes[i + 1:]:
            if v >= y + h - 0.5:
                break
            if u < x + w - 0.5 and x < u + k - 0.5:
                found.append(name + " / " + other)
    return found


def drawn(page, what):
    found = overlaps(page.js(BOXES))
    expect(not found, "%s: nothing lies on anything else %s" % (what, "; ".join(found[:4])))
    expect(not page.js(INSIDE), "%s: texts fit their boxes %s" % (what, page.js(INSIDE)[:3]))


def picked(page):
    return page.js("return [...document.querySelectorAll('#table tr.is-picked')].map(r => +r.dataset.layer)")


def marked(page):
    return page.js("return [...document.querySelectorAll('#canvas .node.is-picked')].map(n => +n.dataset.layer)")


def center(page, css):
    return page.js("const r = document.querySelector(arguments[0]).getBoundingClientRect(); return [Math.round(r.x + r.width / 2), Math.round(r.y + r.height / 2)]", css)


def linked(page):
    page.one("#fit").click()
    page.pointer(*center(page, "#canvas .node[data-layer='2'] rect"), press=True)
    expect(picked(page) == [2] and marked(page) == [2], "clicking a node selects it and its row")
    expect("2 add0" in page.text("#selected") and "384 bytes of activations" in page.text("#selected"), "and tells about it")
    expect(page.js("return document.querySelectorAll('#canvas .edge.is-picked').length") == 3, "and marks its edges")
    before = page.one("#canvas svg > g").get_attribute("transform")
    page.one("#table tr[data-layer='0']").click()
    expect(picked(page) == [0] and marked(page) == [0], "clicking a row selects the node")
    expect(page.one("#canvas svg > g").get_attribute("transform") != before, "and brings it into view")
    expect("Q0.7 x 2..3" in page.text("#selected"), "Q formats and correction factors are shown")
    page.one("#warnings li button").click()
    expect(picked(page) == [4] and "Cannot be run: this operator is not supported" in page.text("#selected"), "the list of what cannot be run leads there")
    expect(page.js("return document.querySelectorAll('#canvas .node.none').length") == 2, "what cannot be run is marked in the graph")
    expect(page.js("return document.querySelectorAll('#table tr.none').length") == 2, "and in the table")
    expect(page.js("return document.title") == "small - dse inspect" and "alert(1)" in page.text("#warnings"), "names of the file are text, never markup")


def sorting(page):
    order = lambda: page.js("return [...document.querySelectorAll('#table tbody tr')].map(r => net.data.layers[+r.dataset.layer].bytes)")
    page.one("button[data-sort=bytes]").click()
    expect(order() == sorted(order(), reverse=True) and order()[0] == 4, "sorting by bytes, largest first")
    page.one("button[data-sort=bytes]").click()
    expect(order() == sorted(order()), "and backwards")
    expect(page.js("return document.querySelector('#table th[aria-sort=ascending]').textContent") == "bytes", "the sorted column says so")
    page.one("button[data-sort=index]").click()
    page.one("#find").send_keys("split")
    expect(page.js("return [...document.querySelectorAll('#table tbody tr:not([hidden])')].length") == 1, "operators are found by name")
    page.one("#find").clear()
    page.js("document.getElementById('find').dispatchEvent(new Event('input'))")


def moving(page):
    scale = lambda: page.js("return d3.zoomTransform(document.querySelector('#canvas svg'))")
    page.one("#fit").click()
    fitted = scale()
    page.one("#closer").click()
    expect(scale()["k"] > fitted["k"], "the graph can be drawn larger")
    x, y = center(page, "#canvas")
    from selenium.webdriver.common.action_chains import ActionChains
    chain = ActionChains(page.driver)
    chain.w3c_actions.pointer_action.move_to_location(x, y)
    chain.w3c_actions.wheel_action.scroll(x, y, 0, -300)
    chain.perform()
    time.sleep(0.2)
    near = scale()
    expect(near["k"] > fitted["k"] * 1.5, "the wheel too")
    page.pointer(x + 150, y - 160, to=(x + 190, y - 100))
    expect(abs(scale()["x"] - near["x"] - 40) < 4 and abs(scale()["y"] - near["y"] - 60) < 4, "dragging moves it")
    page.one("#fit").click()
    expect(scale() == fitted, "and the whole graph comes back")


def large(page, file):
    page.driver.get("file://" + file)
    ready = page.js("const t = performance.timing; return t.loadEventEnd - t.navigationStart")
    expect(ready < 6000, "a page of %d operators is there after %d ms" % (page.js("return net.data.layers.length"), ready))
    expect(os.path.getsize(file) < 2_000_000, "and has %d bytes" % os.path.getsize(file))
    expect(page.js("return d3.zoomTransform(document.querySelector('#canvas svg')).k") > 0.6, "its text is legible at first")
    took = page.js("const t = performance.now(); for (let i = 0; i < 20; ++i) net.pick(30 * i); return (performance.now() - t) / 20")
    expect(took < 200, "selecting an operator takes %.0f ms" % took)
    page.js("net.pick(600)")
    top = page.js("const r = document.querySelector('#table tr.is-picked').getBoundingClientRect(), t = document.getElementById('table').getBoundingClientRect(); return r.top > t.top && r.bottom < t.bottom")
    expect(top, "the row of a node comes into view")
    drawn(page, "large")
    page.shot("inspect-large")


def main():
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out of tree"
        out.mkdir()
        small, big = str(out / "small.html"), str(out / "large.html")
        subprocess.run([sys.argv[1], small, big], check=True)
        driver = browser(os.path.join(folder, "profile"))
        try:
            page = Page(driver)
            driver.get("file://" + small)
            drawn(page, "small")
            for part in (linked, sorting, moving):
                part(page)
            page.shot("inspect-small")
            driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
            dark = page.js("return [getComputedStyle(document.documentElement).backgroundColor, getComputedStyle(document.documentElement).color]")
            expect(dark == ["rgb(23, 26, 30)", "rgb(232, 234, 237)"], "dark where the reader's system is")
            page.shot("inspect-dark")
            large(page, big)
            silent(driver)
            events = [json.loads(e["message"])["message"] for e in driver.get_log("performance")]
            asked = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"
                     and e["params"]["documentURL"].startswith("file:")]
            elsewhere = [u for u in asked if not u.startswith(("file:", "data:", "about:"))]
            expect(asked and not elsewhere, "nothing is fetched " + " ".join(elsewhere))
        finally:
            driver.quit()
    sys.exit(1 if expect.failed else 0)


if __name__ == "__main__":
    main()
