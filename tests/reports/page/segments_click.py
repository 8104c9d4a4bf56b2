"""Opens the report of real plans by phases in a browser: `segments_click.py segments_sample ROOT`.

Exit 77 (skipped) where Chromium, its driver or python3-selenium is missing. SCREENSHOTS=folder keeps pictures.
"""
import pathlib
import subprocess
import sys
import tempfile
import time

from report_click import Keys, Page, browser, expect


def account(page):
    expect(page.text("#adds-up") == "yes", "the account adds up")
    heads = [e.text for e in page.all("#account-table span.segment")]
    expect(len(heads) > 0 and heads[0].startswith("segment 1: ") and heads[0].endswith(", by phases"), "a segment stands above its layers")
    rows, sections = page.js("return [dse.state.a.accounts.length, dse.state.a.ends.length]")
    expect(rows > sections, "its layers have rows of their own")
    expect(page.js("return d3.sum(dse.state.a.accounts, a => a.total) === dse.state.a.ticks"), "which add up to the latency")
    expect(page.js("return dse.state.a.tasksTraced.every(t => dse.state.a.accounts[t.row].section === t.section)"), "tasks lie in their layers")


def memory_map(page):
    phased = page.js("return dse.state.a.bufferList.filter(b => b.phased).length")
    expect(phased > 0, "buffers have windows")
    corners = page.js("return [...document.querySelectorAll('#memory-map .buffer path')].map(e => (e.getAttribute('d') || '').split('L').length)")
    expect(max(corners) > 6, "and are drawn as stairs")
    expect(page.js("return dse.state.a.mapList.every(m => m.drawn <= Math.max(300, dse.state.a.bufferList.length))"), "no more than 300 boxes in a memory")
    # No tick and byte belongs to two buffers, where nothing was thinned and nothing is in place.
    clash = page.js("""
        const p = dse.state.a, out = [];
        for (const m of p.mapList.filter(m => m.drawn === m.boxes)) {
          const list = p.bufferList.filter(b => b.memory === dse.state.front.memories[m.memory].name);
          for (const a of list) for (const b of list) if (a.name < b.name && !(a.offset === b.offset && a.size === b.size))
            for (const v of a.windows) for (const w of b.windows)
              if (v.from < w.to && w.from < v.to && a.offset + v.begin < b.offset + w.end && b.offset + w.begin < a.offset + v.end) out.push(a.name + " " + b.name);
        }
        return out;""")
    expect(not clash, "shapes keep apart " + ", ".join(clash[:3]))
    expect(page.js("return dse.state.a.mapList.filter(m => m.steps.length).every(m => d3.max(m.steps, s => s.bytes) === m.load)"), "the curve reaches the load")
    panels = page.all("#memory-map .panel")
    panels[0].find_element("css selector", "summary").click()
    time.sleep(0.2)
    names = [e.text for e in panels[0].find_elements("css selector", "details tbody th")]
    of_memory = page.js("const m = dse.state.front.memories[0].name; return dse.state.a.bufferList.filter(b => b.memory === m).map(b => b.name)")
    expect(sorted(names) == sorted(of_memory), "the list names every buffer")
    panels[0].find_element("css selector", "summary").click()
    svg = panels[0].find_element("css selector", "svg")
    page.js("arguments[0].focus()", svg)
    svg.send_keys(Keys.ARROW_DOWN)
    first = panels[0].find_element("css selector", ".said").text
    svg.send_keys(Keys.ARROW_DOWN)
    expect("offset" in first and panels[0].find_element("css selector", ".said").text != first, "up and down go from buffer to buffer")
    expect(len(page.all("#memory-map .buffer.is-focus")) == 1, "which is outlined")
    before = page.js("return dse.state.window.slice()")
    svg.send_keys("+")
    time.sleep(0.2)
    after = page.js("return dse.state.window.slice()")
    expect(after[1] - after[0] < before[1] - before[0], "plus zooms")
    page.shot("segment_zoomed")
    svg.send_keys(Keys.HOME)
    time.sleep(0.2)
    expect("NaN" not in page.one("#memory-map").get_attribute("innerHTML"), "nothing is NaN")


def main(sample, root):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "segments.html"
        subprocess.run([sample, str(file), root + "/configs/networks/mobilenet-v1-0.25-96.yaml", root + "/configs/devices/gap8-class.yaml"], check=True)
        expect(file.stat().st_size < 10_000_000, "the page is small")
        driver = browser(folder + "/profile")
        try:
            page = Page(driver)
            driver.set_window_size(1400, 1500)
            driver.get(file.as_uri())
            time.sleep(0.5)
            page.js("dse.select(dse.state.front.points.find(p => p.unfold() && p.accounts.length > p.ends.length))")
            time.sleep(0.3)
            page.shot("segment_account")
            account(page)
            page.js("document.getElementById('memory').scrollIntoView()")
            page.shot("segment_map")
            memory_map(page)
            said = [m["message"] for m in driver.get_log("browser")]
            expect(not said, "the console is silent " + "; ".join(said)[:300])
        finally:
            driver.quit()
    return 1 if expect.failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
