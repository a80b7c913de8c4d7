// Dice for people at a real board: a phone throws and announces them, and anybody can check them afterwards.

import { openLines, roll, shownDice } from "../board/dice.js";
import { keep, keepGame, kept } from "../data/kept.js";
import { api, post } from "../data/net.js";
import { h } from "../ui/dom.js";
import { isLocal, isMoving, linkCard, speak } from "../ui/parts.js";
import { colon, language, named, nameOf, say } from "../ui/words.js";

// The dice for each size of board. Source: "Dés et goban".
const ROWS = [["1d4", 9], ["1d6", 13], ["1d8", 19], ["1d10", 19], ["2d4", 19], ["2d6", 19]];
const LOOK_MS = 2500;

export class DiceScreen {
  constructor(main, log, tellAloud) {
    this.main = main;
    this.log = log;
    this.tellAloud = tellAloud;
    this.thrown = h("div", { class: "thrown", role: "status" });
    this.doing = h("div", { class: "doing" });
    this.throws = h("div", { class: "throws" });
    this.checking = h("div", { class: "checking" });
    document.title = `${say("dice at board")} · gtp-variants`;
    if (log) this.#open();
    else this.#choose();
  }

  end() {
    this.isEnded = true;
    clearInterval(this.looking);
  }

  // -- the choice ------------------------------------------------------------------------------------------------------

  #choose() {
    const error = h("p", { class: "error", role: "alert" });
    const select = h("select", { id: "dice" }, ROWS.map(([dice, size]) =>
      h("option", { value: `${dice} ${size}`, selected: dice === "1d6" }, say("dice on", { dice, size }))));
    const begin = async (event) => {
      event.preventDefault();
      const [dice, size] = select.value.split(" ");
      try {
        const made = await post("/api/dice", { dice, size: Number(size) });
        keepGame(made.log, { title: say("dice on", { dice, size }), link: `#dice=${made.log}` });
        location.hash = `dice=${made.log}`;
      } catch (problem) {
        error.textContent = problem.message;
      }
    };
    this.main.replaceChildren(h("form", { class: "card token", onsubmit: begin }, h("h1", {}, say("dice at board")),
      h("p", { class: "quiet" }, say("dice how")), h("label", { for: "dice" }, say("which dice")), select, error,
      h("button", { class: "main" }, say("begin"))));
  }

  // -- at the board ----------------------------------------------------------------------------------------------------

  async #open() {
    this.error = h("p", { class: "error", role: "alert" });
    try {
      this.told = await api(`/api/dice/${this.log}`);
    } catch (problem) {
      this.main.replaceChildren(h("p", { class: "banner error", role: "alert" }, problem.message, " ", h("a", { href: "#" }, say("home"))));
      return;
    }
    const speaks = h("input", { type: "checkbox", id: "show-speak-dice", checked: kept("speak dice", true), onchange: (event) => keep("speak dice", event.target.checked) });
    this.main.replaceChildren(h("div", { class: "card at-board" }, h("h1", {}, say("dice at board")), this.thrown,
      this.doing, this.error, h("label", { class: "check" }, speaks, say("speak")), this.throws, this.checking));
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

  async #do(what) {
    this.error.textContent = "";
    try {
      this.#take(await post(`/api/dice/${this.log}`, what));
    } catch (problem) {
      this.error.textContent = problem.message;
    }
  }

  #show(isNew) {
    const { throws, next, dice, secret, commitment } = this.told;
    const last = throws.at(-1);
    const sides = Number(dice.split("d")[1]);
    const number = throws.length + 1;
    this.thrown.replaceChildren(...(last ? [h("p", { class: "quiet" }, say("turn throw", { number: last.draw, name: nameOf(last.colour) })),
      this.#fallen(last, sides, isNew), h("p", { class: "big" }, openLines(last.open)), h("p", { class: "quiet" }, say("dice full"))]
      : [h("p", {}, say("dice note"))]));
    this.doing.replaceChildren(...(secret ? [] : [
      h("button", { type: "button", class: "main throw", id: "throw", onclick: () => this.#do({ do: "throw", draw: number }) },
        h("i", { class: `dot ${next}`, "aria-hidden": "true" }), say("throw for", { number, name: nameOf(next) })),
      throws.length ? h("button", { type: "button", class: "quiet", id: "reveal", onclick: () => this.#reveal() }, say("dice end")) : null].filter(Boolean)));
    if (isNew) this.doing.querySelector("#throw")?.focus();
    this.throws.replaceChildren(...throws.slice().reverse().map((each) => h("span", { class: "one" },
      h("i", { class: `dot ${each.colour}`, role: "img", "aria-label": nameOf(each.colour) }), `${each.draw}${colon()}${each.faces.join(" + ")}`)));
    this.checking.replaceChildren(
      h("p", { class: "quiet small" }, named("commitment"), h("code", {}, commitment)),
      ...(secret ? [h("p", { class: "quiet small" }, named("secret"), h("code", {}, secret)), h("p", {}, say("dice check"))] : []),
      h("p", {}, h("a", { href: `/api/dice/${this.log}/log`, download: true }, say("dice log"))),
      h("button", { type: "button", id: "share-dice", onclick: () => this.#share() }, say("share")));
  }

  #fallen(last, sides, isNew) {
    const dice = shownDice(last.faces, sides);
    if (isNew && isMoving()) roll(dice, last.faces, sides);
    return dice;
  }

  #reveal() {
    const dialog = h("dialog", { "aria-label": say("dice end") }, h("p", {}, say("dice end sure")), h("div", { class: "row" },
      h("button", { type: "button", class: "danger", id: "reveal-yes", onclick: () => { dialog.close(); this.#do({ do: "reveal" }); } }, say("yes")),
      h("button", { type: "button", onclick: () => dialog.close() }, say("no"))));
    this.#dialog(dialog);
  }

  async #share() {
    const { addresses } = await api("/api/about");
    const dialog = h("dialog", { class: "share", "aria-label": say("share") }, h("h2", {}, say("share")),
      addresses.length || !isLocal() ? null : h("p", { class: "quiet" }, say("only here")),
      linkCard(say("dice link"), `${addresses[0] ?? location.origin}/#dice=${this.log}`),
      h("button", { type: "button", onclick: () => dialog.close() }, say("close")));
    this.#dialog(dialog);
  }

  #dialog(dialog) {
    dialog.addEventListener("close", () => dialog.remove());
    this.main.append(dialog);
    dialog.showModal();
  }
}

const sum = ({ faces }) => (faces.length > 1 ? `${faces.join(" + ")} = ${faces.reduce((a, b) => a + b)}` : String(faces[0]));
