// The board of every game: a picture from the server, on which stones and marks are drawn here.

import { h } from "../ui/dom.js";

const NS = "http://www.w3.org/2000/svg";
const UNIT = 40;
// Sizes of letters: on the screen, in pixels; at most, and as the server places them, in units of the picture.
const LETTERS_PX = 12, MOST_LETTERS = 25, PLACED = 16;
const LEAVING_MS = 240, WHY_MS = 5000;
const NAME_RISE = 5.6, NAME_ROOM = 14; // of the name of a line: its centre above its foot, the room around its centre

// Marks around the middle of a point.
const SHAPES = {
  triangle: "m0 -9l9 15h-18Z", square: "m-7 -7h14v14h-14Z", cross: "m-8 -8l16 16m0 -16l-16 16", diamond: "m0 -9l9 9l-9 9l-9 -9Z",
  circle: "m-8 0a8 8 0 1 0 16 0a8 8 0 1 0 -16 0",
};

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

let made = 0;

export class Board {
  id = `b${++made}`;
  stones = {};
  cursor = null;
  /** @type {Record<string, SVGElement>} */
  layers = {};
  /** @type {Record<string, { stone: SVGElement, shadow: SVGElement, colour: string }>} */
  discs = {};
  /** @type {any} */
  shown = {};

  // `describe` is the answer of /api/describe. `handlers.choose(vertex, event)` is called when a point is chosen,
  // `handlers.mark(vertex)` when it is marked, `handlers.tell(vertex)` when the keyboard reaches it.
  constructor(describe, handlers = {}) {
    this.describe = describe;
    this.handlers = handlers;
    this.picture = describe.picture;
    this.element = this.#frame();
    this.letters = [...this.element.querySelectorAll("text")];
    new ResizeObserver(() => this.#fitLetters()).observe(this.element);
    if (handlers.choose) this.#listen();
  }

  /** The width of the board as a multiple of its height. */
  get ratio() {
    return this.box[2] / this.box[3];
  }

  at(vertex) {
    const [, [x, y]] = this.describe.points[vertex];
    const [left, top] = this.picture.origin;
    return [left + x * UNIT, top + y * UNIT];
  }

  // Keep the names of lines readable on a small board.
  #fitLetters() {
    const scale = this.element.getBoundingClientRect().width / this.box[2];
    if (!scale) return;
    const size = Math.min(MOST_LETTERS, LETTERS_PX / scale);
    this.element.style.fontSize = `${size}px`;
    for (const text of this.letters) text.setAttribute("dy", String(0.35 * (size - PLACED)));
  }

  // -- the fixed parts ----------------------------------------------------------------------------------------------

