// SPDX-License-Identifier: GPL-3.0-or-later
// The page: draws its figures, switches themes, folds tables away and unfolds them for printing.
"use strict";
(() => {
  const KINDS = {...Charts, ...SearchCharts, ...FitCharts};
  const DASH = ["none", "6 3", "2 3", "9 3 2 3"];

  function readKey(section) {
    return [...section.querySelectorAll(".key li")].map((item) => {
      const colour = Number(item.dataset.colour);
      return {
        name: item.querySelector("span").textContent,
        stroke: `var(--c${colour % 8})`,
        dash: DASH[Math.floor(colour / 8) % 4],
      };
    });
  }

  function readPhases(section) {
    const list = section.querySelector(".spans");
    if (!list) return null; // sweeps and fits have none
    const end = Number(list.dataset.end);
    const starts = [...list.children].map((item) => ({name: item.textContent, from: Number(item.dataset.at)}));
    const faults = [...section.querySelectorAll(".faults li")].map((item) => ({
      name: item.textContent,
      from: Number(item.dataset.from),
      until: Number(item.dataset.until),
      weight: Number(item.dataset.weight),
    }));
    return {
      end,
      faults,
      spans: starts.map((span, i) => ({...span, until: i + 1 < starts.length ? starts[i + 1].from : end})),
    };
  }

  // ---- the page ----

  function draw(figure) {
    const section = figure.closest("section");
    const into = figure.querySelector(".plot");
    const scroll = into.style.minHeight;
    into.style.minHeight = `${into.offsetHeight}px`;
    into.replaceChildren();
    const self = {
      figure,
      into,
      width: Math.max(300, figure.clientWidth),
      key: readKey(section),
      phases: readPhases(section),
    };
    const why = KINDS[figure.dataset.chart](self);
    if (why) Object.assign(into.appendChild(document.createElement("p")), {className: "note", textContent: why});
    into.style.minHeight = scroll;
    into.setAttribute("role", "img");
    into.setAttribute(
      "aria-label",
      `Chart: ${figure.querySelector("h3").textContent}. Its numbers are in the tables below.`,
    );
  }

  // A table that scrolls sideways can be reached by keyboard; one that fits is no stop on the way.
  function reachScrollers() {
    for (const box of document.querySelectorAll(".scroll")) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  }

  const figures = [...document.querySelectorAll("figure[data-chart]")];
  let waiting = [];

  function drawAll(atOnce) {
    const step = () => {
      const until = performance.now() + (atOnce ? Infinity : 30);
      while (waiting.length > 0 && performance.now() < until) draw(waiting.shift());
      if (waiting.length > 0) setTimeout(step);
      else {
        reachScrollers();
        document.documentElement.dataset.drawn = "yes";
      }
    };
    step();
  }

  function addThemes() {
    const tools = document.getElementById("tools");
    const names = {light: "Dark theme", dark: "Light theme"};
    const isDark = () =>
      document.documentElement.dataset.theme === "dark" ||
      (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
    const button = tools.appendChild(document.createElement("button"));
    button.type = "button";
    button.id = "theme";
    const say = () => (button.textContent = names[isDark() ? "dark" : "light"]);
    button.addEventListener("click", () => {
      document.documentElement.dataset.theme = isDark() ? "light" : "dark";
      say();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", say);
    say();
    tools.hidden = false;
  }

  addThemes();
  for (const figure of figures) {
    const section = figure.closest("section");
    Saving.add(figure, `${section.id}-${figure.dataset.chart}`);
  }
  const folded = [...document.querySelectorAll("details.data:not(.urgent)")];
  for (const details of folded) {
    details.open = false;
    details.addEventListener("toggle", reachScrollers);
  }
  let open = [];
  addEventListener("beforeprint", () => {
    drawAll(true);
    open = folded.filter((details) => !details.open);
    for (const details of open) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of open) details.open = false;
  });
  let width = 0,
    timer = 0;
  new ResizeObserver(() => {
    const now = document.getElementById("main").clientWidth;
    if (now === width) return;
    width = now;
    clearTimeout(timer);
    timer = setTimeout(() => {
      waiting = figures.slice();
      drawAll(false);
    }, 60);
  }).observe(document.getElementById("main"));
})();
