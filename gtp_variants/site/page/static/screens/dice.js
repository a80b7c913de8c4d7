// Dice for people at a real board: a phone throws and announces them, and anybody can check them afterwards.

import { openLines, shownDice } from "../board/dice.js";
import { keep, keepGame, kept } from "../data/kept.js";
import { api, post } from "../data/net.js";
import { confirmFirst, filled, h, onSubmit, optionsOf } from "../ui/dom.js";
import { isMoving, linkCard, shareLinks, speak } from "../ui/parts.js";
import { colon, language, nameOf, say } from "../ui/words.js";

// The dice for each size of board. Source: "Dés et goban".
const ROWS = [["1d4", "9"], ["1d6", "13"], ["1d8", "19"], ["1d10", "19"], ["2d4", "19"], ["2d6", "19"]];
const LOOK_MS = 2500;

export default class DiceScreen {
  /** @param {import("../main.js").Page} page */
  constructor({ main, asked, tellAloud, fail }) {
    this.main = main;
    this.log = asked.get("dice");
    this.tellAloud = tellAloud;
    document.title = `${say("dice at board")} · gtp-variants`;
    if (this.log) this.#open().catch(fail);
    else this.#choose();
  }

  end() {
    this.isEnded = true;
    clearInterval(this.looking);
  }

  #choose() {
    const form = filled("dice-form");
    form.dice.append(...optionsOf(ROWS.map(([dice, size]) => [`${dice} ${size}`, say("dice on", { dice, size })]), "1d6 13"));
    onSubmit(form.root, async (chosen) => {
      const [dice, size] = chosen.dice.split(" "), { log } = await post("/api/dice", { dice, size: Number(size) });
      keepGame(log, { title: say("dice on", { dice, size }), link: `#dice=${log}` });
      location.hash = `dice=${log}`;
    }, (why) => { form.error.textContent = why; });
    this.main.replaceChildren(form.root);
  }

  async #open() {
    this.told = await api(`/api/dice/${this.log}`);
    const page = this.page = filled("dice-page");
    page.speaks.checked = kept("speak dice", true);
    page.speaks.addEventListener("change", () => keep("speak dice", page.speaks.checked));
    page.throw.addEventListener("click", () => this.#do({ do: "throw", draw: this.told.throws.length + 1 }));
    page.reveal.addEventListener("click", () => confirmFirst("dice end", () => this.#do({ do: "reveal" }), "reveal"));
    page.share.addEventListener("click", () => shareLinks((base) => linkCard(say("dice link"), `${base}/#dice=${this.log}`)));
    page.log.href = `/api/dice/${this.log}/log`;
    this.main.replaceChildren(page.root);
    this.#show(false);
    this.looking = setInterval(() => this.#look(), LOOK_MS);
  }

  // Fetch the dice again, because another phone may have thrown them.
  async #look() {
    if (document.hidden || this.told.secret) return;
    const told = await api(`/api/dice/${this.log}`).catch(() => null);
    if (told && !this.isEnded && JSON.stringify(told) !== JSON.stringify(this.told)) this.#take(told);
  }

  #take(told) {
    const isNew = told.throws.length > this.told.throws.length;
    this.told = told;
    this.#show(isNew);
    if (!isNew) return;
    const last = told.throws.at(-1);
    const words = `${nameOf(last.colour)}${colon()}${sum(last)}. ${openLines(last.open)}`;
    this.tellAloud(words);
    if (kept("speak dice", true)) speak(words, language());
  }

  #do(what) {
    this.page.error.textContent = "";
    post(`/api/dice/${this.log}`, what).then((told) => this.#take(told), ({ message }) => { this.page.error.textContent = message; });
  }

  #show(isNew) {
    const { page } = this, { throws, next, dice, secret, commitment } = this.told;
    const last = throws.at(-1), sides = Number(dice.split("d")[1]), fallen = last && shownDice(last.faces, sides, isNew && isMoving());
    page.thrown.replaceChildren(...(last ? [h("p", { class: "quiet" }, say("turn throw", { number: last.draw, name: nameOf(last.colour) })), fallen,
      h("p", { class: "big" }, openLines(last.open)), h("p", { class: "quiet" }, say("dice full"))]
      : [h("p", {}, say("dice note"))]));
    if (secret) page.doing.replaceChildren();
    page.throw.replaceChildren(h("i", { class: `dot ${next}`, "aria-hidden": "true" }), say("throw for", { number: throws.length + 1, name: nameOf(next) }));
    page.reveal.hidden = !last;
    page.throws.replaceChildren(...throws.slice().reverse().map((each) => h("span", { class: "one" },
      h("i", { class: `dot ${each.colour}`, role: "img", "aria-label": nameOf(each.colour) }), `${each.draw}${colon()}${each.faces.join(" + ")}`)));
    page.commitment.textContent = commitment;
    page.told.replaceChildren(...(secret ? [h("p", { class: "quiet small" }, `${say("secret")}${colon()}`, h("code", {}, secret)), h("p", {}, say("dice check"))] : []));
  }
}

const sum = ({ faces }) => (faces.length > 1 ? `${faces.join(" + ")} = ${faces.reduce((a, b) => a + b)}` : String(faces[0]));
