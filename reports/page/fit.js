// SPDX-License-Identifier: GPL-3.0-or-later
// The kinds of chart of a fit: what was observed against what is simulated, over time and point by point.
"use strict";
const FitCharts = (() => {
  const {number, cells, headings, body, format, look, tipStyle, lines, hover, add} = Drawing;

  // "p99, ms: observed" -> "p99, ms"
  const curve = (heading) => heading.replace(/: \w+$/, "");

  return {
    // Of each table the pairs of columns behind the first: observed, simulated.
    fit(self) {
      for (const table of self.figure.querySelectorAll("table")) {
        const names = headings(table);
        const rows = body(table).map((row) => cells(row).map(number));
        for (let column = 1; column + 1 < names.length; column += 2) {
          const series = [0, 1].map((p) => ({p, points: rows.map((row) => ({x: row[0], y: row[column + p]}))}));
          if (!series.some((one) => one.points.some((point) => point.y > 0))) continue;
          add(
            self,
            Plot.plot(
              look(self, 130, {
                marginLeft: 58,
                marginRight: 14,
                marginTop: 8,
                marginBottom: 38,
                x: {label: names[0], labelAnchor: "center", tickSize: 3},
                y: {label: null, ticks: 4, nice: true, zero: true},
                marks: [
                  Plot.gridY({stroke: "var(--line)", strokeOpacity: 1, ticks: 4}),
                  ...lines(self, series, "y"),
                  ...hover(self, series, (x) => `${format(x)} ${names[0]}: ${curve(names[column])}`),
                ],
              }),
            ),
            `${table.caption.textContent}: ${curve(names[column])}`,
          );
        }
      }
    },

    // The last two columns against each other; on the line they agree.
    agree(self) {
      const table = self.figure.querySelector("table");
      const names = headings(table);
      const last = names.length - 1;
      const points = body(table)
        .map(cells)
        .map((text) => ({text, x: number(text[last - 1]), y: number(text[last])}))
        .filter((one) => one.x > 0 && one.y > 0);
      if (points.length === 0) return "Nothing to draw: no value above zero.";
      const ends = points.flatMap((one) => [one.x, one.y]);
      const domain = [Math.min(...ends) / 1.1, Math.max(...ends) * 1.1];
      const title = (one) => one.text.map((text, i) => `${names[i]}: ${text}`).join("\n");
      add(
        self,
        Plot.plot(
          look(self, 330, {
            marginLeft: 58,
            marginRight: 20,
            marginBottom: 40,
            x: {type: "log", domain, label: names[last - 1], labelAnchor: "center", ticks: 5, tickFormat: "~s"},
            y: {type: "log", domain, label: names[last], ticks: 5, tickFormat: "~s"},
            marks: [
              Plot.gridX({stroke: "var(--line)", strokeOpacity: 1, ticks: 5}),
              Plot.gridY({stroke: "var(--line)", strokeOpacity: 1, ticks: 5}),
              Plot.link([domain], {x1: "0", y1: "0", x2: "1", y2: "1", stroke: "var(--soft)"}),
              Plot.dot(points, {x: "x", y: "y", r: 4, stroke: "var(--c0)", strokeWidth: 1.6, fill: "var(--bg)"}),
              Plot.tip(points, Plot.pointer({x: "x", y: "y", title, ...tipStyle})),
            ],
          }),
        ),
      );
    },
  };
})();
