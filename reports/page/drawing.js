// SPDX-License-Identifier: GPL-3.0-or-later
// What charts share: reading tables, looks, lines, tips, shades. `self` has the figure, the element to draw into, its
// width, the key of policies and the phases of the scenario. Colours are CSS variables, so that a change of theme needs
// no redrawing.
"use strict";
const Drawing = (() => {
  const FONT = Saving.FONT;

  // ---- reading tables ----

  const number = (text) => (/^[>+]?\s*-?[0-9.]/.test(text) ? parseFloat(text.replace(/^[>+\s]+/, "")) : NaN);
  const cells = (row) => [...row.children].map((cell) => cell.textContent.trim());
  const headings = (table) => [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
  const body = (table) => [...table.tBodies[0].rows];
  const tables = (figure) => [...figure.querySelectorAll("table[data-p]")];

  // ---- shared by charts ----

  const format = (value) => (Number.isNaN(value) ? "–" : String(Number(value.toPrecision(4))));
  const short = (name) => (name.length > 24 ? name.slice(0, 23) + "…" : name);

  const look = (self, height, more) => ({
    width: self.width,
    height,
    style: {fontFamily: FONT, fontSize: "12px", background: "none", color: "var(--text)"},
    ...more,
  });

  const tipStyle = {fill: "var(--bg)", stroke: "var(--soft)", textPadding: 7, lineHeight: 1.25, fontSize: 12};

  // Later lines are thinner, so that equal ones show below each other.
  function lines(self, series, y) {
    return series.map((one, i) =>
      Plot.lineY(one.points, {
        x: "x",
        y,
        stroke: self.key[one.p].stroke,
        strokeDasharray: self.key[one.p].dash,
        strokeWidth: series.length === 1 ? 2 : 4 - (2.6 * i) / (series.length - 1),
      }),
    );
  }

  // One tip for all policies at an x, in the order of their values.
  function hover(self, series, title) {
    const at = new Map();
    for (const one of series) {
      for (const point of one.points) {
        if (!at.has(point.x)) at.set(point.x, []);
        at.get(point.x).push({p: one.p, y: point.y});
      }
    }
    const rows = [...at]
      .sort((a, b) => a[0] - b[0])
      .map(([x, list]) => ({
        x,
        y: Math.max(...list.map((one) => one.y).filter((y) => !Number.isNaN(y))),
        title: [title(x)]
          .concat(
            list
              .filter((one) => !Number.isNaN(one.y))
              .sort((a, b) => b.y - a.y)
              .map((one) => `${format(one.y)}  ${short(self.key[one.p].name)}`),
          )
          .join("\n"),
      }))
      .filter((row) => Number.isFinite(row.y));
    return [
      Plot.ruleX(rows, Plot.pointerX({x: "x", stroke: "var(--soft)", strokeDasharray: "2 2"})),
      Plot.tip(rows, Plot.pointerX({x: "x", y: "y", title: "title", ...tipStyle})),
    ];
  }

  // When faults are on, the darker the stronger; where phases begin, with their names where there is room.
  function shades(self, withNames) {
    const spans = self.phases.spans.filter((span) => span.until > span.from);
    const marks = [
      Plot.rectX(self.phases.faults, {
        x1: "from",
        x2: "until",
        fill: "var(--fault)",
        fillOpacity: (one) => 0.07 + 0.15 * one.weight,
      }),
      Plot.ruleX(spans.slice(1), {x: "from", stroke: "var(--soft)", strokeOpacity: 0.55, strokeDasharray: "1 3"}),
    ];
    if (withNames) {
      const room = (span) => Math.floor((((span.until - span.from) / self.phases.end) * self.width) / 7);
      marks.push(
        Plot.text(
          spans.filter((span) => room(span) >= 4),
          {
            x: "from",
            text: (span) => (span.name.length > room(span) ? span.name.slice(0, room(span) - 1) + "…" : span.name),
            frameAnchor: "top-left",
            dx: 3,
            dy: -14,
            fill: "var(--soft)",
          },
        ),
      );
    }
    return marks;
  }

  function add(self, svg, heading) {
    if (heading) {
      const title = document.createElement("h4");
      title.textContent = heading;
      self.into.append(title);
    }
    self.into.append(svg);
  }

  function note(self, text) {
    const paragraph = self.into.appendChild(document.createElement("p"));
    paragraph.className = "note";
    paragraph.textContent = text;
  }

  return {number, cells, headings, body, tables, format, short, look, tipStyle, lines, hover, shades, add, note};
})();
