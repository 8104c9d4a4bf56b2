"""Opens the report of the made-up sweep in a browser and uses it: `report_click.py reports_sample`.

Exit 77 (skipped) where Chromium, its driver or python3-selenium is missing. SCREENSHOTS=folder keeps pictures.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import Select
except ImportError:
    print("skipped: python3-selenium is not installed")
    sys.exit(77)

FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--window-size=1400,1000"]


def browser(profile):
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not chromium or not driver:
        print("skipped: chromium and chromium-driver are not installed")
        sys.exit(77)
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in FLAGS + ["--user-data-dir=" + profile]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service(driver), options=options)


def silent(driver):
    """Neither an error nor a warning stands in the console."""
    problems = [e["message"] for e in driver.get_log("browser") if e["level"] in ("SEVERE", "WARNING")]
    expect(not problems, "the console is silent " + "; ".join(problems))


class Page:
    def __init__(self, driver):
        self.driver = driver

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def one(self, css):
        return self.driver.find_element(By.CSS_SELECTOR, css)

    def all(self, css):
        return self.driver.find_elements(By.CSS_SELECTOR, css)

    def text(self, css):
        return self.one(css).text

    def at_point(self, index):
        """Viewport position of the index-th front point's symbol, scrolled into view."""
        self.js("document.getElementById('front').scrollIntoView({block: 'center'})")
        time.sleep(0.5)  # a wheel or scroll just before is let through to the page
        return self.js("const r = document.querySelectorAll('#front-chart path.point')[arguments[0]].getBoundingClientRect();"
                       "return [Math.round(r.x + r.width / 2), Math.round(r.y + r.height / 2)]", index)

    def pointer(self, x, y, press=False, to=None, double=False):
        chain = ActionChains(self.driver, duration=30)
        mouse = chain.w3c_actions.pointer_action
        mouse.move_to_location(x - 3, y)
        mouse.move_to_location(x, y)
        if double:
            mouse.double_click()
        elif to:
            mouse.pointer_down()
            mouse.move_to_location((x + to[0]) // 2, (y + to[1]) // 2)
            mouse.move_to_location(*to)
            mouse.pointer_up()
        elif press:
            mouse.click()
        chain.perform()
        time.sleep(0.15)

    def shot(self, name):
        if os.environ.get("SCREENSHOTS"):
            self.driver.save_screenshot(str(pathlib.Path(os.environ["SCREENSHOTS"]) / (name + ".png")))


def expect(ok, what):
    print(("ok    " if ok else "FAIL  ") + what)
    if not ok:
        expect.failed += 1


expect.failed = 0


def chart(page):
    expect("30 points" in page.text("#status") and "complete" in page.text("#status"), "the status line counts the points")
    expect("accuracy: not validated on this network" in page.text("#status"), "the status line states the accuracy")
    expect(page.text("#picked strong") == "knee", "the knee is selected at first")
    page.pointer(*page.at_point(3))
    expect(not page.js("return document.getElementById('tip').hidden") and "latency" in page.text("#tip"), "hovering shows a tooltip")
    expect(len(page.all("table.points tr.is-hover")) == 1, "hovering a point marks its row")
    hovered = page.one("table.points tr.is-hover").get_attribute("data-id")
    page.pointer(*page.at_point(3), press=True)
    expect(page.text("#picked code") == hovered, "clicking the chart selects the point")
    expect(page.one("table.points tr.is-a").get_attribute("data-id") == hovered, "and its row")
    before = page.js("return [...document.querySelectorAll('#front-chart .axis .tick text')].map(t => t.textContent).join()")
    x, y = page.at_point(6)
    page.pointer(x - 40, y - 60, to=(x + 90, y + 50))
    zoomed = page.js("return [...document.querySelectorAll('#front-chart .axis .tick text')].map(t => t.textContent).join()")
    expect(zoomed != before, "brushing a box zooms in")
    expect(page.text("#picked code") == hovered, "brushing does not select")
    page.shot("brushed")
    page.one("#front-reset").click()
    after = page.js("return [...document.querySelectorAll('#front-chart .axis .tick text')].map(t => t.textContent).join()")
    expect(after == before and not page.one("#front-reset").is_enabled(), "reset shows everything again")
    places = "return [...document.querySelectorAll('#front-chart path.point')].map(p => p.getAttribute('transform')).join()"
    linear = page.js(places)
    for name in ("xscale", "yscale"):
        page.js("document.querySelector('input[name=%s][value=log]').click()" % name)
    expect(page.js(places) != linear and "NaN" not in page.one("#front-chart svg").get_attribute("innerHTML"), "log axes draw without NaN")
    page.shot("log")
    for name in ("xscale", "yscale"):
        page.js("document.querySelector('input[name=%s][value=linear]').click()" % name)
    page.js("const slow = dse.state.front.references.find(p => p.timed); window.ticks = slow.ticks; slow.ticks *= 20; dispatchEvent(new Event('resize'))")
    beyond = "return [...document.querySelectorAll('#front-chart path.beyond')].map(p => p.__data__).filter(p => p === dse.state.front.references.find(q => q.timed)).length"
    expect(page.js(beyond) == 1, "a plan far from the front has an arrow at the edge")
    name = page.js("const p = dse.state.front.references.find(q => q.timed); return p.origin + ' (' + dse.format.memory(p.memory) + ', ' + dse.format.latency(p) + ')'")
    expect(name in page.js("return [...document.querySelectorAll('#front-chart text')].map(t => t.textContent).join()"), "and is named there with its figures: " + name)
    spread = "const at = [...document.querySelectorAll('#front-chart path.point:not(.reference)')].map(p => p.getBoundingClientRect().y); return (d3.max(at) - d3.min(at)) / document.getElementById('front-chart').clientHeight"
    expect(page.js(spread) > 0.4, "and the front keeps the height of the chart")
    page.one("#front-all").click()
    expect(page.js(beyond) == 0 and not page.one("#front-all").is_enabled(), "and Show all shows it")
    page.one("#front-reset").click()
    page.js("dse.state.front.references.find(p => p.timed).ticks = window.ticks; dispatchEvent(new Event('resize'))")


def units(page):
    unit = page.js("return dse.format.unit(dse.state.front).name")
    named = page.js("return [document.querySelector('#front-chart .axis-title:nth-of-type(2)').textContent, document.querySelector('button[data-sort=ticks]').textContent, ...[...document.querySelectorAll('#memory-map .axis-title')].map(t => t.textContent)]")
    expect(all(t.split()[-1] == unit for t in named) and len(named) > 2, "time has one unit in the chart, the table and the maps: %s, %s" % (unit, named))
    shown = page.js("return [...document.querySelectorAll('table.points td.ticks')].map(t => t.textContent)")
    expect(all(t == "\u2013" or float(t.replace(",", "")) > 0 for t in shown), "and the column has numbers only")
    expect("[object" not in page.text("#provenance") and len(page.all("#provenance dd")) > 4, "provenance names what the numbers come from")


def more_memory(page):
    page.one("#cards .card").click()
    text = page.text("#more dl")
    expect("cycles saved per KiB" in text and "not possible" in text, "more memory: gain and marginal cycles from the smallest")
    # The readout recomputed here from the data: the fastest point within 16 KiB more.
    best = page.js("const a = dse.state.a; return dse.state.front.frontPoints.filter(p => p.memory <= a.memory + 16384)"
                   ".reduce((m, p) => p.ticks < m.ticks ? p : m).row")
    expect(page.text("#more dd button") == page.js("return dse.format.title(dse.state.front.points[arguments[0] - 1])", best), "more memory: names the right point")
    box = page.one("#more input")
    box.clear()
    box.send_keys("1")
    expect("+1 KiB" in page.text("#more dl"), "more memory: the amount can be changed")
    box.clear()
    box.send_keys("16")
    page.all("#cards .card")[2].click()
    expect("nothing" in page.text("#more dl"), "more memory: the fastest cannot be made faster")


def table(page):
    ticks = lambda: page.js("return [...document.querySelectorAll('table.points tbody tr')].map(r => dse.state.front.points.find(p => p.id === r.dataset.id)).map(p => p.timed ? p.ticks : 1e18)")
    page.one("button[data-sort=ticks]").click()
    expect(ticks() == sorted(ticks()), "sorting by latency")
    page.one("button[data-sort=ticks]").click()
    expect(ticks() == sorted(ticks(), reverse=True), "and backwards")
    expect(page.js("return document.querySelector('th[aria-sort=descending]').textContent").startswith("latency"), "the sorted column says so")
    page.one("button[data-sort=memory]").click()
    rows = page.all("table.points tbody tr")
    page.js("document.getElementById('table').scrollTop = 0")
    rows[4].click()
    expect(page.text("#picked code") == rows[4].get_attribute("data-id"), "clicking a row selects the point")
    rows[4].send_keys(Keys.ARROW_DOWN)
    page.driver.switch_to.active_element.send_keys(Keys.ENTER)
    expect(page.text("#picked code") == rows[5].get_attribute("data-id"), "arrow and Enter select the next row")
    page.driver.switch_to.active_element.send_keys("b")
    expect(page.js("return document.getElementById('compare').hidden"), "A cannot be compared with itself")


def sums(page):
    wrong = page.js("""return dse.data.fronts.flatMap(f => f.points.map(p => p.unfold())).filter(p => p.timed && !dse.sums(p).ok).length""")
    expect(wrong == 0, "every account adds up exactly")
    expect(page.text("#adds-up") == "yes", "and the page says so")
    total = page.js("return dse.format.n(dse.state.a.ticks)")
    expect(page.js("return document.querySelector('#account-table tfoot').textContent").find(total) >= 0, "the table's sum is the total")
    page.js("dse.state.a.accounts[0].ticks[0] += 1; dse.state.a.accounts[0].total += 1; const a = dse.state.a; dse.select(dse.state.front.points[0]); dse.select(a)")
    expect(page.text("#adds-up") == "NO", "an account that is off by one cycle is called wrong")
    page.js("dse.state.a.accounts[0].ticks[0] -= 1; dse.state.a.accounts[0].total -= 1; const a = dse.state.a; dse.select(dse.state.front.points[0]); dse.select(a)")
    first = page.js("""const p = dse.state.front.points[0].unfold(), t = p.tasksTraced;
        return {n: t.length, total: p.trace.total, ordered: t.every((k, i) => !i || k.start >= t[i - 1].start), positive: t.every(k => k.end > k.start && k.start >= k.ready)}""")
    expect(first["n"] == first["total"] and first["ordered"] and first["positive"], "the trace unfolds into ordered tasks")


def timeline(page):
    page.js("document.getElementById('gantt').scrollIntoView({block: 'center'})")
    time.sleep(0.5)
    window = lambda: page.js("return dse.state.window")
    whole = window()
    box = page.js("const r = document.querySelector('#gantt-chart canvas').getBoundingClientRect(); return [r.x, r.y, r.width, r.height]")
    x, y = int(box[0] + box[2] / 2), int(box[1] + 38)
    chain = ActionChains(page.driver)
    chain.w3c_actions.pointer_action.move_to_location(x, y)
    for _ in range(14):
        chain.w3c_actions.wheel_action.scroll(x, y, 0, -200)
    chain.perform()
    zoomed = window()
    expect(zoomed[1] - zoomed[0] < (whole[1] - whole[0]) / 50, "the wheel zooms the timeline")
    page.pointer(x, y, to=(x + 150, y))
    expect(window()[0] < zoomed[0], "dragging moves it")
    time.sleep(0.3)
    hit = page.js("""const t = dse.state.a.tasksTraced, [f, e] = dse.state.window, mid = t.find(k => k.queue === 0 && k.end > f && k.start < e);
        const s = dse.timeScale(), c = document.querySelector('#gantt-chart canvas').getBoundingClientRect();
        return [Math.round(c.x + s((Math.max(mid.start, f) + Math.min(mid.end, e)) / 2)), Math.round(c.y + 38), mid.start, mid.tile]""")
    page.pointer(hit[0], hit[1])
    tip = page.text("#tip")
    expect("tile %d" % hit[3] in tip and "{:,}".format(hit[2]) in tip and "issued" in tip, "a task's tooltip names layer, tile and times")
    page.shot("gantt")
    page.pointer(x, y, double=True)
    expect(window() == whole, "double click shows the whole run")
    Select(page.one("#gantt-layer")).select_by_index(3)
    expect(window() == page.js("return [dse.state.a.ends[1], dse.state.a.ends[2]]"), "a layer can be chosen")
    page.one("#gantt-chart canvas").send_keys(Keys.HOME)
    expect(window() == whole, "Home returns")
    expect(page.js("return document.querySelectorAll('#memory-map .buffer').length === dse.state.a.bufferList.length"), "every buffer is drawn")


def compare(page):
    page.js("scrollTo(0, 0)")
    page.all("table.points tbody tr")[12].send_keys("b")
    expect(page.one("#compare").is_displayed() and "B \u2212 A" in page.text("#compare-body"), "b compares two points")
    a, b = page.js("return [dse.state.a.id, dse.state.b.id]")
    page.js("document.getElementById('compare').scrollIntoView()")
    page.shot("compare")
    page.js("document.getElementById('swap').click()")
    expect(page.js("return [dse.state.b.id, dse.state.a.id]") == [a, b], "swap swaps")
    address = page.driver.current_url
    expect("a=" + b in address and "b=" + a in address, "the address remembers both")
    page.driver.get("about:blank")
    page.driver.get(address)
    expect(page.js("return [dse.state.b.id, dse.state.a.id]") == [a, b], "and brings them back")
    page.js("document.getElementById('compare-close').click()")
    expect(not page.one("#compare").is_displayed(), "close closes")


def export(page):
    command = page.js("return document.getElementById('command').textContent")
    expect(command.startswith("dse export ") and command.endswith("--point %s -o package" % page.js("return dse.state.a.id")), "the export command names the point: " + command)
    page.js("document.getElementById('copy').click()")
    time.sleep(0.3)
    expect(page.js("return document.querySelector('#export .hint').textContent") != "", "the copy button answers")


def prints(page):
    page.js("window.seen = []; addEventListener('beforeprint', () => seen.push(document.querySelector('#gantt-chart canvas').style.width))")
    width = page.js("return document.querySelector('#gantt-chart canvas').style.width")
    pdf = page.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True, "preferCSSPageSize": True})
    expect(len(pdf["data"]) > 10_000 and page.js("return seen") == ["1030px"], "charts are redrawn at the paper's width for printing")
    time.sleep(0.3)
    expect(page.js("return document.querySelector('#gantt-chart canvas').style.width") == width, "and at the window's afterwards")


