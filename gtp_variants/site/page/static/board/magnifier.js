// A magnifier for small points: while a finger rests on the board, it shows the place under the finger enlarged. The
// stone is played where the finger is lifted.

import { svg } from "./board.js";

const GLASS_PX = 120; // width of the magnifier
const POINTS = 5; // points shown across
const UNIT = 40;
const HOLD_MS = 120; // shorter touches are taps

export class Magnifier {
  /**
   * @param {import("./board.js").Board} board
   * @param {(vertex: string) => void} choose
   */
  constructor(board, choose) {
    this.board = board;
    this.choose = choose;
    /** @type {any} */
    this.glass = null;
    this.isHeld = false;
    const root = board.element;
    root.addEventListener("touchstart", (event) => this.#begin(event), { passive: true });
    root.addEventListener("touchmove", (event) => this.#move(event), { passive: false });
    root.addEventListener("touchend", (event) => this.#end(event), { passive: false });
    root.addEventListener("touchcancel", () => this.#close());
  }

  #begin(event) {
    this.#close();
    if (event.touches.length !== 1) return;
    const touch = event.touches[0];
    this.start = { x: touch.clientX, y: touch.clientY };
    this.holding = setTimeout(() => this.#open(touch), HOLD_MS);
  }

  #open(touch) {
    this.isHeld = true;
    const size = POINTS * UNIT;
    this.glass = svg("svg", { class: "glass", viewBox: `0 0 ${size} ${size}`, width: GLASS_PX, height: GLASS_PX, "aria-hidden": "true" });
    document.body.append(this.glass);
    this.#show(touch);
  }

  #move(event) {
    const touch = event.touches[0];
    if (!this.isHeld) {
      // A finger that moves at once scrolls the page, so show no magnifier.
      if (Math.hypot(touch.clientX - this.start.x, touch.clientY - this.start.y) > 10) clearTimeout(this.holding);
      return;
    }
    event.preventDefault();
    this.#show(touch);
  }

  #show(touch) {
    const { board, glass } = this;
    const vertex = board.nearest(touch);
    board.point(vertex);
    const matrix = board.element.getScreenCTM().inverse();
    const place = vertex ? new DOMPoint(...board.at(vertex)) : new DOMPoint(touch.clientX, touch.clientY).matrixTransform(matrix);
    const half = (POINTS * UNIT) / 2;
    glass.setAttribute("viewBox", `${place.x - half} ${place.y - half} ${2 * half} ${2 * half}`);
    const copy = board.element.cloneNode(true);
    for (const name of ["class", "width", "height", "role", "tabindex", "aria-label"]) copy.removeAttribute(name);
    const [x, y, width, height] = board.box;
    for (const [name, value] of Object.entries({ x, y, width, height })) copy.setAttribute(name, String(value));
    glass.replaceChildren(copy);
    glass.style.left = `${Math.min(Math.max(touch.clientX - GLASS_PX / 2, 4), innerWidth - GLASS_PX - 4)}px`;
    glass.style.top = `${Math.max(4, touch.clientY - GLASS_PX - 45)}px`;
    this.vertex = vertex;
  }

  #end(event) {
    clearTimeout(this.holding);
    if (!this.isHeld) return;
    // Prevent the click that would follow.
    event.preventDefault();
    const { vertex } = this;
    this.#close();
    if (vertex) this.choose(vertex);
  }

  #close() {
    clearTimeout(this.holding);
    this.isHeld = false;
    this.glass?.remove();
    this.glass = null;
  }
}
