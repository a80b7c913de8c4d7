// The lobby of a public site: sign in, wait for an opponent, see who is here and what is played.

import { kept } from "../data/kept.js";
import { api, Line, post } from "../data/net.js";
import { h, redraw } from "../ui/dom.js";
import { say } from "../ui/words.js";

const LONGEST_NAME = 18, LONGEST_PASSWORD = 64;

export class LobbyScreen {
  /**
   * @param {HTMLElement} main
   * @param {{ you: string, games: { name: string, title: string }[] }} about
   * @param {(text: string) => void} tellAloud
   */
  constructor(main, about, tellAloud) {
    this.you = about.you;
    this.titles = Object.fromEntries(about.games.map(({ name, title }) => [name, title]));
    this.tellAloud = tellAloud;
    /** @type {any} */
    this.told = { games: [], here: [], running: [] };
    this.said = h("p", { id: "said", role: "status" });
    this.door = h("section", { class: "card" });
    this.here = h("section", { class: "card" });
    this.running = h("section", { class: "card" });
    main.replaceChildren(h("h1", { class: "unseen" }, say("play")), h("div", { class: "home" }, this.door,
      h("div", { class: "shelf" }, this.running, this.here,
        h("p", { class: "links" }, h("a", { href: "/standings" }, say("standings")), h("a", { href: "/games" }, say("latest games"))))));
    this.#come();
  }

  end() {
    this.line.end();
  }

  #come() {
    this.line?.end();
    this.isUp = false;
    this.line = new Line("/api/lobby", () => ({ do: "look" }), (message) => this.#hear(message), (isUp) => this.#note(isUp));
    this.#show();
  }

  #note(isUp) {
    if (isUp === this.isUp) return;
    this.isUp = isUp;
    if (isUp && this.isSeeking) this.line.send({ do: "seek", games: this.#wanted() });
    if (!isUp) this.#say(say("lost"));
    else if (this.said.textContent === say("lost")) this.#say("");
  }

  #say(text) {
    this.said.textContent = text;
  }

  #hear(message) {
    if (message.type === "lobby") this.told = message;
    else if (message.type === "info") this.#say(message.text);
    else if (message.type === "seat") location.hash = `game=${message.game}`;
    else if (message.type === "away") {
      this.line.end();
      this.isSeeking = false;
    }
    this.#show();
  }

  #show() {
    const { told, you } = this;
    redraw(this.door, [you, told.games, this.isSeeking], () => [h("h2", {}, say(you ? "play" : "sign in")), you ? this.#seekForm() : this.#signInForm(), this.said]);
    redraw(this.here, told.here, () => [h("h2", {}, say("who is here")), told.here.length ? h("ul", { class: "list" }, told.here.map((each) => this.#row(each)))
      : h("p", { class: "quiet" }, say("nobody here"))]);
    redraw(this.running, told.running, () => [h("h2", {}, say("live")), told.running.length
      ? h("ul", { class: "list" }, told.running.map(({ game, title, players }) => h("li", {},
        h("a", { href: `#game=${game}` }, players.join(" – ")), h("span", { class: "quiet" }, title))))
      : h("p", { class: "quiet" }, say("no games now"))]);
  }

  #row({ name, kind, ratings, waits }) {
    const rated = (game) => [this.titles[game] ?? game, ratings[game]].filter(Boolean).join(" ");
    const waiting = (waits.length ? waits : Object.keys(ratings)).map(rated).join(", ");
    return h("li", {}, h("a", { href: `/player/${encodeURIComponent(name)}` }, name),
      h("span", { class: "quiet" }, [kind === "bot" ? say("program") : "", waiting].filter(Boolean).join(" · ")));
  }

  #wanted() {
    return [...this.door.querySelectorAll("input[name=game]:checked")].map((box) => /** @type {HTMLInputElement} */ (box).value);
  }

  #seekForm() {
    const boxes = this.told.games.map((game) => h("label", { class: "check" },
      h("input", { type: "checkbox", name: "game", value: game, checked: true, disabled: this.isSeeking }), this.titles[game] ?? game));
    const seek = () => {
      const games = this.#wanted();
      if (!games.length) { this.#say(say("choose games")); return; }
      this.isSeeking = !this.isSeeking;
      if (this.line.isEnded) this.#come();
      else this.line.send(this.isSeeking ? { do: "seek", games } : { do: "rest" });
      this.#say(this.isSeeking ? say("seeking") : "");
      this.tellAloud(this.said.textContent);
      this.#show();
    };
    return [h("p", { class: "quiet" }, say("lobby how")), h("div", { class: "checks" }, boxes),
      h("div", { class: "row" }, h("button", { type: "button", class: "main", id: "seek", onclick: seek }, say(this.isSeeking ? "wait no more" : "find opponent")),
        h("button", { type: "button", class: "quiet", id: "leave", onclick: () => this.#signOut() }, say("sign out", { name: this.you })))];
  }

  #signInForm() {
    const name = h("input", { id: "name", autocomplete: "username", required: true, maxlength: LONGEST_NAME, value: kept("name", "") });
    const password = h("input", { id: "password", type: "password", autocomplete: "current-password", required: true, maxlength: LONGEST_PASSWORD });
    const signIn = async (event) => {
      event.preventDefault();
      try {
        const answer = await post("/api/session", { name: name.value.trim(), password: password.value });
        this.you = answer.name;
        this.#say("");
        this.#come();
      } catch (problem) {
        this.#say(problem.message);
      }
    };
    return h("form", { class: "ways", onsubmit: signIn }, h("p", { class: "quiet" }, say("sign in how")),
      h("label", { for: "name" }, say("your name")), name, h("label", { for: "password" }, say("password")), password,
      h("button", { class: "main", id: "enter" }, say("sign in")));
  }

  async #signOut() {
    await api("/api/session", { method: "DELETE" });
    this.you = "";
    this.isSeeking = false;
    this.#come();
  }
}