def alone(page):
    expect(not page.one("#across").is_displayed(), "one point of a device is compared with none")


def fronts(page):
    Select(page.one("#network")).select_by_visible_text("mobilenet-v1")
    expect(page.one("#infeasible").is_displayed() and "l1 is 30.0 KiB short" in page.text("#reason"), "an infeasible front gives its reason")
    expect(page.text("#none") == "No feasible plan", "and says what it is")
    expect(not page.one("#feasible").is_displayed(), "and shows nothing else")
    Select(page.one("#network")).select_by_visible_text("ds-cnn")
    expect("not complete" in page.text("#status") and page.one("#feasible").is_displayed(), "another network can be chosen")
    expect("28 of 31 points" in page.text("#notes"), "notes are shown")
    expect(page.text("table.points tbody").count("rule-based (resident weights)") == 1, "a rule-based plan on the front is listed once")
    expect(page.one("#front-chart canvas").size["width"] > 300, "and is drawn at full width")
    expect(page.js("return document.querySelectorAll('#front-chart path.point').length") == page.js("return dse.state.front.points.length"), "every point is drawn, also one that is twice on the front")
    page.js("dse.select(dse.data.fronts[1].references[0])")
    expect(page.text("#adds-up") == "yes", "a marked point has its account too")


def marked_alone(page, path):
    """A board without a front that has a plan of the user's: first in the file, then chosen after another's front."""
    own = lambda: (page.one("#infeasible").is_displayed() and not page.one("#front").is_displayed() and not page.one("#more").is_displayed()
                   and page.text("table.points tbody").startswith("\u2013") and page.js("return dse.state.a === dse.state.front.points[0]"))
    for width in (1400, 420):
        page.driver.set_window_size(width, 1000)
        page.driver.get("about:blank")
        page.driver.get("file://" + path)
        expect(own(), "at %d: a board without a front shows its marked plan and no chart" % width)
        device = Select(page.one("#device"))
        device.select_by_visible_text("gap8-class/l1=32KiB")
        drawn = page.js("return document.querySelectorAll('#front-chart path.point').length")
        expect(page.one("#front").is_displayed() and drawn == page.js("return dse.state.front.points.filter(p => p.timed).length"), "another board's front is drawn when it is chosen")
        expect(page.one("#front-chart canvas").size["width"] > (600 if width == 1400 else 300), "and as wide as its place")
        Select(page.one("#device")).select_by_visible_text("another-board")
        expect(own(), "and is gone with that board")
        page.driver.execute_script("dispatchEvent(new Event('resize'))")
        expect(own(), "and does not come back when the window changes")
        page.shot("marked_alone_%d" % width)
    page.driver.set_window_size(1400, 1000)


