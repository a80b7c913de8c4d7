// The news of a game, and the board after each item. A step forwards or back takes the same time at any move.

/**
 * @typedef {{ actor: string, kind: string, at: string | null, refused: boolean, captured: string[], taken: number, put: Record<string, string>,
 *   said: string[], text: string, owner?: string, dice?: string, faces?: number[], draw?: any }} News
 */

/** @param {News} item */
const isMove = ({ kind, refused }) => ["place", "pass", "swap"].includes(kind) && !refused;

export class Timeline {
  /** @type {News[]} */
  news = [];
  /** @type {number[]} the number of the last move up to each news item */
  numbers = [];
  /** @type {Record<string, number>[]} captures by colour up to each news item */
  captures = [];
  count = 0; // the number of news items in `stones`
  /** @type {[string, string][][]} for each news item shown, the points it changed, with their old stones */
  before = [];

  /** @param {Record<string, string>} setup stones before the first news item @param {News[]} news */
  constructor(setup, news = []) {
    this.stones = { ...setup };
    this.push(news);
  }

  get length() {
    return this.news.length;
  }

  /** @param {News[]} news */
  push(news) {
    for (const item of news) {
      const captures = this.captures.at(-1) ?? {};
      this.numbers.push((this.numbers.at(-1) ?? 0) + Number(isMove(item)));
      this.captures.push(item.taken ? { ...captures, [item.actor]: (captures[item.actor] ?? 0) + item.taken } : captures);
      this.news.push(item);
    }
  }

  get hasStones() {
    return Boolean(this.numbers.at(-1));
  }

  #goTo(count) {
    while (this.count < count) {
      const { put = {} } = this.news[this.count];
      const before = this.before[this.count] = [];
      for (const [vertex, colour] of Object.entries(put)) {
        before.push([vertex, this.stones[vertex] ?? ""]);
        this.#put(vertex, colour);
      }
      this.count++;
    }
    while (this.count > count) {
      this.count--;
      for (const [vertex, colour] of this.before[this.count]) this.#put(vertex, colour);
    }
  }

  #put(vertex, colour) {
    if (colour) this.stones[vertex] = colour;
    else delete this.stones[vertex];
  }

  /** Return the stones, captures, last move and draw after `count` news items. `tried` are the points refused since the last move. @param {number} count */
  moment(count) {
    this.#goTo(count);
    const isDraw = ({ kind }) => kind === "draw", isActed = ({ kind, refused }) => !["draw", "other"].includes(kind) && !refused;
    const last = this.#latest(count, isActed), draw = this.#latest(count, (item) => isDraw(item) || isActed(item)), told = this.#latest(count, (item) => !isDraw(item));
    const done = this.#latest(count, (item) => !isDraw(item) && !item.refused);
    return {
      stones: { ...this.stones }, captures: this.captures[count - 1] ?? {}, last: this.news[last]?.at ?? null, draw: this.news[draw]?.kind === "draw" ? this.news[draw] : null,
      said: this.news[told]?.said ?? [], tried: this.news.slice(done + 1, count).filter(({ at, refused }) => at && refused).map(({ at }) => at),
    };
  }

  // Return the index of the last of `count` items that fits, or -1.
  #latest(count, fits) {
    let index = count - 1;
    while (index >= 0 && !fits(this.news[index])) index--;
    return index;
  }

  /** Return the count shown with item `index`, which includes the draws that follow it. @param {number} index */
  after(index) {
    let to = Math.min(index + 1, this.length);
    while (to < this.length && this.news[to].kind === "draw") to++;
    return to;
  }

  /** Return the count one move after (1) or before (-1) `here`. A draw belongs to the move before it. @param {number} here @param {number} way */
  step(here, way) {
    const isDraw = (index) => this.news[index]?.kind === "draw";
    let to = way < 0 ? here - 1 : here;
    while (isDraw(to) && (way > 0 || to > 0)) to += way;
    return way < 0 ? Math.max(0, to) : this.after(to);
  }

  /** Return the index of the last move shown with `here` news items, or -1. @param {number} here */
  current(here) {
    return this.#latest(here, ({ kind }) => kind !== "draw");
  }
}
