// Occasional tools: the rules, the record, settings, a field to type a point, the board in words.

import { keep, kept } from "../../data/kept.js";
import { post } from "../../data/net.js";
import { filled, h, onSubmit, optionsOf, redraw, showDialog } from "../../ui/dom.js";
import { rulesLink } from "../../ui/parts.js";
import { named, say } from "../../ui/words.js";
import { Part } from "../part.js";
import { boardText } from "../sentences.js";
import { wishNotices } from "./turn_call.js";

const FILE_MS = 60_000; // time for the browser to save a file
const BOARDS = ["wood", "paper", "slate"];

export class More extends Part {
  page = filled("more");
  element = this.page.root;

  constructor(screen) {
    super(screen);
    const { typing, look, read, keys } = this.page;
    onSubmit(typing, async ({ point }) => {
      const at = point.trim();
      screen.do(/^passe?$/i.test(at) ? "pass" : "play", { at });
      typing.reset();
    }, () => null);
    look.append(...optionsOf(BOARDS.map((board) => [board, say(`board ${board}`)]), kept("board")));
    look.addEventListener("change", () => {
      keep("board", look.value);
      document.documentElement.dataset.board = look.value;
    });
    read.addEventListener("toggle", () => this.#readBoard());
    keys.addEventListener("click", () => this.showKeys());
  }

  show() {
    const { page, screen: { state, whole, describe } } = this;
    const isShown = whole.open || state.final || state.counting;
    redraw(page.links, [whole.spec, isShown, this.screen.here, this.screen.study.lines.length], () => this.#files(isShown));
    page.typing.hidden = !whole.you || state.final;
    const keys = this.#settings();
    redraw(page.checks, keys, () => keys.map((key) => this.#toggle(key)));
    const hasDice = Boolean(describe.lines) && !state.final;
    redraw(page.dice, [hasDice, Boolean(this.screen.help.odds), Boolean(whole.you)], () => (hasDice ? [this.#diceRow()] : []));
    const possible = whole.you ? (state.agreements ?? []).filter((words) => words !== "resume") : [];
    redraw(page.agreements, possible, () => (possible.length ? [h("div", { class: "row" }, named("agree on"), possible.map((words) => this.#agreeButton(words)))] : []));
    this.#readBoard();
  }

  #files(isShown) {
    const file = (form) => h("a", { href: `/api/games/${this.screen.game}/record.${form}`, download: true }, form.toUpperCase());
    return [rulesLink(this.screen.whole.spec, "rules page"),
      isShown ? h("span", {}, named("record"), this.screen.study.lines.length ? this.#sgfButton() : file("sgf"), " ", file("json"), " ",
        h("a", { href: `/api/games/${this.screen.game}/picture.svg?at=${this.screen.here}`, download: true }, "SVG"), " ",
        h("a", { href: `/api/games/${this.screen.game}/animation.svg`, download: true, title: say("film how") }, say("film"))) : null];
  }

  // Return a button that saves the record with the variations, which only this browser has.
  #sgfButton() {
    const take = async () => {
      try {
        const text = await post(`/api/games/${this.screen.game}/record.sgf`, { branches: this.screen.study.branches });
        const address = URL.createObjectURL(new Blob([text], { type: "application/x-go-sgf" }));
        h("a", { href: address, download: `${this.screen.game.slice(0, 6)}.sgf` }).click();
        setTimeout(() => URL.revokeObjectURL(address), FILE_MS);
      } catch (problem) {
        this.screen.status.notice(problem.message, true);
      }
    };
    return h("button", { type: "button", class: "quiet", id: "take-sgf", onclick: take }, say("sgf tried"));
  }

  #settings() {
    const { state, whole } = this.screen;
    return [whole.open ? "atari" : null, "losing" in state ? "losing" : null, whole.open ? null : "speak", "sound", "confirm", "plan", "notify"].filter(Boolean);
  }

  #toggle(key) {
    return h("label", { class: "check" }, h("input", {
      type: "checkbox", id: `show-${key}`, checked: this.screen.setting(key),
      onchange: (event) => this.#change(key, event.target),
    }), say(key));
  }

  async #change(key, box) {
    if (key === "notify") box.checked = await wishNotices(box.checked);
    else keep(key, box.checked);
    this.screen.show();
  }

  showKeys() {
    const keys = { "← ↑ → ↓": "keys move", "Enter": "play", "[ ]": "keys step", "{ }": "keys ends", p: "pass", u: "undo", h: "hint", a: "analysis", m: "mark", Esc: "keys plan", "?": "keys all" };
    showDialog(say("keys all"), h("dl", { class: "keys" }, Object.entries(keys).map(([key, words]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, say(words))])));
  }

  #diceRow() {
    const { help, whole } = this.screen;
    return h("div", { class: "row" },
      h("button", { type: "button", id: "odds", title: say("odds how"), "aria-pressed": String(Boolean(help.odds)), onclick: () => help.toggleOdds() }, say("odds")),
      whole.you && !whole.strict ? h("button", { type: "button", "data-do": "dice", onclick: () => this.#askDice() }, say("dice")) : null);
  }

  #askDice() {
    const input = h("input", { id: "new-dice", size: 6, value: "1d6" });
    showDialog(say("dice"), h("form", { method: "dialog", class: "row", onsubmit: () => this.screen.do("dice", { dice: input.value.trim() }) },
      h("label", { for: "new-dice" }, say("dice which")), input, h("button", { class: "main" }, say("dice"))));
  }

  #agreeButton(words) {
    const [word, what] = words.split(" ");
    return h("button", { type: "button", "data-do": word, onclick: () => this.#agree(word, words) }, say(`agree ${word}`, { what }));
  }

  // Propose an agreement. A number of passes and a tie-break are asked for first.
  #agree(word, words) {
    const propose = (full) => this.screen.do("agree", { words: full });
    const field = {
      match: () => h("label", { class: "check" }, h("input", { type: "checkbox", id: "black-moves" }), say("agree tie-break")),
      white_passes: () => h("label", {}, say("agree how many"), h("input", { type: "number", id: "white-passes", min: 1, max: 999, value: 2, required: true })),
    }[word]?.();
    if (!field) return propose(words);
    const input = /** @type {HTMLInputElement} */ (field.querySelector("input"));
    const full = () => (word === "match" ? `match 2${input.checked ? " black_moves" : ""}` : `${word} ${input.value}`);
    return showDialog(say(`agree ${word}`), h("form", { method: "dialog", class: "row", onsubmit: () => propose(full()) }, field, h("button", { class: "main" }, say("agree propose"))));
  }

  #readBoard() {
    if (this.page.read.open && this.screen.moment) this.page.words.textContent = boardText(this.screen.moment.stones);
  }
}

/** Return the default of a setting. @param {string} key @param {boolean} isReferee */
export const settingOf = (key, isReferee) => kept(key, { atari: true, losing: true, speak: isReferee, sound: true }[key] ?? false);
