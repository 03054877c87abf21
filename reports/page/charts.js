// SPDX-License-Identifier: GPL-3.0-or-later
// The kinds of chart that set policies side by side, each drawn from the tables of its figure with Observable Plot.
"use strict";
const Charts = (() => {
  const {number, cells, headings, body, tables, format, short, look, tipStyle} = Drawing;
  const {lines, hover, shades, add, note} = Drawing;

  // A time line for each column of the tables: `columns` are their numbers.
  function timeLines(self, names, columns, height, of = tables(self.figure)) {
    columns.forEach((column, i) => {
      const series = of.map((table) => ({
        p: Number(table.dataset.p),
        points: body(table).map((row) => ({
          x: number(row.cells[0].textContent),
          y: number(row.cells[column].textContent),
        })),
      }));
      const values = series.flatMap((one) => one.points.map((point) => point.y)).filter((y) => y > 0);
      const isWide = names[column].startsWith("p99") && Math.max(...values) > 10 * Math.min(...values);
      add(
        self,
        Plot.plot(
          look(self, height + (i === 0 ? 18 : 0) + (i + 1 === columns.length ? 32 : 0), {
            marginLeft: 58,
            marginRight: 14,
            marginTop: i === 0 ? 26 : 8,
            marginBottom: i + 1 === columns.length ? 38 : 6,
            x: {
              domain: [0, self.phases.end],
              label: i + 1 === columns.length ? "virtual time, min" : null,
              tickSize: 3,
              labelAnchor: "center",
              tickFormat: i + 1 === columns.length ? undefined : () => "",
            },
            y: isWide
              ? {type: "log", label: null, ticks: 4, tickFormat: "~s"}
              : {label: null, ticks: 4, nice: true, zero: true},
            marks: [
              ...shades(self, i === 0),
              Plot.gridY({stroke: "var(--line)", strokeOpacity: 1, ticks: 4}),
              ...lines(self, series, "y"),
              ...hover(self, series, (x) => `${format(x)} min: ${names[column]}`),
            ],
          }),
        ),
        names[column],
      );
    });
  }

  // ---- the kinds of chart ----

  const kinds = {
    forest(self) {
      const rows = [...self.figure.querySelectorAll(".against")].flatMap((group) =>
        body(group.querySelector("table"))
          .filter((row) => row.dataset.d)
          .map((row) => {
            const [difference, low, high] = row.dataset.d.split(" ").map(Number);
            const text = cells(row);
            const verdict = row.cells[6].className;
            return {
              metric: (row.className === "objective" ? "★ " : "") + text[0],
              isObjective: row.className === "objective",
              p: Number(group.dataset.p),
              name: self.key[Number(group.dataset.p)].name,
              difference,
              low,
              high,
              isVerdict: verdict === "better" || verdict === "worse" || /higher|lower/.test(text[6]),
              verdict,
              title:
                `${text[0]}: ${text[6]}\n${short(self.key[Number(group.dataset.p)].name)}: ${text[3]} ${text[5]}` +
                `\n95 %: ${text[4]} ${text[5]}\n${format(difference)} % of the baseline`,
            };
          }),
      );
      const judged = new Set(
        rows.filter((row) => row.verdict === "better" || row.verdict === "worse").map((row) => row.metric),
      );
      const shown = rows.filter((row) => row.isObjective || judged.has(row.metric));
      if (shown.length === 0) return "Nothing to draw: no metric has an interval relative to the baseline.";
      const metrics = [...new Set(shown.map((row) => row.metric))];
      const names = [...new Set(shown.map((row) => row.name))];
      const low = Math.min(...shown.map((row) => row.low)),
        high = Math.max(...shown.map((row) => row.high));
      const ticks = [-10000, -1000, -100, -30, -10, -3, 0, 3, 10, 30, 100, 300, 1000, 10000, 100000].filter(
        (tick) => tick >= Math.min(low, -3) && tick <= Math.max(high, 3),
      );
      const step = Math.max(9, Math.min(15, 60 / names.length));
      const stroke = (row) => self.key[row.p].stroke;
      add(
        self,
        Plot.plot(
          look(self, metrics.length * ((names.length + 1) * step + 10) + 50, {
            marginLeft: 12,
            marginRight: 24,
            marginTop: 8,
            marginBottom: 40,
            x: {
              type: "symlog",
              constant: 3,
              domain: [Math.min(low, -3), Math.max(high, 3)],
              ticks,
              label: "change against the baseline, % (stretched around zero)",
              tickFormat: (tick) => (tick > 0 ? "+" : "") + tick,
              labelAnchor: "center",
            },
            y: {domain: ["", ...names], axis: null, padding: 0.3},
            fy: {domain: metrics, axis: null, padding: 0.12}, // "": room for the metric's name
            marks: [
              Plot.frame({fill: "var(--shade)", stroke: null}),
              Plot.gridX(ticks, {stroke: "var(--line)", strokeOpacity: 1}),
              Plot.text(metrics, {
                fy: (metric) => metric,
                text: (metric) => metric,
                frameAnchor: "top-left",
                dx: 4,
                dy: 2,
                fontWeight: 600,
                fill: "var(--text)",
                stroke: "var(--shade)",
                strokeWidth: 4,
              }),
              Plot.ruleX([0], {stroke: "var(--text)"}),
              Plot.ruleY(shown, {x1: "low", x2: "high", y: "name", fy: "metric", stroke, strokeWidth: 2.4}),
              Plot.dot(shown, {
                x: "difference",
                y: "name",
                fy: "metric",
                r: 4.2,
                strokeWidth: 2,
                stroke,
                fill: (row) => (row.isVerdict ? self.key[row.p].stroke : "var(--bg)"),
              }),
              Plot.tip(shown, Plot.pointer({x: "difference", y: "name", fy: "metric", title: "title", ...tipStyle})),
            ],
          }),
        ),
      );
    },

    time(self) {
      const names = headings(tables(self.figure)[0]);
      const isUsed = (column) =>
        tables(self.figure).some((table) => body(table).some((row) => number(row.cells[column].textContent) > 0));
      const order = ["p99", "errors", "pairs away", "recovering", "canaries/s", "failed canaries", "hedges"];
      const there = order
        .map((start) => names.findIndex((name) => name.startsWith(start)))
        .filter((column) => column > 0);
      timeLines(self, names, there.filter(isUsed), 96);
      const unused = there
        .filter((column) => !isUsed(column))
        .map((column) => names[column].replace(/, %|\/s/, ""));
      if (unused.length > 0) note(self, `Zero throughout under every policy, so not drawn: ${unused.join(", ")}.`);
    },

    herd(self) {
      const names = headings(tables(self.figure)[0]);
      timeLines(
        self,
        names.map((name) => (name === "min" ? name : `${name}, attempts/s`)),
        names.slice(1).map((_, i) => i + 1),
        104,
      );
    },

    stations(self) {
      const groups = new Map();
      for (const table of tables(self.figure)) {
        const group = table.dataset.group;
        groups.set(group, (groups.get(group) || []).concat(table));
      }
      for (const own of groups.values()) {
        const isUsed = (column) =>
          own.some((table) => body(table).some((row) => number(row.cells[column].textContent) > 0));
        const region = own[0].caption.textContent;
        const names = headings(own[0]).map((name) => (name === "min" ? name : `${region}: ${name}`));
        timeLines(self, names, [1, 2, 3, 4].filter(isUsed), 96, own);
      }
    },

    tail(self) {
      const table = self.figure.querySelector("table");
      const series = self.key.map((_, p) => ({
        p,
        points: body(table).map((row) => ({
          percentile: row.cells[0].textContent,
          x: Math.log10(100 / (100 - number(row.cells[0].textContent))),
          y: number(row.cells[p + 1].textContent),
        })),
      }));
      const names = new Map(series[0].points.map((point) => [point.x, point.percentile]));
      const last = Math.max(
        ...series.flatMap((one) => one.points.filter((point) => point.y > 0).map((point) => point.x)),
      );
      const ticks = [2, 10, 100, 1000, 10000, 100000, 1000000].map(Math.log10).filter((tick) => tick <= last + 0.001);
      add(
        self,
        Plot.plot(
          look(self, 330, {
            marginLeft: 58,
            marginRight: 36,
            marginBottom: 40,
            x: {
              ticks,
              tickFormat: (x) => "p" + Number((100 - 100 / 10 ** x).toPrecision(8)),
              label: "percentile",
              labelAnchor: "center",
              domain: [0, last],
            },
            y: {type: "log", label: "latency, ms", ticks: 6, tickFormat: "~s"},
            marks: [
              Plot.gridX(ticks, {stroke: "var(--line)", strokeOpacity: 1}),
              Plot.gridY({stroke: "var(--line)", strokeOpacity: 1, ticks: 6}),
              ...lines(self, series, "y"),
              ...hover(self, series, (x) => `p${names.get(x)}, ms`),
            ],
          }),
        ),
      );
    },

    phases(self) {
      const names = headings(tables(self.figure)[0]);
      const rows = tables(self.figure).flatMap((table) =>
        body(table).map((row) => ({
          p: Number(table.dataset.p),
          name: self.key[Number(table.dataset.p)].name,
          phase: row.cells[0].textContent,
          value: cells(row).map(number),
        })),
      );
      const parts = rows.filter((row) => row.phase !== "all");
      const shown = parts.length > 0 ? parts : rows;
      const phases = [...new Set(shown.map((row) => row.phase))];
      const grid = document.createElement("div");
      grid.className = "grid";
      self.into.append(grid);
      const columns = [1, 2, 4, 5].filter((column) => shown.some((row) => row.value[column] > 0));
      if (columns.length === 0)
        return "Nothing to draw: no flap, no premature return and no failed canary in any phase.";
      const width = self.width > 800 ? Math.floor((self.width - 24) / 2) : self.width;
      for (const column of columns) {
        const box = {...self, into: grid.appendChild(document.createElement("div")), width};
        const drawn = shown.filter((row) => row.value[column] >= 0);
        add(
          box,
          Plot.plot(
            look(box, 190, {
              marginLeft: 52,
              marginRight: 4,
              marginTop: 10,
              marginBottom: 28,
              x: {axis: null, domain: self.key.map((policy) => policy.name), padding: 0.08},
              fx: {
                domain: phases,
                label: null,
                padding: 0.14,
                tickFormat: (phase) => phase.slice(0, Math.max(4, width / phases.length / 7.5)),
                axis: "bottom",
              },
              y: {label: null, ticks: 4, nice: true, zero: true},
              marks: [
                Plot.gridY({stroke: "var(--line)", strokeOpacity: 1, ticks: 4}),
                Plot.ruleY([0], {stroke: "var(--soft)"}),
                Plot.barY(drawn, {
                  x: "name",
                  fx: "phase",
                  y: (row) => row.value[column],
                  fill: (row) => self.key[row.p].stroke,
                }),
                Plot.tip(
                  drawn,
                  Plot.pointerX({
                    x: "name",
                    fx: "phase",
                    y: (row) => row.value[column],
                    title: (row) =>
                      `${row.phase}: ${names[column]}\n${format(row.value[column])}  ${short(row.name)}`,
                    ...tipStyle,
                  }),
                ),
              ],
            }),
          ),
          names[column],
        );
      }
    },

    lanes(self) {
      const rows = tables(self.figure).flatMap((table) =>
        body(table).map((row) => {
          const [pair, from, until, state] = cells(row);
          return {
            p: Number(table.dataset.p),
            name: self.key[Number(table.dataset.p)].name,
            pair,
            from: Number(from),
            until: Number(until),
            state,
          };
        }),
      );
      const pairs = [...new Set(rows.map((row) => row.pair))];
      const names = self.key.map((policy) => policy.name);
      const fill = (row) => (row.state === "away" ? "var(--away)" : "var(--rec)");
      const legend = document.createElement("p");
      legend.className = "legend";
      for (const state of ["away", "recovering"]) {
        const item = legend.appendChild(document.createElement("span"));
        item.appendChild(document.createElement("i")).style.background = fill({state});
        item.append(state);
      }
      self.into.append(legend);
      const lane = Math.max(5, Math.min(9, 90 / pairs.length));
      add(
        self,
        Plot.plot(
          look(self, names.length * (pairs.length * lane + 26) + 56, {
            marginLeft: 14,
            marginRight: 14,
            marginTop: 24,
            marginBottom: 36,
            x: {domain: [0, self.phases.end], label: "virtual time, min", tickSize: 3, labelAnchor: "center"},
            y: {domain: pairs, axis: null, padding: 0.15},
            fy: {domain: names, axis: null, padding: 26 / (pairs.length * lane + 26)},
            marks: [
              Plot.frame({fill: "var(--shade)", stroke: null}),
              ...shades(self, false),
              Plot.text(names, {
                fy: (name) => name,
                text: short,
                frameAnchor: "top-left",
                dy: -14,
                fontWeight: 600,
                fill: "var(--text)",
              }),
              Plot.barX(rows, {x1: "from", x2: "until", y: "pair", fy: "name", fill, inset: 0}),
              Plot.tip(
                rows,
                Plot.pointer({
                  x1: "from",
                  x2: "until",
                  y: "pair",
                  fy: "name",
                  title: (row) =>
                    `client·partition ${row.pair}: ${row.state}\n${format(row.from)} to ${format(row.until)} min\n` +
                    short(row.name),
                  ...tipStyle,
                }),
              ),
            ],
          }),
        ),
      );
    },

    clients(self) {
      const names = headings(tables(self.figure)[0]);
      const rows = tables(self.figure).flatMap((table) =>
        body(table).map((row) => ({
          p: Number(table.dataset.p),
          name: self.key[Number(table.dataset.p)].name,
          client: row.cells[0].textContent,
          value: cells(row).map(number),
        })),
      );
      const grid = document.createElement("div");
      grid.className = "grid";
      self.into.append(grid);
      const width = self.width > 800 ? Math.floor((self.width - 24) / 2) : self.width;
      for (const column of [1, 2]) {
        const box = {...self, into: grid.appendChild(document.createElement("div")), width};
        const stroke = (row) => self.key[row.p].stroke;
        add(
          box,
          Plot.plot(
            look(box, self.key.length * 30 + 44, {
              marginLeft: 150,
              marginRight: 14,
              marginTop: 6,
              marginBottom: 34,
              x: {label: names[column], zero: true, nice: true, ticks: 5, labelAnchor: "center"},
              y: {
                domain: self.key.map((policy) => policy.name),
                label: null,
                tickFormat: (name) => name.slice(0, 20),
                tickSize: 0,
              },
              marks: [
                Plot.gridX({stroke: "var(--line)", strokeOpacity: 1, ticks: 5}),
                Plot.dot(rows, {
                  x: (row) => row.value[column],
                  y: "name",
                  r: 4.5,
                  stroke,
                  fill: stroke,
                  fillOpacity: 0.3,
                }),
                Plot.tip(
                  rows,
                  Plot.pointer({
                    x: (row) => row.value[column],
                    y: "name",
                    title: (row) =>
                      `client ${row.client}: ${format(row.value[column])} ${names[column]}\n${short(row.name)}`,
                    ...tipStyle,
                  }),
                ),
              ],
            }),
          ),
        );
      }
    },
  };

  return kinds;
})();
