// The form for a new game; the server describes its options.

import { Board } from "../board/board.js";
import { keep, kept } from "../data/kept.js";
import { about, api, beginGame } from "../data/net.js";
import { h } from "../ui/dom.js";
import { nameInput, rulesLink } from "../ui/parts.js";
import { pressEnds } from "../ui/press.js";
import { capital, has, language, meaningOf, nameOf, say } from "../ui/words.js";

// The level that thinks for about a second per move.
const DEFAULT_LEVEL = 9;
// Other limits on a bot's thinking: the value offered first, and the range that the server accepts.
const LIMITS = {
  "seconds": { usual: 2, min: 0.1, max: 60, step: "any" },
  "playouts": { usual: 1000, min: 1, max: 1_000_000, step: 1 },
};
const MINUTE_S = 60, DAY_S = 86_400;
// The clocks offered, in the form the server reads, in the order of their names.
export const CLOCKS = {
  "clock fischer": [[5, 3], [10, 5], [20, 10], [45, 20]].map(([main, more]) => [{ main, more }, { kind: "fischer", main_s: main * MINUTE_S, increment_s: more }]),
  "clock byoyomi": [[10, 5, 30], [30, 5, 60]].map(([main, periods, period]) => [{ main, periods, period }, { kind: "byoyomi", main_s: main * MINUTE_S, period_s: period, periods }]),
  "clock canadian": [[15, 25, 10]].map(([main, stones, minutes]) => [{ main, stones, minutes }, { kind: "canadian", main_s: main * MINUTE_S, period_s: minutes * MINUTE_S, stones }]),
  "clock absolute": [[3], [15], [60]].map(([main]) => [{ main }, { kind: "absolute", main_s: main * MINUTE_S }]),
  "clock days": [[1], [3], [7]].map(([days]) => [{ days }, { kind: "byoyomi", main_s: 0, period_s: days * DAY_S, periods: 1 }]),
};
const MOST_HANDICAP = 9;
// Options that concern the board and the number of players, not the rules.
const USUAL = ["size", "n", "width", "height", "board", "players"];
const isUsual = ({ name }) => USUAL.includes(name);

export class NewGame {
  constructor(about, wanted, isRefereeing) {
    this.about = about;
    this.seats = isRefereeing ? { b: "me", w: "me" } : {};
    this.names = {};
    [this.name, this.given] = read(wanted ?? kept("spec", "aleago"));
    const named = fold(this.name);
    this.name = about.games.find(({ name, title }) => name === named || fold(title) === named)?.name ?? "aleago";
    this.body = h("div", { class: "choices" });
    this.error = h("p", { class: "error", role: "alert" });
    this.preview = h("div", { class: "preview" });
    this.element = h("form", { class: "card new", onsubmit: (event) => this.#begin(event) },
      h("h1", {}, say("new")), this.#games(), this.preview, this.body, this.error,
      h("button", { class: "main", id: "begin" }, say("begin")));
  }

  #games() {
    return h("fieldset", { class: "games" }, h("legend", {}, say("game")),
      this.about.games.map(({ name, title }) => h("label", { class: "pick" },
        h("input", {
          type: "radio", name: "game", value: name, checked: name === this.name, "aria-label": title,
          onchange: () => { this.name = name; this.given = {}; this.choose(); },
        }), h("span", {}, h("img", { src: `/api/picture?spec=${name}`, alt: "", width: 96, height: 96, loading: "lazy" }),
          h("strong", {}, title), has(`about ${name}`) ? h("small", {}, say(`about ${name}`)) : null))));
  }

  spec() {
    const pairs = Object.entries(this.given).map(([key, value]) => `${key}=${value}`);
    return pairs.length ? `${this.name}:${pairs.join(",")}` : this.name;
  }

  /** Show the options of the chosen game, and return true if that worked. @returns {Promise<boolean>} */
  choose() {
    this.chosen = this.#describe();
    return this.chosen;
  }

  async #describe() {
    const spec = this.spec();
    let described;
    try {
      described = await api(about("describe", spec));
    } catch (problem) {
      this.error.textContent = problem.message;
      // The link names an impossible game: offer the default options.
      if (this.described || spec === this.name) return false;
      this.given = {};
      const isShown = await this.#describe();
      this.error.textContent = problem.message;
      return isShown;
    }
    await pressEnds();
    if (spec !== this.spec()) return this.chosen;
    if (!this.element.isConnected) return false;
    this.error.textContent = "";
    this.described = described;
    const board = new Board(described);
    board.draw({ stones: {} });
    board.element.setAttribute("aria-hidden", "true");
    this.preview.replaceChildren(board.element);
    const focused = document.activeElement?.id;
    this.refereeing = h("p", { class: "quiet", role: "status" });
    const parts = [this.#rules(), ...this.#usual(), ...this.#seats(), this.refereeing, clockChooser("clock", kept("clock", ""), true), this.#handicap(), this.#chat(), this.#options()];
    this.body.replaceChildren(...parts.filter((part) => part !== null));
    this.#note();
    if (focused) document.getElementById(focused)?.focus();
    return true;
  }

