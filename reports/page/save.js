// SPDX-License-Identifier: GPL-3.0-or-later
// Saves a figure's drawings as one SVG or PNG, in the colours of the theme that is on.
"use strict";
const Saving = (() => {
  const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif';

  function resolved(svg) {
    const copy = svg.cloneNode(true);
    const style = getComputedStyle(document.documentElement);
    const resolve = (text) => text.replace(/var\((--[a-z0-9]+)\)/g, (_, name) => style.getPropertyValue(name).trim());
    for (const element of [copy, ...copy.querySelectorAll("*")]) {
      for (const attribute of [...element.attributes]) {
        if (attribute.value.includes("var(--")) element.setAttribute(attribute.name, resolve(attribute.value));
      }
    }
    for (const tip of copy.querySelectorAll("[aria-label=tip]")) tip.remove();
    return copy;
  }

  // All drawings of a figure in one, one below the other as they stand, with their headings.
  function picture(figure) {
    const frame = figure.querySelector(".plot").getBoundingClientRect();
    const style = getComputedStyle(document.documentElement);
    const NS = "http://www.w3.org/2000/svg";
    const root = document.createElementNS(NS, "svg");
    const say = (text, x, y, size, weight) => {
      const element = root.appendChild(document.createElementNS(NS, "text"));
      element.setAttribute("x", x);
      element.setAttribute("y", y);
      element.setAttribute("fill", style.getPropertyValue("--text").trim());
      element.setAttribute("style", `font: ${weight} ${size}px ${FONT.replaceAll('"', "'")}`);
      element.textContent = text;
    };
    const width = Math.ceil(frame.width) + 24,
      height = Math.ceil(frame.height) + 64;
    root.setAttribute("xmlns", NS);
    root.setAttribute("width", width);
    root.setAttribute("height", height);
    root.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const ground = root.appendChild(document.createElementNS(NS, "rect"));
    ground.setAttribute("width", "100%");
    ground.setAttribute("height", "100%");
    ground.setAttribute("fill", style.getPropertyValue("--bg").trim());
    say(figure.querySelector("h3").textContent, 12, 26, 17, 650);
    for (const element of figure.querySelectorAll(".plot h4, .plot .legend span")) {
      const box = element.getBoundingClientRect();
      say(element.textContent, box.left - frame.left + 12, box.bottom - frame.top + 44, 13, 600);
    }
    for (const svg of figure.querySelectorAll(".plot svg")) {
      const box = svg.getBoundingClientRect();
      const copy = resolved(svg);
      copy.setAttribute("x", box.left - frame.left + 12);
      copy.setAttribute("y", box.top - frame.top + 48);
      copy.setAttribute("width", box.width);
      copy.setAttribute("height", box.height);
      root.append(copy);
    }
    return {text: new XMLSerializer().serializeToString(root), width, height};
  }

  function download(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  function savePng(image, name) {
    const drawn = new Image();
    drawn.onload = () => {
      const canvas = document.createElement("canvas");
      canvas.width = 2 * image.width;
      canvas.height = 2 * image.height;
      const context = canvas.getContext("2d");
      context.scale(2, 2);
      context.drawImage(drawn, 0, 0);
      canvas.toBlob((blob) => download(blob, name), "image/png");
    };
    drawn.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(image.text);
  }

  function addSaving(figure, name) {
    const box = document.createElement("div");
    box.className = "save";
    for (const kind of ["SVG", "PNG"]) {
      const button = box.appendChild(document.createElement("button"));
      button.type = "button";
      button.textContent = `Save ${kind}`;
      button.addEventListener("click", () => {
        const image = picture(figure);
        if (kind === "SVG") download(new Blob([image.text], {type: "image/svg+xml"}), `${name}.svg`);
        else savePng(image, `${name}.png`);
      });
    }
    figure.prepend(box);
  }

  return {FONT, add: addSaving};
})();
