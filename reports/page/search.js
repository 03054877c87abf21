// SPDX-License-Identifier: GPL-3.0-or-later
// The kinds of chart of a sweep and of a search: points and their front, what keys do alone and in pairs.
"use strict";
const SearchCharts = (() => {
  const {number, cells, headings, body, tables, format, short, look, tipStyle, add} = Drawing;
  const MAPS_MAX = 4;
  const RANKS_MAX = 14;

  // "> 12.3 ±0.4": what is known, and half of its interval.
  function estimate(text) {
    const [value, half] = text.split("±");
    return {value: number(value), half: half === undefined ? NaN : number(half), isPart: text.startsWith(">")};
  }

  // Axes in the unit of the table: no "300m" for 0.3.
  const tick = (value) => (Math.abs(value) >= 1e4 ? `${format(value / 1000)}k` : format(value));

  const low = (one) => one.value - (Number.isNaN(one.half) ? 0 : one.half);
  const high = (one) => one.value + (Number.isNaN(one.half) ? 0 : one.half);

  function grid(self) {
    const into = self.into.appendChild(document.createElement("div"));
    into.className = "grid";
    const width = self.width > 800 ? Math.floor((self.width - 24) / 2) : self.width;
    return () => ({...self, into: into.appendChild(document.createElement("div")), width});
  }

  // ---- the front ----

  function readPoints(self) {
    const box = self.figure.querySelector(".points");
    const table = box.querySelector("table");
    const names = headings(table);
    const keys = Number(box.dataset.keys);
    const points = body(table).map((row) => {
      const text = cells(row);
      return {
        p: Number(row.dataset.p),
        name: text[0],
        isFront: text[1].startsWith("front"),
        isPicked: text[1].endsWith("recommended"),
        keys: text.slice(2, 2 + keys).map((value, k) => `${names[2 + k]} = ${short(value)}`),
        estimate: text.map(estimate),
        text,
      };
    });
    return {names, points, judges: box.dataset.judges.split(" ").filter(Boolean).map(Number)};
  }

  function scatter(box, names, points, x, y) {
    const drawn = points.filter((one) => !Number.isNaN(one.estimate[x].value) && !Number.isNaN(one.estimate[y].value));
    const front = drawn.filter((one) => one.isFront);
    const stroke = (one) => box.key[one.p].stroke;
    const whisker = {stroke, strokeOpacity: 0.45};
    const end = (column, of) => (one) => of(one.estimate[column]);
    const at = (column) => (one) => one.estimate[column].value;
    const title = (one) =>
      [`${short(one.name)}: ${one.text[1]}`, ...one.keys]
        .concat([x, y].map((column) => `${names[column]}: ${one.text[column]}`))
        .join("\n");
    add(
      box,
      Plot.plot(
        look(box, 330, {
          marginLeft: 58,
          marginRight: 20,
          marginTop: 12,
          marginBottom: 40,
          x: {label: names[x], labelAnchor: "center", nice: true, ticks: 6, tickFormat: tick},
          y: {label: null, nice: true, ticks: 6, tickFormat: tick},
          marks: [
            Plot.gridX({stroke: "var(--line)", strokeOpacity: 1, ticks: 6}),
            Plot.gridY({stroke: "var(--line)", strokeOpacity: 1, ticks: 6}),
            Plot.ruleY(front, {x1: end(x, low), x2: end(x, high), y: at(y), ...whisker}),
            Plot.ruleX(front, {y1: end(y, low), y2: end(y, high), x: at(x), ...whisker}),
            Plot.dot(drawn, {
              x: at(x),
              y: at(y),
              r: (one) => (one.isFront ? 5 : 3.2),
              stroke,
              strokeWidth: 1.6,
              fill: (one) => (one.isFront ? stroke(one) : "var(--bg)"),
            }),
            Plot.dot(
              drawn.filter((one) => one.isPicked),
              {x: at(x), y: at(y), r: 10, stroke: "var(--text)", strokeWidth: 1.6},
            ),
            Plot.tip(drawn, Plot.pointer({x: at(x), y: at(y), title, ...tipStyle})),
          ],
          r: {type: "identity"},
        }),
      ),
      names[y],
    );
  }

  // Values with intervals, one below the other, around zero.
  function ranks(box, heading, rows, column, draw) {
    const drawn = rows.filter((one) => !Number.isNaN(one.estimate[column].value));
    if (drawn.length === 0) return;
    const stroke = "var(--c0)";
    const x = (one) => one.estimate[column].value;
    const y = (one) => one.name;
    const x1 = (one) => low(one.estimate[column]);
    const x2 = (one) => high(one.estimate[column]);
    const title = (one) => [one.name, ...one.told, `${one.text[column]}  ${heading}`].join("\n");
    add(
      box,
      Plot.plot(
        look(box, drawn.length * 22 + 50, {
          marginLeft: Math.min(230, box.width / 2),
          marginRight: 16,
          marginTop: 6,
          marginBottom: 38,
          x: {label: heading, labelAnchor: "center", nice: true, zero: true, ticks: 5, tickFormat: tick},
          y: {
            type: "band",
            domain: drawn.map(y),
            label: null,
            tickSize: 0,
            padding: 0.25,
            tickFormat: (name) => fits(name, 210),
          },
          marks: [
            Plot.gridX({stroke: "var(--line)", strokeOpacity: 1, ticks: 5}),
            Plot.ruleX([0], {stroke: "var(--text)"}),
            ...draw(drawn, {x, y, stroke}),
            Plot.ruleY(drawn, {x1, x2, y, stroke: "var(--text)", strokeWidth: 1.4}),
            Plot.tip(drawn, Plot.pointer({x, y, title, ...tipStyle})),
          ],
        }),
      ),
    );
  }

  // ---- keys ----

  // Tables of the same keys, one for each policy that points were made from.
  function byKeys(self, keys) {
    const groups = new Map();
    for (const table of tables(self.figure)) {
      const names = headings(table);
      const id = table.id.replace(/-\d+$/, "");
      if (!groups.has(id)) groups.set(id, {names, rows: []});
      for (const row of body(table)) {
        const text = cells(row);
        const p = Number(table.dataset.p);
        groups.get(id).rows.push({p, text, estimate: text.map(estimate), keys: text.slice(0, keys)});
      }
    }
    return [...groups.values()];
  }

  const known = (rows, column) => rows.filter((row) => !Number.isNaN(row.estimate[column].value));
  const told = (self, row) => (self.key.length > 1 ? `\n${short(self.key[row.p].name)}` : "");

  function curve(box, names, rows, column) {
    const levels = [...new Set(rows.map((row) => row.keys[0]))];
    const drawn = known(rows, column);
    const x = (row) => row.keys[0];
    const y = (row) => row.estimate[column].value;
    const stroke = (row) => box.key[row.p].stroke;
    const room = Math.max(30, (box.width - 80) / levels.length);
    add(
      box,
      Plot.plot(
        look(box, 170, {
          marginLeft: 58,
          marginRight: 14,
          marginTop: 10,
          marginBottom: 36,
          x: {
            type: "point",
            domain: levels,
            label: names[0],
            labelAnchor: "center",
            padding: 0.4,
            tickFormat: (text) => fits(text, room),
          },
          y: {label: null, nice: true, ticks: 4, tickFormat: tick},
          marks: [
            Plot.gridY({stroke: "var(--line)", strokeOpacity: 1, ticks: 4}),
            // Later lines are thinner, so that equal ones show below each other.
            ...box.key.map((policy, p) =>
              Plot.lineY(
                drawn.filter((row) => row.p === p),
                {x, y, stroke: policy.stroke, strokeDasharray: policy.dash, strokeWidth: Math.max(1.2, 4 - 1.6 * p)},
              ),
            ),
            Plot.ruleX(drawn, {
              x,
              y1: (row) => low(row.estimate[column]),
              y2: (row) => high(row.estimate[column]),
              stroke,
              strokeWidth: 2.4,
            }),
            Plot.dot(drawn, {x, y, r: 4, stroke, strokeWidth: 1.6, fill: "var(--bg)"}),
            Plot.tip(
              drawn,
              Plot.pointer({
                x,
                y,
                title: (row) =>
                  `${names[0]} = ${row.keys[0]}: ${row.text[1]} points\n${row.text[column]}  ${names[column]}` +
                  told(box, row),
                ...tipStyle,
              }),
            ),
          ],
        }),
      ),
      names[column],
    );
  }

  // Cells stand at whole numbers, since the library comes without bands that marks fill both ways.
  const axis = (domain, label, labelAnchor, room) => ({
    domain: [-0.5, domain.length - 0.5],
    ticks: domain.map((_, i) => i),
    tickFormat: (i) => fits(domain[i], room),
    tickSize: 0,
    label,
    labelAnchor,
  });
  const fits = (text, room) => (text.length * 6.6 > room ? text.slice(0, Math.max(1, room / 6.6 - 1)) + "…" : text);

  const BETTER = {up: Math.max, down: Math.min};

  // Dark where there is more: one hue over the page's ground, so that its text stays readable in both themes.
  function map(box, names, rows, column, better) {
    const drawn = known(rows, column);
    if (drawn.length === 0) return;
    const values = drawn.map((row) => row.estimate[column].value);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const best = BETTER[better] && least < most ? BETTER[better](...values) : NaN;
    const across = [...new Set(rows.map((row) => row.keys[1]))];
    const down = [...new Set(rows.map((row) => row.keys[0]))];
    const room = Math.floor((box.width - 120) / across.length);
    const x = (row) => across.indexOf(row.keys[1]);
    const y = (row) => down.indexOf(row.keys[0]);
    const value = (row) => row.estimate[column].value;
    const isBest = (row) => value(row) === best;
    add(
      box,
      Plot.plot(
        look(box, down.length * 28 + 62, {
          marginLeft: 106,
          marginRight: 14,
          marginTop: 8,
          marginBottom: 40,
          x: axis(across, names[1], "center", room),
          y: {...axis(down, names[0], "top", 92), reverse: true},
          marks: [
            Plot.rect(drawn, {
              x1: (row) => x(row) - 0.5,
              x2: (row) => x(row) + 0.5,
              y1: (row) => y(row) - 0.5,
              y2: (row) => y(row) + 0.5,
              fill: "var(--c0)",
              fillOpacity: (row) => 0.05 + (0.45 * (value(row) - least)) / (most - least || 1),
              stroke: (row) => (isBest(row) ? "var(--text)" : "var(--line)"),
              strokeWidth: (row) => (isBest(row) ? 2 : 0.5),
              inset: 1,
            }),
            Plot.text(drawn, {
              x,
              y,
              text: (row) => {
                const text = (isBest(row) ? "★ " : "") + row.text[column].split(" ±")[0];
                return text.length * 6.6 > room - 4 ? (isBest(row) ? "★" : "") : text;
              },
              fill: "var(--text)",
            }),
            Plot.tip(
              drawn,
              Plot.pointer({
                x,
                y,
                title: (row) =>
                  `${names[0]} = ${row.keys[0]}\n${names[1]} = ${row.keys[1]}\n` +
                  `${row.text[column]}  ${names[column]}${isBest(row) ? ", the best" : ""}\n${row.text[2]} points` +
                  told(box, row),
                ...tipStyle,
              }),
            ),
          ],
        }),
      ),
      names[column] + (box.key.length > 1 ? `: ${short(box.key[rows[0].p].name)}` : ""),
    );
  }

  // ---- the kinds of chart ----

  return {
    front(self) {
      const {names, points, judges} = readPoints(self);
      if (judges.length < 2) return "Nothing to draw: a front takes two metrics that judge.";
      const box = grid(self);
      for (const y of judges.slice(1, 1 + MAPS_MAX)) scatter(box(), names, points, judges[0], y);
    },

    gains(self) {
      const {names, points, judges} = readPoints(self);
      const box = grid(self);
      if (judges.length > 1)
        for (const y of judges.slice(1, 1 + MAPS_MAX)) scatter(box(), names, points, judges[0], y);
      const rows = points
        .filter((one) => one.isFront)
        .slice(0, RANKS_MAX)
        .map((one) => ({...one, name: one.name + (one.isPicked ? " ★" : ""), told: one.keys}));
      if (rows.length === 0) return "No point beats the base, so there is no front to draw.";
      for (const column of judges)
        ranks(box(), names[column], rows, column, (drawn, {x, y, stroke}) => [
          Plot.dot(drawn, {x, y, r: 5, stroke, fill: (one) => (one.isPicked ? stroke : "var(--bg)"), strokeWidth: 1.8}),
        ]);
    },

    sensitivity(self) {
      const table = tables(self.figure)[0];
      const names = headings(table);
      const rows = body(table)
        .slice(0, RANKS_MAX)
        .map((row) => {
          const text = cells(row);
          const name = `${text[0].replace(/^.*\./, "")} → ${text[1]}`;
          return {name, told: [text[0]], text, estimate: text.map(estimate)};
        });
      const box = grid(self);
      for (let column = 2; column < names.length; column++)
        ranks(box(), names[column], rows, column, (drawn, {x, y, stroke}) => [
          Plot.barX(drawn, {x, y, fill: stroke, fillOpacity: 0.55}),
        ]);
    },

    effects(self) {
      const box = grid(self);
      const shown = self.figure.dataset.columns.split(" ").map(Number);
      for (const {names, rows} of byKeys(self, 1)) {
        if (new Set(rows.map((row) => row.keys[0])).size < 2) continue;
        for (const m of shown) curve(box(), names, rows, 2 + m);
      }
    },

    heat(self) {
      const box = grid(self);
      const shown = self.figure.dataset.columns.split(" ").map(Number);
      const better = self.figure.dataset.better.split(" ");
      for (const {names, rows} of byKeys(self, 2)) {
        for (const p of new Set(rows.map((row) => row.p))) {
          const own = rows.filter((row) => row.p === p);
          shown.forEach((m, i) => map(box(), names, own, 3 + m, better[i]));
        }
      }
    },
  };
})();