def untimed(page):
    Select(page.one("#network")).select_by_visible_text("resnet8")
    page.js("dse.select(dse.state.front.references.find(p => !p.timed))")
    expect("not timed" in page.text("#picked") and "No trace" in page.text("#gantt-note"), "a plan that was not timed says so")


def many(page, file):
    page.driver.get("file://" + file)
    note = page.text("#gantt-note")
    expect("trace was cut" in note, "a cut trace is named: " + note)
    rows = page.all("#across-table tbody tr")
    expect(len(rows) == 6 and "0.5 mm2" in rows[0].text and "1.75 mm2" in rows[5].text, "a row per point of the device")
    heads = [h.text.split("\n")[0] for h in page.all("#table thead th")]
    expect(any(h.startswith("left") for h in heads), "the points say which of them are left: " + " ".join(heads))
    left = page.js("return dse.state.front.frontPoints.filter(p => dse.isLeft(p)).length")
    expect(rows[0].text.split("mm2 ")[1].startswith("%d of " % left), "as many as the row counts")
    page.all("#across-table .pick-device")[2].click()
    expect("l1=128KiB" in page.text("#status strong"), "a row shows its front: " + page.text("#status strong"))
    expect(page.one("#across-table [aria-pressed=true]").text == "gap8-class/l1=128KiB", "the row of the front shown is marked")
    # A sweep over area charts it: every point of every device point, those that are left by another mark.
    circles = page.all("#area-chart circle")
    drawn, still = page.js("const a = dse.data.across.find(a => a.fronts.includes(dse.data.fronts.indexOf(dse.state.front)));"
                           "return [d3.sum(a.fronts, i => dse.data.fronts[i].frontPoints.filter(p => p.timed).length), d3.sum(a.left, l => l.length)]")
    expect(len(circles) == drawn and drawn > still > 0 and len(page.all("#area-chart circle.left")) == still, "a circle per point, %d of %d left" % (still, drawn))
    titles = [t.text for t in page.all("#area-chart .axis-title")]
    expect(titles[0].startswith("area, mm") and titles[1].startswith("latency"), "the axes are area and latency: " + " | ".join(titles))
    places = page.js("return [...document.querySelectorAll('#area-chart circle')].map(c => [+c.getAttribute('cx'), c.getAttribute('aria-label').match(/([\\d.]+) mm/)[1]])")
    by_area = sorted((float(area), x) for x, area in places)
    expect([x for _, x in by_area] == sorted(x for _, x in by_area), "further right where the device is larger")
    page.js("arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))", page.one("#area-chart circle:not(.picked)"))
    expect("l1=128KiB" not in page.text("#status strong"), "a click shows the point on its front: " + page.text("#status strong"))
    took = page.js("const t = performance.now(); for (let i = 0; i < 5; ++i) window.dispatchEvent(new Event('resize')); return (performance.now() - t) / 5")
    expect(took < 250, "10,000 dominated points are redrawn with everything else in %.0f ms" % took)