  // One person who plays all sides of a hidden game is its referee, for people at real boards.
  get isReferee() {
    return !this.described.open && this.described.players.every((colour) => field(`seat-${colour}`).value === "me");
  }

  #note() {
    this.refereeing.textContent = this.isReferee ? say("referee how") : "";
  }

  #seats() {
    const titles = Object.fromEntries(this.about.bots.map((each) => [each.name, each.title[language()]]));
    const best = this.described.bot;
    // Leave out bots that cannot play with hidden stones, if the game has any.
    const fit = this.about.bots.filter(({ hidden }) => hidden || this.described.open).map(({ name }) => name);
    const ordered = [...fit.filter((name) => name === best), ...fit.filter((name) => name !== best)];
    const isOffered = (value) => !value.startsWith("bot:") || fit.includes(value.slice(4));
    const first = this.described.players[0];
    const chosenAt = (colour) => {
      // A public site has no bots to play with at once.
      const usual = fit.length ? `bot:${best}` : "link";
      const chosen = this.seats[colour] ?? (colour === first ? "me" : usual);
      return isOffered(chosen) ? chosen : usual;
    };
    // The creator is the first player at this screen.
    const mine = this.described.players.find((colour) => chosenAt(colour) === "me");
    return this.described.players.map((colour) => {
      const id = `seat-${colour}`;
      const choices = [["me", say("me")], ["link", say("link")]], bots = ordered.map((name) => [`bot:${name}`, titles[name]]);
      const chosen = chosenAt(colour);
      const strength = this.#strength(colour);
      const showStrength = () => strength.show(this.about.bots.find((each) => `bot:${each.name}` === select.value && each.levels)?.name);
      const select = h("select", { id, onchange: () => {
        this.seats = { ...this.seats, [colour]: select.value };
        showStrength();
        name.hidden = select.value !== "me";
        this.#note();
      } }, choices.map(([value, text]) => option(value, text, value === chosen)),
        bots.length ? h("optgroup", { label: say("bots") }, bots.map(([value, text]) => option(value, text, value === chosen))) : null);
      const name = nameInput(`name-${colour}`, this.names[colour] ?? (colour === mine ? kept("name", "") : ""));
      name.addEventListener("input", () => { this.names[colour] = name.value; });
      showStrength();
      name.hidden = chosen !== "me";
      return h("div", { class: "row" }, h("label", { for: id }, h("i", { class: `dot ${colour}` }), nameOf(colour)), select, strength.select, strength.amount, name);
    });
  }

  // Return the strength of a bot: a level with its meaning, or seconds or playouts per move.
  #strength(colour) {
    const select = h("select", { id: `level-${colour}`, "aria-label": say("level") });
    const amount = h("input", { id: `amount-${colour}`, type: "number", size: 8, "aria-label": say("level") });
    const fit = () => {
      amount.hidden = select.hidden || !(select.value in LIMITS);
      // A hidden field must not block the form.
      amount.disabled = amount.hidden;
      if (amount.hidden) return;
      const { usual, ...bounds } = LIMITS[select.value];
      Object.assign(amount, bounds);
      amount.value = kept(select.value, usual);
    };
    select.addEventListener("change", fit);
    return { select, amount, show: (bot) => {
      const wanted = select.value || String(kept("level", DEFAULT_LEVEL));
      const meanings = this.described.levels[bot] ?? [];
      select.replaceChildren(
        ...meanings.map((meaning, i) => option(String(i + 1), say("level is", { level: i + 1, meaning }), wanted === String(i + 1))),
        ...Object.keys(LIMITS).map((key) => option(key, say(key), wanted === key)));
      select.hidden = !meanings.length;
      fit();
    } };
  }

  // Return the chosen strength of a bot, in the form the server reads.
  #chosenStrength(colour) {
    const select = field(`level-${colour}`), amount = field(`amount-${colour}`);
    if (select.hidden) return {};
    const value = Number(select.value in LIMITS ? amount.value : select.value);
    if (select.value in LIMITS) {
      keep(select.value, value);
      return { [select.value]: value };
    }
    keep("level", value);
    return { level: value };
  }

  #handicap() {
    if (this.described.handicap === "none") return null;
    const counts = Array.from({ length: MOST_HANDICAP - 1 }, (_, index) => index + 2);
    return h("div", { class: "row" }, h("label", { for: "handicap" }, say("handicap")),
      h("select", { id: "handicap" }, option("0", say("no handicap"), true), counts.map((count) => option(String(count), say("handicap of", { count }), false))));
  }

  #chat() {
    return h("label", { class: "check" }, h("input", { type: "checkbox", id: "chat-on", checked: kept("chat", true), onchange: (event) => keep("chat", event.target.checked) }), say("with chat"));
  }

  // Show the most used options beside the players.
  #usual() {
    return this.#shown.filter(isUsual).map((each) => this.#option(each));
  }

  #options() {
    const rows = this.#shown.filter((each) => !isUsual(each)).map((each) => this.#option(each));
    return h("details", { open: this.isOpen, ontoggle: (event) => { this.isOpen = event.target.open; } }, h("summary", {}, say("options")), rows);
  }

  get #shown() {
    return this.described.options.filter(({ name }) => name !== "lang");
  }

  #option(each) {
    const id = `option-${each.name}`, resolved = read(this.described.spec)[1];
    const change = (key, value) => {
      this.given = { ...this.given, [key]: value };
      this.choose();
    };
    return h("div", { class: "row option" }, h("label", { for: id }, h("span", {}, capital(meaningOf(each)))), this.#input(each, id, resolved[each.name] ?? each.default, change));
  }

  #input(each, id, value, change) {
    if (each.type === "bool") {
      return h("input", { type: "checkbox", id, checked: value === "true", onchange: (event) => change(each.name, String(event.target.checked)) });
    }
    const isClosed = each.type === "choice" || (each.choices?.length && each.type !== "int" && each.name !== "mapping");
    if (isClosed && each.choices?.length) {
      const choices = each.choices.includes(value) ? each.choices : [value, ...each.choices];
      return h("select", { id, onchange: (event) => change(each.name, event.target.value) },
        choices.map((choice) => option(choice, choice, choice === value)));
    }
    return h("input", { id, value, size: 8, autocomplete: "off", onchange: (event) => change(each.name, event.target.value.trim()) });
  }

  #rules() {
    return h("p", { class: "links" },
      this.described.lesson ? h("a", { href: `#lesson=${this.name}`, class: "learn" }, say("learn")) : null,
      rulesLink(this.described.spec, "rules"));
  }

  async #begin(event) {
    event.preventDefault();
    // Wait for pending options, which may still change the seats, instead of asking the user to try again.
    if (!await this.chosen && !await this.choose()) return;
    const seats = {};
    let isMine = false;
    for (const colour of this.described.players) {
      const value = field(`seat-${colour}`).value;
      const name = field(`name-${colour}`).value.trim();
      if (value === "me" && !isMine && !this.isReferee) keep("name", name);
      isMine ||= value === "me";
      seats[colour] = value.startsWith("bot:")
        ? { kind: "bot", bot: value.slice(4), ...this.#chosenStrength(colour) }
        : value === "me" ? { kind: "person", name } : { kind: "invited" };
    }
    keep("clock", field("clock").value);
    const asked = {
      spec: this.spec(), lang: language(), seats, chat: field("chat-on").checked, handicap: Number(field("handicap")?.value ?? 0),
      ...(this.isReferee ? { referee: true } : {}), clock: field("clock").chosen(), nonces: true,
    };
    await beginGame(asked, this.described.title, isMine).then(() => keep("spec", asked.spec), ({ message }) => { this.error.textContent = message; });
  }
}