  #frame() {
    // Unique names: otherwise hiding one board would remove the gradients that others share.
    const text = this.picture.svg.replaceAll("gv-", this.id);
    /** @type {any} */
    const root = document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
    for (const name of ["width", "height", "role"]) root.removeAttribute(name);
    root.querySelector("title").remove();
    root.classList.add("board", this.describe.name);
    this.#frameEvenly(root);
    this.layers.faces = root.querySelector(`#${this.id}faces`);
    this.layers.faces.classList.add("faces");
    for (const name of ["lit", "shadows", "stones", "pending", "marks", "over", "cursor"]) {
      this.layers[name] = svg("g", { class: name });
      root.append(this.layers[name]);
    }
    return root;
  }

  // Give the wood equal margins on its four sides, with room for the names of lines.
  #frameEvenly(root) {
    const points = Object.keys(this.describe.points).map((vertex) => this.at(vertex));
    const names = [...root.querySelectorAll("text")].map((text) => [Number(text.getAttribute("x")), Number(text.getAttribute("y")) - NAME_RISE]);
    const ends = [0, 1].flatMap((axis) => {
      const [ours, named] = [points, names].map((places) => places.map((place) => place[axis]));
      const low = Math.min(...ours), high = Math.max(...ours);
      return [[low, low - Math.min(...named)], [high, Math.max(...named) - high]];
    });
    const margin = Math.max(UNIT * 0.75, ...ends.map(([, room]) => room + NAME_ROOM));
    const [left, right, top, bottom] = ends.map(([end]) => end);
    this.box = [left - margin, top - margin, right - left + 2 * margin, bottom - top + 2 * margin];
    root.setAttribute("viewBox", this.box.join(" "));
    ["x", "y", "width", "height"].forEach((name, index) => root.querySelector("rect").setAttribute(name, String(this.box[index])));
  }

  // -- the position -------------------------------------------------------------------------------------------------

  // Show a position:
  // * stones {vertex: colour}; last and cursor, vertices; pending and planned {at, colour}: a stone played but not confirmed,
  //   a stone for the next turn
  // * lists of vertices: open, band (the lines of the open points), tried, marked, atari, dead, proposed, faces, losing, legal
  // * guesses {vertex: colour}; hints [{at, part}]; owners {vertex: -1 to 1}; numbers {vertex: text}
  // * hidden {vertex: 0 to 1}: the probability of a stone of `hiddenColour`; ghost: the colour of the stone under the pointer
  // * shapes {triangle, square, circle, cross: vertices}; labels {vertex: text}; line [{at, colour, text}]: a variation
  // * animate: whether changes are animated
  draw(shown) {
    this.shown = shown;
    this.#stones(shown);
    this.#pending(shown);
    this.#lit(shown);
    this.#faces(shown);
    this.#marks(shown);
    this.#over(shown);
    this.#cursor();
    this.element.classList.toggle("playable", Boolean(shown.legal?.length));
  }

  #stones({ stones, animate, dead = [], proposed = [] }) {
    for (const [vertex, { stone, shadow, colour }] of Object.entries(this.discs)) {
      if (stones[vertex] === colour) continue;
      const isLeaving = animate && !stones[vertex];
      shadow.remove();
      delete this.discs[vertex];
      stone.classList.toggle("leaving", isLeaving);
      if (isLeaving) setTimeout(() => stone.remove(), LEAVING_MS);
      else stone.remove();
    }
    for (const [vertex, colour] of Object.entries(stones)) {
      if (this.discs[vertex]) continue;
      const [cx, cy] = this.at(vertex), shadow = svg("circle", { cx: cx + 0.8, cy: cy + 2.2, r: this.picture.radius });
      const stone = this.#stone(vertex, `stone ${colour}${animate && this.waited !== vertex ? " coming" : ""}`, colour);
      this.layers.shadows.append(shadow);
      this.layers.stones.append(stone);
      this.discs[vertex] = { stone, shadow, colour };
    }
    this.stones = stones;
    for (const [vertex, { stone }] of Object.entries(this.discs)) stone.classList.toggle("gone", dead.includes(vertex) || proposed.includes(vertex));
  }

  #pending({ pending, planned, stones }) {
    this.waited = pending?.at;
    const stone = (put, name) => put && !stones[put.at] ? [this.#stone(put.at, `stone ${put.colour} ${name}`, put.colour)] : [];
    this.layers.pending.replaceChildren(...stone(pending, "sent"), ...stone(planned, "planned"), ...(planned ? [this.#shape("diamond", planned.at, "plan")] : []));
  }

  // Show the open lines as a pale band on darker wood, with a dot on each point to play.
  #lit({ open = [], band = [] }) {
    const [x, y, width, height] = this.box;
    this.layers.lit.replaceChildren(
      ...(band.length ? [svg("rect", { x, y, width, height, class: "shut" })] : []),
      ...band.map((vertex) => {
        const [left, top] = this.at(vertex).map((middle) => middle - UNIT / 2);
        return svg("rect", { x: left, y: top, width: UNIT, height: UNIT, class: "band" });
      }),
      ...open.map((vertex) => this.#disc(vertex, 6.2, "open")));
  }

  #stone(vertex, name, colour) {
    return this.#disc(vertex, this.picture.radius, name, { fill: `url(#${this.id}${colour})` });
  }

  #disc(vertex, r, name, more = {}) {
    const [cx, cy] = this.at(vertex);
    return svg("circle", { cx, cy, r, class: name, ...more });
  }

  #faces({ marked = [], stones }) {
    const immune = new Set(marked);
    const faces = this.picture.faces.filter(
      (face) => face.every((v) => immune.has(v)) && new Set(face.map((v) => stones[v])).size === 1);
    this.layers.faces.replaceChildren(...faces.map((face) =>
      svg("path", { d: `M${face.map((v) => this.at(v).join(" ")).join("L")}Z` })));
  }

  #marks({ last, marked = [], tried = [], atari = [], dead = [], proposed = [], losing = [], stones }) {
    const circles = (vertices, r, name) => vertices.map((vertex) => this.#disc(vertex, r, name));
    const crosses = (vertices, name) => vertices.map((vertex) => this.#shape("cross", vertex, name)), isFree = (vertex) => !stones[vertex];
    this.layers.marks.replaceChildren(
      ...circles(marked, 14, "won"), ...circles(atari, this.picture.radius - 1.5, "atari"),
      ...crosses(tried.filter(isFree), "tried"), ...crosses(losing.filter(isFree), "losing"), ...crosses(dead, "dead"), ...crosses(proposed, "dead proposed"),
      ...circles(last && stones[last] ? [last] : [], 7.5, `last on-${stones[last]}`));
  }

  #over({ guesses = {}, hints = [], numbers = {}, owners = {}, hidden = {}, hiddenColour, shapes = {}, labels = {}, line = [] }) {
    const { stones, picture: { radius }, describe: { points } } = this, ground = (vertex) => `on-${stones[vertex] ?? "wood"}`;
    const each = (marks, draw) => Object.entries(marks).flatMap(([key, mark]) => draw(key, mark));
    const free = (marks) => Object.fromEntries(Object.entries(marks).filter(([vertex]) => !stones[vertex]));
    this.layers.over.replaceChildren(
      ...each(shapes, (shape, vertices) => vertices.map((vertex) => this.#shape(shape, vertex, `shape ${ground(vertex)}`))),
      ...each(labels, (vertex, text) => this.#text(vertex, text, `label ${ground(vertex)}`)),
      ...line.filter(({ at }) => points[at]).flatMap(({ at, colour, text }) => [this.#disc(at, radius - 2, `instead ${colour}`), this.#text(at, text, `label on-${colour}`)]),
      ...each(free(hidden), (vertex, odd) => [
        ...(odd >= 0.05 ? [this.#disc(vertex, radius - 2, `likely ${hiddenColour}`, { "fill-opacity": (0.15 + 0.75 * odd).toFixed(2) })] : []),
        ...(odd >= 0.1 ? [this.#text(vertex, String(Math.round(100 * odd)), "of-line")] : [])]),
      ...each(owners, (vertex, share) => (hints.some(({ at }) => at === vertex) ? [] : this.#owner(vertex, share))),
      ...each(free(guesses), (vertex, colour) => this.#disc(vertex, radius - 3, `guess ${colour}`)),
      ...hints.filter(({ at }) => points[at]).flatMap(({ at, part }) => [this.#disc(at, radius - 2, "hint"), this.#text(at, String(Math.round(100 * part)), "of-hint")]),
      ...each(numbers, (vertex, text) => this.#text(vertex, text, "of-line")));
  }

  // Return the mark of a point's owner, if it is likely; points whose owner has a stone there need no mark.
  #owner(vertex, share) {
    const [x, y] = this.at(vertex), half = 3 + 5 * Math.abs(share), colour = share > 0 ? "b" : "w";
    if (Math.abs(share) < 0.2 || this.stones[vertex] === colour) return [];
    return [svg("rect", { x: x - half, y: y - half, width: 2 * half, height: 2 * half, rx: 2, class: `owned ${colour}` })];
  }

  // Show for a while, beside a point, why it cannot be played.
  explain(vertex, words) {
    this.element.parentElement?.querySelector(".why")?.remove();
    if (!this.describe.points[vertex] || !this.element.parentElement) return;
    const [x, y] = this.at(vertex), frame = this.element.parentElement.getBoundingClientRect();
    const place = new DOMPoint(x, y).matrixTransform(/** @type {any} */ (this.element).getScreenCTM());
    // The reason is announced already.
    const isHigh = place.y - frame.y < 90, bubble = h("p", { class: `why${isHigh ? " below" : ""}`, "aria-hidden": "true" }, words);
    bubble.style.top = `${place.y - frame.y + (isHigh ? 1 : -1) * this.step() * 0.6}px`;
    this.element.parentElement.append(bubble);
    const half = bubble.offsetWidth / 2;
    bubble.style.left = `${Math.min(Math.max(place.x - frame.x, half), frame.width - half)}px`;
    setTimeout(() => bubble.remove(), WHY_MS);
  }

  #shape(shape, vertex, name) {
    const [x, y] = this.at(vertex);
    return svg("path", { d: `M${x} ${y}${SHAPES[shape] ?? SHAPES.circle}`, class: name });
  }

  #text(vertex, words, name) {
    const [x, y] = this.at(vertex);
    return svg("text", { x, y: y + 4.5, class: name }, words);
  }

  // -- pointer and keys ---------------------------------------------------------------------------------------------

  nearest(event) {
    const matrix = this.element.getScreenCTM();
    if (!matrix) return null;
    const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    return this.#closest(([x, y]) => Math.hypot(x - place.x, y - place.y), UNIT * 0.6);
  }

  // Return the point for whose place `far` is least, and less than `most`; null if there is none.
  #closest(far, most = Infinity) {
    let best = null;
    for (const vertex of Object.keys(this.describe.points)) {
      const least = far(this.at(vertex));
      if (least < most) [best, most] = [vertex, least];
    }
    return best;
  }

  // Return the distance between two points in screen pixels.
  step() {
    return this.element.getBoundingClientRect().width / this.box[2] * UNIT;
  }

  #listen() {
    const root = this.element;
    root.setAttribute("tabindex", "0");
    root.setAttribute("role", "application");
    // Show the frame around the board to keyboard users only.
    for (const [name, isPointer] of Object.entries({ pointerdown: true, keydown: false, blur: false })) {
      root.addEventListener(name, () => root.classList.toggle("by-pointer", isPointer));
    }
    // On small points a finger moves the cross-hair until it is lifted.
    const isFine = (event) => event.pointerType === "touch" && root.classList.contains("fine");
    for (const name of ["pointerdown", "pointermove"]) {
      root.addEventListener(name, (event) => {
        if (event.pointerType === "mouse" || isFine(event)) this.point(this.nearest(event));
      });
    }
    root.addEventListener("pointerup", (event) => {
      if (isFine(event) && this.cursor) this.handlers.choose(this.cursor, event);
    });
    // Such a finger neither scrolls nor clicks; the fling after a drag would swallow the next tap.
    for (const name of ["touchmove", "touchend"]) {
      root.addEventListener(name, (event) => {
        if (root.classList.contains("fine")) event.preventDefault();
      }, { passive: false });
    }
    root.addEventListener("pointerleave", (event) => {
      if (!isFine(event)) this.point(null);
    });
    root.addEventListener("click", (event) => {
      const vertex = this.nearest(event);
      if (vertex) this.handlers.choose(vertex, event);
    });
    root.addEventListener("contextmenu", (event) => {
      if (event.pointerType === "touch") {
        // A resting finger looks for a point, so it must not open a menu.
        event.preventDefault();
        return;
      }
      const vertex = this.nearest(event);
      if (vertex && this.handlers.mark?.(vertex)) event.preventDefault();
    });
    root.addEventListener("keydown", (event) => this.#key(event));
    root.addEventListener("blur", () => this.point(null));
  }

  #key(event) {
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const way = ways[event.key];
    if (way) {
      this.point(this.#step(way));
      this.handlers.tell?.(this.cursor);
    } else if ((event.key === "Enter" || event.key === " ") && this.cursor) {
      this.handlers.choose(this.cursor, event);
    } else if (event.key.toLowerCase() === "m" && this.cursor && !event.ctrlKey && !event.metaKey) {
      this.handlers.mark?.(this.cursor);
    } else {
      return;
    }
    event.preventDefault();
  }

  // Return the nearest point in a direction, or the central point if there is no cursor.
  #step([dx, dy]) {
    const places = Object.keys(this.describe.points).map((v) => this.at(v));
    const middle = (numbers) => (Math.min(...numbers) + Math.max(...numbers)) / 2;
    const [x, y] = this.cursor ? this.at(this.cursor) : [middle(places.map((p) => p[0])), middle(places.map((p) => p[1]))];
    return this.#closest(([px, py]) => {
      const along = (px - x) * dx + (py - y) * dy, across = Math.abs((px - x) * dy) + Math.abs((py - y) * dx);
      if (!this.cursor) return Math.hypot(px - x, py - y);
      // A point more to the side belongs to another arrow key, so skip it.
      return along < 1 || across > along ? Infinity : along + 1.5 * across;
    }) ?? this.cursor;
  }

  point(vertex) {
    if (vertex === this.cursor) return;
    this.cursor = vertex;
    this.#cursor();
    this.handlers.over?.(vertex);
  }

  #cursor() {
    const { legal = [], ghost, marking } = this.shown, vertex = this.cursor;
    this.layers.cursor.replaceChildren();
    if (!vertex) return;
    const [x, y] = this.at(vertex), [left, top, width, height] = this.box;
    const drawn = [this.#disc(vertex, this.picture.radius + 2, "ring"), svg("path", { class: "hair", d: `M${left} ${y}h${width}M${x} ${top}v${height}` })];
    if (ghost && !marking && legal.includes(vertex)) drawn.push(this.#stone(vertex, "ghost", ghost));
    this.layers.cursor.replaceChildren(...drawn);
  }
}
