// One board for all games, drawn in SVG from what the server describes: lines, honeycomb or hexagon cells.

const NS = "http://www.w3.org/2000/svg";
const UNIT = 40;
const HEX = 1 / Math.sqrt(3);

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

let made = 0;

export class Board {
  // `describe` is the answer of /api/describe. `handlers.choose(vertex, event)` is called for a point that is chosen,
  // `handlers.mark(vertex)` for one that is marked, `handlers.tell(vertex)` for the one the keyboard has come to.
  constructor(describe, handlers = {}) {
    this.describe = describe;
    this.handlers = handlers;
    this.id = `b${++made}`;
    this.stones = {};
    this.cursor = null;
    this.near = {};
    for (const [a, b] of describe.edges) {
      (this.near[a] ??= []).push(b);
      (this.near[b] ??= []).push(a);
    }
    this.hasCells = describe.geometry === "hex" && !describe.faces;
    this.layers = {};
    this.element = this.#frame();
    if (handlers.choose) this.#listen();
  }

  at(vertex) {
    const [, [x, y]] = this.describe.points[vertex];
    return [x * UNIT, y * UNIT];
  }

  // -- what never changes ----------------------------------------------------------------------------------------------

  #frame() {
    const places = Object.keys(this.describe.points).map((v) => this.at(v));
    const xs = places.map((p) => p[0]), ys = places.map((p) => p[1]);
    const edge = UNIT * (this.describe.geometry === "hex" ? 1.55 : 1.35);
    const [left, top] = [Math.min(...xs) - edge, Math.min(...ys) - edge];
    this.box = [left, top, Math.max(...xs) + edge - left, Math.max(...ys) + edge - top];
    const root = svg("svg", { viewBox: this.box.join(" "), class: "board" });
    root.append(this.#definitions(), this.#wood());
    for (const name of ["grid", "labels", "lit", "faces", "shadows", "stones", "marks", "over", "cursor"]) {
      this.layers[name] = svg("g", { class: name });
      root.append(this.layers[name]);
    }
    this.#grid();
    this.#labels();
    return root;
  }