def variants(page, file):
    page.driver.get("file://" + file)
    discs = page.all("#variants-chart circle")
    expect(len(discs) == 6 and len(page.all("#variants-chart path.equal")) == 5, "a disc per variant, a dash for each that has a dense one beside it")
    expect(not page.one("#area-chart").is_displayed() and not page.one("#area-note").is_displayed(), "no area is known, so none is charted")
    expect(page.one("#variants-note").is_displayed() and page.text("#across-title") == "All variants of this network", "variants are told apart from devices")
    expect("97.00 %" in page.text("#across-table tbody tr:nth-child(2)") and "92.00 %" in page.text("#across-table tbody tr:nth-child(2)"), "the table has the same figures")
    shown = page.text("#status strong")
    page.js("arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))", discs[-1])
    expect(page.text("#status strong") != shown and "fc0.block=32" in page.text("#status strong"), "a disc shows its front: " + page.text("#status strong"))
    expect(len(page.all("#variants-chart circle.picked")) == 1, "and is marked then")
    page.js("arguments[0].dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}))", page.all("#variants-chart circle")[0])
    expect("fc0.block=1 " in page.text("#status strong") + " ", "so it is with the keyboard: " + page.text("#status strong"))


def main():
    sample = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out of tree"
        out.mkdir()
        small, large, several, marked = (str(out / name) for name in ("report.html", "large.html", "variants.html", "marked.html"))
        subprocess.run([sample, small], check=True)
        subprocess.run([sample, large, "12", "40", "60", "10000"], check=True)
        subprocess.run([sample, marked, "2", "12", "6", "300", "marked"], check=True)
        subprocess.run([sample, several, "12", "6", "4", "50", "variants"], check=True)
        driver = browser(os.path.join(folder, "profile"))
        try:
            page = Page(driver)
            driver.get("file://" + small)
            for part in (chart, units, more_memory, table, sums, timeline, compare, export, prints, alone, fronts, untimed):
                part(page)
            many(page, large)
            variants(page, several)
            marked_alone(page, marked)
            silent(driver)
            events = [json.loads(e["message"])["message"] for e in driver.get_log("performance")]
            asked = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"
                     and e["params"]["documentURL"].startswith("file:")]  # not the new tab that the browser opens with
            elsewhere = [u for u in asked if not u.startswith(("file:", "data:", "about:"))]
            expect(asked and not elsewhere, "nothing is fetched " + " ".join(elsewhere))
        finally:
            driver.quit()
    sys.exit(1 if expect.failed else 0)


if __name__ == "__main__":
    main()
