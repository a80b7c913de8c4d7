// Dice: their faces, their fall, and the lines they open.

import { h } from "../ui/dom.js";
import { say } from "../ui/words.js";
import { svg } from "./board.js";

const PIPS = {
  1: [[0, 0]], 2: [[-1, -1], [1, 1]], 3: [[-1, -1], [0, 0], [1, 1]], 4: [[-1, -1], [1, 1], [-1, 1], [1, -1]],
  5: [[-1, -1], [1, 1], [-1, 1], [1, -1], [0, 0]], 6: [[-1, -1], [1, 1], [-1, 1], [1, -1], [-1, 0], [1, 0]],
};

// Return one die that shows a face.
function die(face, sides) {
  const root = svg("svg", { viewBox: "-22 -22 44 44", class: "die", "aria-hidden": "true" },
    svg("rect", { x: -20, y: -20, width: 40, height: 40, rx: 9 }));
  const pips = sides <= 6 && PIPS[face]?.map(([x, y]) => svg("circle", { cx: x * 10.5, cy: y * 10.5, r: 4.1 }));
  root.append(...(pips || [svg("text", { y: 8 }, String(face))]));
  return root;
}

/** Return dice that show their faces, at once or after a roll. @param {number[]} faces @param {number} sides @param {boolean} isRolled */
export function shownDice(faces, sides, isRolled = false) {
  const dice = h("div", { class: `dice${isRolled ? " rolling" : ""}` }, faces.map((face) => die(face, sides)));
  if (isRolled) roll(dice, faces, sides);
  return dice;
}

// Animate the fall of the dice on the screen.
function roll(dice, faces, sides) {
  let left = 6;
  const turn = setInterval(() => {
    const shown = --left ? faces.map(() => 1 + Math.floor(Math.random() * sides)) : faces;
    dice.replaceChildren(...shown.map((face) => die(face, sides)));
    if (!left) {
      clearInterval(turn);
      dice.classList.remove("rolling");
    }
  }, 75);
}

// Return the lines that a draw opens, in words.
export const openLines = (lines) => say(lines.length > 1 ? "lines" : lines.length ? "line" : "no lines", { lines: lines.join(", ") });

/**
 * Return all points on the open lines as `band`, and the empty points among them as `open`.
 * @param {Record<string, number> | undefined} lines the line of each point, in a game with dice
 * @param {{ open: number[] } | null | undefined} draw
 * @param {Record<string, string>} stones
 */
export function openPoints(lines, draw, stones) {
  const band = draw && lines ? Object.keys(lines).filter((vertex) => draw.open.includes(lines[vertex])) : [];
  return { band, open: band.filter((vertex) => !stones[vertex]) };
}
