#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A report in a real browser: every chart draws, nothing leaves the page, hover, theme, contrast, print, saving,
hostile texts, no scripts.

Without a browser it says so and ends with 77, which meson counts as skipped; with REGIONSIM_BROWSER=required, as
.ci/run sets it, that is a failure.

usage: check_browser.py REGIONSIM SOURCE_ROOT [FOLDER_FOR_SCREENSHOTS]"""
import os
import pathlib
import sys
import tempfile
import time

import browser
import page

COMPARED = {"forest", "time", "herd", "stations", "tail", "phases", "lanes", "clients"}
SWEPT = {"front", "effects", "heat"}
SEARCHED = {"gains", "sensitivity"}
FITTED = {"fit", "agree"}
PAPER = 688  # CSS pixels between the margins of A4
failures, checks = [], 0

CONTRAST = """(() => {
  const parse = (text) => (text.match(/[0-9.]+/g) || []).map(Number);
  const light = (c) => c.slice(0, 3).map((v) => v / 255)
    .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const ground = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.length === 3 || c[3] > 0) return c;
    }
    return [255, 255, 255];
  };
  const bad = new Set();
  let seen = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !element.offsetParent && !element.ownerSVGElement ||
        element.closest("script,style,.skip")) continue;
    const style = getComputedStyle(element);
    const value = ratio(parse(element.ownerSVGElement ? style.fill : style.color), ground(element));
    seen++;
    if (value < 4.5) bad.add(`${element.tagName} ${node.data.trim().slice(0, 30)} ${value.toFixed(2)}`);
  }
  const probe = document.body.appendChild(document.createElement("i"));
  for (let i = 0; i < 8; i++) {
    probe.style.color = `var(--c${i})`;
    const value = ratio(parse(getComputedStyle(probe).color), ground(document.body));
    if (value < 3) bad.add(`colour ${i} ${value.toFixed(2)}`);
  }
  probe.remove();
  return {seen, bad: [...bad].slice(0, 10)};
})()"""


def check(what, holds):
    global checks
    checks += 1
    if not holds:
        failures.append(what)
        print(f"FAILED: {what}", flush=True)


def check_charts(view, kinds):
    drawn = dict(view.value("""[...document.querySelectorAll('figure[data-chart]')].map((figure) => [
        figure.dataset.chart, figure.querySelectorAll(
            '.plot svg :is(circle, [aria-label=line] path, [aria-label=bar] rect, [aria-label=rect] rect)').length])"""))
    check(f"every kind of chart: {drawn}", kinds <= set(drawn) and all(drawn[kind] >= 3 for kind in kinds))
    least = 100 if kinds == COMPARED else 5  # short scenarios have lines of one point
    check("a line of each policy, of finite numbers", view.value(f"""[...document.querySelectorAll(
        '[data-chart=time] svg')].every((svg) => [...svg.querySelectorAll('[aria-label=line] path')].every(
        (path) => path.getAttribute('d').length > {least} && !/NaN/.test(path.getAttribute('d'))))"""))
    check("charts have a name", view.value("[...document.querySelectorAll('.plot')].every((one) => one.ariaLabel)"))


def check_hover(view, kinds):
    for chart in sorted(kinds):
        box = view.value(f"""(() => {{ const svg = document.querySelector('[data-chart={chart}] .plot svg');
            svg.scrollIntoView({{block: 'center', behavior: 'instant'}});
            const mark = svg.querySelector('circle, [aria-label=bar] rect') ||
                svg.querySelector('[aria-label=rect] rect') || svg;
            const box = mark.getBoundingClientRect();
            return [box.left + box.width / 2, box.top + box.height / 2]; }})()""")
        for step in (3, 0):
            view.call("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": box[0] + step, "y": box[1]})
        time.sleep(0.1)
        tip = view.value(f"document.querySelector('[data-chart={chart}] [aria-label=tip]').textContent")
        check(f"hover over {chart} shows a value: {tip!r}", tip and any(character.isdigit() for character in tip))


def check_theme(view):
    ground = "getComputedStyle(document.body).backgroundColor"
    for scheme in ("light", "dark"):
        view.media(prefers_color_scheme=scheme)
        before = view.value(ground)
        found = view.value(CONTRAST)
        check(f"contrast, {scheme}: {found}", found["seen"] > 100 and not found["bad"])
        view.value("document.getElementById('theme').click()")
        check(f"the switch changes {scheme}", view.value(ground) != before)
        view.value("document.getElementById('theme').click()")
        check(f"and changes back to {scheme}", view.value(ground) == before)
    view.value("delete document.documentElement.dataset.theme")
    view.media()


def check_print(view):
    pdf = view.pdf()
    check("a PDF of some pages", pdf.startswith(b"%PDF") and pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") +
          pdf.count(b"/Type /Page/") > 3)
    view.media("print")
    view.size(PAPER)
    view.value("dispatchEvent(new Event('beforeprint'))")
    wide = view.value(f"""[...document.querySelectorAll('table, pre, svg, h1, h2, p')].filter((one) => {{
        const box = one.getBoundingClientRect();
        return box.width > 0 && (box.right > {PAPER + 1} || box.left < -1); }})
        .map((one) => one.tagName + ' ' + one.id + ' ' + one.getBoundingClientRect().right)""")
    check(f"nothing is wider than the paper: {wide}", not wide)
    check("all tables are open on paper", view.value("""[...document.querySelectorAll('table')].every(
        (one) => one.getBoundingClientRect().height > 10)"""))
    view.value("dispatchEvent(new Event('afterprint'))")
    view.media()


def check_saving(view, folder):
    view.call("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)}, session=False)
    for kind, head in (("svg", b"<svg"), ("png", b"\x89PNG")):
        path = folder / f"s1-time.{kind}"
        view.value(f"document.querySelectorAll('[data-chart=time] .save button')[{int(kind == 'png')}].click()")
        deadline = time.monotonic() + 30
        while not path.exists() and time.monotonic() < deadline:
            view.value("1")
            time.sleep(0.1)
        data = path.read_bytes() if path.exists() else b""
        check(f"a chart is saved as {kind}", data.startswith(head) and len(data) > 5000 and b"var(--" not in data)


def check_narrow(view):
    for width in (360, 800, 1600):
        view.value("delete document.documentElement.dataset.drawn")  # set again once all is drawn in the new width
        view.size(width)
        view.drawn()
        check(f"no sideways scrolling at {width}", view.value("document.documentElement.scrollWidth") <= width)


def check_sweep(view, report):
    """The page of a sweep."""
    view.size(1280)
    view.open(report)
    view.drawn()
    check_charts(view, SWEPT)
    check("the front is filled, and only that", view.value("""(() => {
        const front = [...document.querySelectorAll('.points tbody tr')].filter((row) =>
            row.cells[1].textContent === 'front').length;
        const svg = document.querySelector('[data-chart=front] .plot svg');
        return front > 0 && [...svg.querySelectorAll('circle')].filter((one) => one.getAttribute('r') === '5').length
            === front; })()"""))
    check("a cell for each pair of values", view.value("""[...document.querySelectorAll('[data-chart=heat] svg')]
        .every((svg) => [4, 6].includes(svg.querySelectorAll('[aria-label=rect] rect').length))"""))
    check_hover(view, SWEPT)
    check_theme(view)
    check_narrow(view)
    check_print(view)


def check_search(view, report):
    """The page of a search for a better policy."""
    view.size(1280)
    view.open(report)
    view.drawn()
    check_charts(view, SEARCHED)
    check("one point is ringed in each scatter", view.value("""[...document.querySelectorAll('[data-chart=gains] svg')]
        .slice(0, 2).every((svg) => [...svg.querySelectorAll('circle')].filter((one) =>
            one.getAttribute('r') === '10').length === 1)"""))
    check_hover(view, SEARCHED)
    check_theme(view)
    check_narrow(view)
    check_print(view)


def check_fit(view, report):
    """The page of an imported account."""
    view.size(1280)
    view.open(report)
    view.drawn()
    check_charts(view, FITTED)
    check("both lines in each chart over time", view.value("""[...document.querySelectorAll('[data-chart=fit] svg')]
        .every((svg) => svg.querySelectorAll('[aria-label=line] path').length === 2)"""))
    check_hover(view, FITTED)
    check_narrow(view)


def check_plain(view, report):
    """Scripts off: tables alone say everything."""
    view.open(report, scripts=False)
    check("without scripts every table shows", view.value("""[...document.querySelectorAll('table')].every(
        (one) => one.getBoundingClientRect().height > 10) &&
        document.querySelectorAll('.plot svg').length === 0"""))
    check("and the answer is there", "better" in view.value("document.querySelector('.answer').textContent"))


def main(regionsim, root, pictures=None):
    program = browser.find()
    if program is None:
        required = os.environ.get("REGIONSIM_BROWSER") == "required"
        print("NO BROWSER: reports were not looked at. Debian's package chromium has one.", file=sys.stderr)
        return 1 if required else 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        database = page.make_stations(page.make_database(regionsim, root, folder), folder)
        report, hostile = folder / "report.html", folder / "hostile.html"
        sweep = page.make_sweep(regionsim, root, folder)
        search = page.make_search(regionsim, root, folder)
        swept, hostile_sweep = folder / "sweep.html", folder / "hostile-sweep.html"
        searched, hostile_search = folder / "search.html", folder / "hostile-search.html"
        for source, output, spoil in ((database, report, hostile), (sweep, swept, hostile_sweep),
                                      (search, searched, hostile_search)):
            check("hostile texts reported", page.report(regionsim, page.make_hostile(source, folder), "--output",
                                                        spoil).returncode == 0)
            check("reported", page.report(regionsim, source, "--output", output).returncode == 0)
        view = browser.Browser(program)
        try:
            view.size(1280)
            view.open(report)
            view.drawn()
            check_charts(view, COMPARED)
            check_hover(view, COMPARED)
            check_theme(view)
            check_saving(view, folder)
            check_narrow(view)
            check_print(view)
            check_sweep(view, swept)
            check_search(view, searched)
            check_fit(view, page.make_fit(regionsim, root, folder)[0])
            for page_of in (hostile, hostile_sweep, hostile_search):
                view.size(1280)
                view.open(page_of)
                view.drawn()
                check("hostile texts draw", view.value("document.querySelectorAll('.plot svg').length") > 5)
                check("and run nothing", view.value("document.scripts.length") == 2 and
                      "Page.javascriptDialogOpening" not in view.events)
                check_narrow(view)
            if pictures:
                view.screenshot(os.path.join(pictures, "hostile.png"))
            check_plain(view, report)
            check(f"the console is empty: {view.console}", not view.console)
            strangers = [url for url in view.requests
                         if not url.startswith(("file://" + str(folder), "data:", "blob:"))]
            check(f"no request leaves the page: {strangers}", not strangers)
        finally:
            view.close()
    print(f"{100 - 100 * len(failures) // checks}%: Checks: {checks}, Failures: {len(failures)}, Errors: 0")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
