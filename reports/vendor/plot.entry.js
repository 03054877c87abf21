// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of Observable Plot that reports use; everything else is left out of the bundle.
export {axisX, axisY, barX, barY, dot, frame, gridX, gridY, lineY, plot, rectX, ruleX, ruleY, text, tip, pointer,
  pointerX, crosshairX, stackY, areaY, link, rect} from "@observablehq/plot";
