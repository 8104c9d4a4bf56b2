"""Opens the page of `dse npu` in a browser and uses it: `npu_click.py dse source_dir`.

Exit 77 (skipped) where Chromium, its driver or python3-selenium is missing.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from report_click import Page, browser, expect, silent  # exits with 77 where there is no selenium


def main():
    dse, source = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        page = pathlib.Path(name) / "npu.html"
        networks = [source + "/configs/networks/" + n + ".yaml" for n in ("ds-cnn", "resnet8")]
        said = subprocess.run([dse, "npu", *networks, "--config", "ethos-u55-64,ethos-u55-256", "--arena", "16KiB,64KiB", "--optimise", "pareto",
                               "--json", "--html", str(page)], check=True, capture_output=True, text=True)
        cells = json.loads(said.stdout)["cells"]
        driver = browser(os.path.join(name, "profile"))
        try:
            driver.get("file://" + str(page))
            p = Page(driver)
            for network in ("ds-cnn", "resnet8"):
                p.js("document.querySelector('[data-network=\"%s\"]').click()" % network)
                mine = [c for c in cells if c["network"] == network]
                expect(len(p.all("#chart .mark")) == sum(len(c["points"]) for c in mine), network + ": a mark for every schedule")
                expect(len(p.all("#chart .mark.is-picked")) == 1, network + ": one is picked")
                for c in mine:
                    marks = p.all("#chart .mark[data-system='%s']" % c["system"])
                    expect(len(marks) == len(c["points"]), "%s on %s: its marks" % (network, c["system"]))
                    p.js("document.querySelectorAll(\"#chart .mark[data-system='%s']\")[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))" % c["system"])
                    first = c["points"][0]
                    expect("{:,}".format(first["npu_active_cycles"]) in p.text("#cards"), "%s on %s: the cycles of the mark" % (network, c["system"]))
                    expect(len(p.all("#operators tbody tr")) == len(first["operators"]), "%s on %s: its operators" % (network, c["system"]))
                    for part, causes in first["time"].items():
                        expect(sum(causes.values()) == first["npu_active_cycles"], "%s: its times sum up" % part)
                expect(len(p.all("#fits tbody button")) == sum(1 for c in mine for i in c["fits"] if i >= 0), network + ": what fits")
                go = p.all("#fits tbody button")
                if go:
                    go[-1].click()
                    expect(mine[-1]["system"] in p.text("#title"), network + ": the table leads to its schedule")
            silent(driver)
        finally:
            driver.quit()
    sys.exit(1 if expect.failed else 0)


if __name__ == "__main__":
    main()