  #definitions() {
    const stops = (...colours) =>
      colours.map(([offset, colour]) => svg("stop", { offset, "stop-color": colour }));
    const round = (name, ...colours) =>
      svg("radialGradient", { id: `${this.id}${name}`, cx: 0.36, cy: 0.3, r: 0.78 }, ...stops(...colours));
    return svg("defs", {},
      svg("linearGradient", { id: `${this.id}wood`, x2: 0.3, y2: 1 },
        ...stops([0, "#e9c685"], [0.55, "#dfb46c"], [1, "#cf9d54"])),
      round("b", [0, "#71706c"], [0.25, "#3b3a38"], [1, "#0c0b0b"]),
      round("w", [0, "#ffffff"], [0.6, "#f6f2e8"], [1, "#cfc6b4"]),
      round("r", [0, "#ee8674"], [0.35, "#c93a2b"], [1, "#701410"]));
  }

  #wood() {
    const [x, y, width, height] = this.box;
    const group = svg("g", { class: "wood" },
      svg("rect", { x: x + 1, y: y + 1, width: width - 2, height: height - 2, rx: 10, fill: `url(#${this.id}wood)` }));
    let seed = 7;
    const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
    for (let i = 0; i < 16; i++) {
      const at = y + height * (0.03 + 0.94 * random());
      const [a, b] = [(random() - 0.5) * 30, (random() - 0.5) * 30];
      group.append(svg("path", {
        class: "grain",
        "stroke-width": (0.6 + 1.6 * random()).toFixed(1),
        d: `M${x + 3} ${at.toFixed(1)}c${width * 0.3} ${a.toFixed(1)} ${width * 0.65} ${b.toFixed(1)} ${width - 6} ${(a / 2).toFixed(1)}`,
      }));
    }
    return group;
  }

  #grid() {
    const grid = this.layers.grid;
    if (this.hasCells) {
      for (const vertex of Object.keys(this.describe.points)) {
        grid.append(svg("path", { class: "cell", d: this.#hexagon(...this.at(vertex)) }));
      }
      return;
    }
    const path = this.describe.edges.map(([a, b]) => `M${this.at(a).join(" ")}L${this.at(b).join(" ")}`).join("");
    grid.append(svg("path", { class: this.describe.faces ? "line comb" : "line", d: path }));
    for (const vertex of this.#stars()) {
      const [cx, cy] = this.at(vertex);
      grid.append(svg("circle", { class: "star", cx, cy, r: 3.6 }));
    }
  }

  #hexagon(x, y, part = 1) {
    const r = UNIT * HEX * part;
    const corners = [[0, r], [0.866 * r, r / 2], [0.866 * r, -r / 2], [0, -r], [-0.866 * r, -r / 2], [-0.866 * r, r / 2]];
    return `M${corners.map(([dx, dy]) => `${(x + dx).toFixed(1)} ${(y + dy).toFixed(1)}`).join("L")}Z`;
  }

  #stars() {
    const [width, height] = this.describe.grid;
    if (this.describe.geometry !== "rect" || Math.min(width, height) < 7) return [];
    const lines = (n) => {
      const edge = n < 12 ? 2 : 3;
      return [...new Set([edge, n - 1 - edge, ...(n % 2 ? [(n - 1) / 2] : [])])];
    };
    const few = Math.min(width, height) < 17;
    return Object.entries(this.describe.points).filter(([, [[x, y]]]) =>
      lines(width).includes(x) && lines(height).includes(y) &&
      (!few || (x === (width - 1) / 2) === (y === (height - 1) / 2))).map(([vertex]) => vertex);
  }

  #labels() {
    const points = Object.entries(this.describe.points).map(([vertex, [cell, at]]) => ({ vertex, cell, at }));
    const write = (text, x, y) => {
      const label = svg("text", { x: x * UNIT, y: y * UNIT + 4.5 });
      label.textContent = text;
      this.layers.labels.append(label);
    };
    const [rowX, rowY] = this.describe.geometry === "rect" ? [0, 1] : [0.5, Math.sqrt(3) / 2];
    const gap = this.hasCells ? 1.02 : 0.92;
    const columns = new Map(), rows = new Map();
    for (const point of points) {
      const [x, y] = point.cell;
      if (!columns.has(x) || columns.get(x).cell[1] > y) columns.set(x, point);
      if (!rows.has(y) || rows.get(y).cell[0] > x) rows.set(y, point);
    }
    // Down the grid's own direction, so that a label stands at the end of its column.
    for (const point of columns.values()) {
      write(point.vertex.replace(/\d+$/, ""), point.at[0] + rowX * gap, point.at[1] + rowY * gap);
    }
    // On hexagons a row may end where a column's label stands: then its own goes one further.
    const taken = new Set([...columns.values()].map(({ cell: [x, y] }) => `${x},${y - 1}`));
    for (const [y, point] of rows) {
      const isTaken = taken.has(`${point.cell[0] - 1},${y}`);
      write(String(y + 1), point.at[0] - gap - (isTaken ? 1 : 0), point.at[1]);
    }
  }

  // -- what changes ----------------------------------------------------------------------------------------------------

  // Everything there is to see: stones {vertex: colour}; last, cursor: vertices; open, tried, marked, atari, dead, faces,
  // losing, legal: lists of vertices; guesses {vertex: colour}; hints [{at, part}]; owners {vertex: -1 to 1}; numbers
  // {vertex: text}; hidden {vertex: 0 to 1}: how likely a stone of `hiddenColour` stands there; ghost: whose stone a
  // pointer shows;
  // animate: whether what is new comes and what is gone leaves visibly.
  draw(shown) {
    this.shown = shown;
    this.#stones(shown.stones, shown.animate);
    this.#lit(shown);
    this.#faces(shown);
    this.#marks(shown);
    this.#over(shown);
    this.element.classList.toggle("playable", Boolean(shown.legal?.length));
    this.#cursor();
  }

  #radius() {
    return this.hasCells ? 17 : this.describe.faces ? 17.5 : 19;
  }

  #stones(stones, animate) {
    this.discs ??= {};
    for (const [vertex, { stone, shadow, colour }] of Object.entries(this.discs)) {
      if (stones[vertex] === colour) continue;
      shadow.remove();
      delete this.discs[vertex];
      if (animate && !stones[vertex]) {
        stone.classList.add("leaving");
        stone.addEventListener("animationend", () => stone.remove(), { once: true });
        setTimeout(() => stone.remove(), 900);
      } else {
        stone.remove();
      }
    }
    for (const [vertex, colour] of Object.entries(stones)) {
      if (this.discs[vertex]) continue;
      const [cx, cy] = this.at(vertex);
      const r = this.#radius();
      const shadow = svg("circle", { cx: cx + 1.5, cy: cy + 3, r });
      const stone = svg("circle", { cx, cy, r, class: `stone ${colour}`, fill: `url(#${this.id}${colour})` });
      if (animate) stone.classList.add("coming");
      this.layers.shadows.append(shadow);
      this.layers.stones.append(stone);
      this.discs[vertex] = { stone, shadow, colour };
    }
    this.stones = stones;
  }

  #lit({ open = [] }) {
    this.layers.lit.replaceChildren(...open.map((vertex) => {
      const [x, y] = this.at(vertex);
      const half = UNIT * 0.45;
      return svg("rect", { x: x - half, y: y - half, width: 2 * half, height: 2 * half, rx: 8 });
    }));
  }

  #faces({ marked = [], stones }) {
    const immune = new Set(marked);
    const faces = (this.describe.faces ?? []).filter(
      (face) => face.every((v) => immune.has(v)) && new Set(face.map((v) => stones[v])).size === 1);
    this.layers.faces.replaceChildren(...faces.map((face) => {
      const walk = [face[0]];
      while (walk.length < face.length) {
        walk.push(this.near[walk.at(-1)].find((v) => face.includes(v) && !walk.includes(v)));
      }
      return svg("path", { d: `M${walk.map((v) => this.at(v).join(" ")).join("L")}Z` });
    }));
  }

  #marks({ last, marked = [], tried = [], atari = [], dead = [], losing = [], stones }) {
    const circle = (vertex, r, name) => {
      const [cx, cy] = this.at(vertex);
      return svg("circle", { cx, cy, r, class: name });
    };
    const cross = (vertex, name) => {
      const [x, y] = this.at(vertex);
      return svg("path", { class: name, d: `M${x - 8} ${y - 8}l16 16M${x + 8} ${y - 8}l-16 16` });
    };
    const marks = [
      ...marked.map((v) => circle(v, 14, "won")),
      ...atari.map((v) => circle(v, this.#radius() - 1.5, "atari")),
      ...tried.filter((v) => !stones[v]).map((v) => cross(v, "tried")),
      ...losing.filter((v) => !stones[v]).map((v) => cross(v, "losing")),
      ...dead.map((v) => cross(v, "dead")),
    ];
    if (last && stones[last]) marks.push(circle(last, 7.5, `last on-${stones[last]}`));
    this.layers.marks.replaceChildren(...marks);
  }

  #over({ guesses = {}, hints = [], numbers = {}, owners = {}, hidden = {}, hiddenColour }) {
    const over = [];
    for (const [vertex, odd] of Object.entries(hidden)) {
      if (this.stones[vertex] || odd < 0.05) continue;
      const [cx, cy] = this.at(vertex);
      const disc = svg("circle", { cx, cy, r: this.#radius() - 2, class: `likely ${hiddenColour}`, "fill-opacity": (0.15 + 0.75 * odd).toFixed(2) });
      over.push(disc);
      if (odd >= 0.1) over.push(this.#text(cx, cy, String(Math.round(100 * odd)), "of-line"));
    }
    for (const [vertex, share] of Object.entries(owners)) {
      // Where a stone stands as its owner's nothing has to be said.
      if (Math.abs(share) < 0.2 || this.stones[vertex] === (share > 0 ? "b" : "w")) continue;
      if (hints.some(({ at }) => at === vertex)) continue;
      const [x, y] = this.at(vertex);
      const half = 3 + 5 * Math.abs(share);
      over.push(svg("rect", { x: x - half, y: y - half, width: 2 * half, height: 2 * half, rx: 2, class: `owned ${share > 0 ? "b" : "w"}` }));
    }
    for (const [vertex, colour] of Object.entries(guesses)) {
      if (this.stones[vertex]) continue;
      const [cx, cy] = this.at(vertex);
      over.push(svg("circle", { cx, cy, r: this.#radius() - 3, class: `guess ${colour}` }));
    }
    for (const { at, part } of hints) {
      if (!this.describe.points[at]) continue;
      const [cx, cy] = this.at(at);
      over.push(svg("circle", { cx, cy, r: this.#radius() - 2, class: "hint", "fill-opacity": 0.35 + 0.6 * part }));
      over.push(this.#text(cx, cy, String(Math.round(100 * part)), "of-hint"));
    }
    for (const [vertex, text] of Object.entries(numbers)) over.push(this.#text(...this.at(vertex), text, "of-line"));
    this.layers.over.replaceChildren(...over);
  }

  #text(x, y, words, name) {
    const text = svg("text", { x, y: y + 4.5, class: name });
    text.textContent = words;
    return text;
  }

  // -- pointer and keys ------------------------------------------------------------------------------------------------

  nearest(event) {
    const matrix = this.element.getScreenCTM();
    if (!matrix) return null;
    const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    let best = null, least = (UNIT * 0.6) ** 2;
    for (const vertex of Object.keys(this.describe.points)) {
      const [x, y] = this.at(vertex);
      const far = (x - place.x) ** 2 + (y - place.y) ** 2;
      if (far < least) [best, least] = [vertex, far];
    }
    return best;
  }

  // How many pixels of the screen lie between two points.
  step() {
    return this.element.getBoundingClientRect().width / this.box[2] * UNIT;
  }

  #listen() {
    const root = this.element;
    root.setAttribute("tabindex", "0");
    root.setAttribute("role", "application");
    root.addEventListener("pointermove", (event) => {
      if (event.pointerType === "mouse") this.point(this.nearest(event));
    });
    root.addEventListener("pointerleave", () => this.point(null));
    root.addEventListener("click", (event) => {
      const vertex = this.nearest(event);
      if (vertex) this.handlers.choose(vertex, event);
    });
    root.addEventListener("contextmenu", (event) => {
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

  // The nearest point in a direction; from nowhere the one in the middle.
  #step([dx, dy]) {
    const [left, top, width, height] = this.box;
    const [x, y] = this.cursor ? this.at(this.cursor) : [left + width / 2, top + height / 2];
    let best = this.cursor, least = Infinity;
    for (const vertex of Object.keys(this.describe.points)) {
      const [px, py] = this.at(vertex);
      const along = (px - x) * dx + (py - y) * dy, across = Math.abs((px - x) * dy) + Math.abs((py - y) * dx);
      if (this.cursor && (along < 1 || across > along * 1.8)) continue;
      const far = this.cursor ? along + 1.5 * across : Math.hypot(px - x, py - y);
      if (far < least) [best, least] = [vertex, far];
    }
    return best;
  }

  point(vertex) {
    if (vertex === this.cursor) return;
    this.cursor = vertex;
    this.#cursor();
  }

  #cursor() {
    const { legal = [], ghost, marking } = this.shown ?? {};
    const vertex = this.cursor;
    if (!vertex) {
      this.layers.cursor.replaceChildren();
      return;
    }
    const [cx, cy] = this.at(vertex);
    const drawn = [svg("circle", { cx, cy, r: this.#radius() + 2, class: "ring" })];
    if (ghost && !marking && legal.includes(vertex)) {
      drawn.push(svg("circle", { cx, cy, r: this.#radius(), class: "ghost", fill: `url(#${this.id}${ghost})` }));
    }
    this.layers.cursor.replaceChildren(...drawn);
  }
}

const PIPS = {
  1: [[0, 0]], 2: [[-1, -1], [1, 1]], 3: [[-1, -1], [0, 0], [1, 1]], 4: [[-1, -1], [1, 1], [-1, 1], [1, -1]],
  5: [[-1, -1], [1, 1], [-1, 1], [1, -1], [0, 0]], 6: [[-1, -1], [1, 1], [-1, 1], [1, -1], [-1, 0], [1, 0]],
};

// One die that shows a face.
export function die(face, sides) {
  const root = svg("svg", { viewBox: "-22 -22 44 44", class: "die", "aria-hidden": "true" },
    svg("rect", { x: -20, y: -20, width: 40, height: 40, rx: 9 }));
  if (sides <= 6 && PIPS[face]) {
    for (const [x, y] of PIPS[face]) root.append(svg("circle", { cx: x * 10.5, cy: y * 10.5, r: 4.1 }));
  } else {
    const text = svg("text", { y: 8 });
    text.textContent = String(face);
    root.append(text);
  }
  return root;
}