/** Return a choice of clocks. Its list has the method `chosen`, which returns the clock in the form the server reads. */
export function clockChooser(id, chosen, hasNone) {
  const groups = Object.entries(CLOCKS).map(([key, kinds]) => h("optgroup", { label: say(`${key} kind`) },
    kinds.map(([parts], index) => option(`${key}:${index}`, say(key, parts), chosen === `${key}:${index}`))));
  const select = h("select", { id }, hasNone ? option("", say("no clock"), !chosen) : null, groups);
  select.chosen = () => {
    const [key, index] = select.value.split(":");
    return key ? CLOCKS[key][Number(index)][1] : null;
  };
  return h("div", { class: "row" }, h("label", { for: id }, say("clock")), select);
}

/** @param {string} id @returns {any} */
const field = (id) => document.getElementById(id);

const option = (value, text, selected) => h("option", { value, selected: Boolean(selected) }, text);

// Return a game's name or title in small letters without accents, with "-" between its words.
const fold = (name) => name.normalize("NFKD").replace(/\p{M}/gu, "").trim().toLowerCase().replace(/[\s_]+/g, "-");

function read(spec) {
  const [name, rest = ""] = spec.split(/:(.*)/s);
  return [name, Object.fromEntries(rest.split(",").filter(Boolean).map((pair) => pair.split(/=(.*)/s).slice(0, 2)))];
}
