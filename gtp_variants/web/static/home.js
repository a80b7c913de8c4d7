// The first screen: a new game, the games of this browser and of the server, a record to open.

import { Board } from "./board.js";
import { api, games, h, keep, keepGame, kept, post, recoveryWords, seatLink } from "./net.js";
import { nameInput, titleOf } from "./parts.js";
import { language, meaningOf, nameOf, say } from "./words.js";

const LEVELS = 10;
const MIDDLE = 5;
const MOST_LIVE = 12;
const LOOK_MS = 3000;
const CLOCKS = [[5, 3], [10, 5], [20, 10], [45, 20]];

export async function home(main, wanted, isRefereeing) {
  document.title = "gtp-variants";
  // Whoever has gone on to another screen meanwhile stays there.
  const place = h("div");
  main.append(place);
  const about = await api("/api/about");
  if (!place.isConnected) return;
  if (about.token) {
    // The one that is kept is another server's.
    if (kept("token")) keep("token", null);
    place.replaceWith(tokenForm());
    return;
  }
  const form = new NewGame(about, wanted, isRefereeing);
  place.replaceWith(h("div", { class: "home" }, form.element, h("div", { class: "shelf" }, liveGames(), yours(), atBoards(), recordForm(), serverGames())));
  await form.choose();
}

// What is played elsewhere and shown here, as long as there is any.
function liveGames() {
  const list = h("ul", { class: "list" });
  const section = h("section", { class: "card", hidden: true }, h("h2", {}, say("live")), list);
  const look = async () => {
    const { games: live } = await api("/api/live");
    section.hidden = !live.length;
    list.replaceChildren(...live.slice(0, MOST_LIVE).map((each) => h("li", {},
      h("a", { href: each.over || each.lost ? `#game=${each.game}` : `#live=${encodeURIComponent(each.source)}&game=${each.game}` },
        `${each.source}: ${Object.values(each.seats).map(({ bot }) => bot).join(" – ")}`),
      h("span", { class: "quiet" }, each.over ? say("finished") : say("turn number", { number: each.turn })))));
    setTimeout(() => section.isConnected && look(), LOOK_MS);
  };
  look();
  return section;
}

function tokenForm() {
  const input = h("input", { type: "password", autocomplete: "off", id: "token", required: true });
  const submit = (event) => {
    event.preventDefault();
    keep("token", input.value.trim());
    dispatchEvent(new Event("hashchange"));
  };
  return h("form", { class: "card token", onsubmit: submit },
    h("h1", {}, say("token")), h("p", {}, say("token how")),
    h("label", { for: "token" }, say("token")), input, h("button", { class: "main" }, say("begin")));
}

function yours() {
  const entries = Object.entries(games()).sort(([, a], [, b]) => b.at - a.at).slice(0, 12);
  const rows = entries.map(([game, entry]) => h("li", {},
    h("a", { href: entry.link ?? `#game=${game}` }, entry.title ?? game.slice(0, 6)),
    h("span", { class: "quiet" }, entry.isOver ? say("finished") : new Date(entry.at).toLocaleString(language()))));
  return h("section", { class: "card" }, h("h2", {}, say("go on")),
    rows.length ? h("ul", { class: "list" }, rows) : h("p", { class: "quiet" }, say("none yet")));
}

// What a phone beside a real board is good for.
function atBoards() {
  return h("section", { class: "card" }, h("h2", {}, say("at boards")), h("p", { class: "quiet" }, say("at boards how")),
    h("ul", { class: "list" },
      h("li", {}, h("a", { href: "#new=phantom&referee" }, say("referee here"))),
      h("li", {}, h("a", { href: "#dice" }, say("dice at board")))));
}

function recordForm() {
  const error = h("p", { class: "error", role: "alert" });
  const input = h("input", { type: "file", id: "file", accept: ".sgf,.json" });
  input.addEventListener("change", async () => {
    try {
      const { game } = await api("/api/records", { method: "POST", body: await input.files[0].arrayBuffer() });
      location.hash = `game=${game}`;
    } catch (problem) {
      error.textContent = `${say("wrong file")}: ${problem.message}`;
    }
  });
  return h("section", { class: "card" }, h("h2", {}, h("label", { for: "file" }, say("open record"))),
    h("p", { class: "quiet" }, say("open record how")), input, error);
}

function serverGames() {
  const list = h("ul", { class: "list" });
  const section = h("details", { class: "card" }, h("summary", {}, say("list")), list);
  section.addEventListener("toggle", async () => {
    if (!section.open) return;
    const told = await api("/api/games");
    list.replaceChildren(...told.games.map((each) => h("li", {},
      h("a", { href: `#game=${each.game}` }, [each.title, Object.values(each.seats).map(titleOf).join(" – ")].filter(Boolean).join(": ")),
      h("span", { class: "quiet" }, each.over ? say("finished") : say("turn number", { number: each.turn })))));
  });
  return section;
}

// The form of a new game, its options made from what the server says of the game.
class NewGame {
  constructor(about, wanted, isRefereeing) {
    this.about = about;
    this.seats = isRefereeing ? { b: "me", w: "me" } : {};
    this.names = {};
    [this.name, this.given] = read(wanted ?? kept("spec", "aleago"));
    if (!about.games.some((each) => each.name === this.name)) this.name = "aleago";
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
          type: "radio", name: "game", value: name, checked: name === this.name,
          onchange: () => { this.name = name; this.given = {}; this.choose(); },
        }), h("span", {}, title))));
  }

  spec() {
    const pairs = Object.entries(this.given).map(([key, value]) => `${key}=${value}`);
    return pairs.length ? `${this.name}:${pairs.join(",")}` : this.name;
  }

  async choose() {
    const spec = this.spec();
    let described;
    try {
      described = await api(`/api/describe?lang=${language()}&spec=${encodeURIComponent(spec)}`);
      this.error.textContent = "";
    } catch (problem) {
      this.error.textContent = problem.message;
      return;
    }
    // Something else was chosen meanwhile, or the screen has gone.
    if (spec !== this.spec() || !this.element.isConnected) return;
    this.described = described;
    const board = new Board(described);
    board.draw({ stones: {} });
    board.element.setAttribute("aria-hidden", "true");
    this.preview.replaceChildren(board.element);
    const focused = document.activeElement?.id;
    this.refereeing = h("p", { class: "quiet", role: "status" });
    this.body.replaceChildren(...this.#seats(), this.refereeing, this.#clock(), this.#options(), this.#rules());
    this.#note();
    if (focused) document.getElementById(focused)?.focus();
  }

  // Who plays all sides of a hidden game is its referee, for people at real boards.
  get isReferee() {
    return !this.described.open && this.described.players.every((colour) => document.getElementById(`seat-${colour}`).value === "me");
  }

  #note() {
    this.refereeing.textContent = this.isReferee ? say("referee how") : "";
  }

  #seats() {
    const bots = this.about.bots.map((each) => each.name);
    const best = this.described.bot;
    const ordered = [best, ...bots.filter((name) => name !== best)];
    const first = this.described.players[0];
    const chosenAt = (colour) => this.seats[colour] ?? (colour === first ? "me" : `bot:${best}`);
    // Who begins the game is the first of those who play here.
    const mine = this.described.players.find((colour) => chosenAt(colour) === "me");
    return this.described.players.map((colour) => {
      const id = `seat-${colour}`;
      const choices = [["me", say("me")], ["link", say("link")], ...ordered.map((name) => [`bot:${name}`, name])];
      const chosen = chosenAt(colour);
      const level = h("select", { id: `level-${colour}`, "aria-label": say("level") },
        Array.from({ length: LEVELS }, (_, i) => option(String(i + 1), `${say("level")} ${i + 1}`, kept("level", MIDDLE) === i + 1)));
      const levels = () => this.about.bots.find((each) => `bot:${each.name}` === select.value)?.levels;
      const select = h("select", { id, onchange: () => {
        this.seats = { ...this.seats, [colour]: select.value };
        level.hidden = !levels();
        name.hidden = select.value !== "me";
        this.#note();
      } }, choices.map(([value, text]) => option(value, text, value === chosen)));
      const name = nameInput(`name-${colour}`, this.names[colour] ?? (colour === mine ? kept("name", "") : ""));
      name.addEventListener("input", () => { this.names[colour] = name.value; });
      level.hidden = !levels();
      name.hidden = chosen !== "me";
      return h("div", { class: "row" }, h("label", { for: id }, h("i", { class: `dot ${colour}` }), nameOf(colour)), select, level, name);
    });
  }

  #clock() {
    return h("div", { class: "row" }, h("label", { for: "clock" }, say("clock")),
      h("select", { id: "clock" }, option("", say("no clock"), true),
        CLOCKS.map(([main, more]) => option(`${main},${more}`, say("clock of", { main, more })))));
  }

  #options() {
    const resolved = read(this.described.spec)[1];
    const change = (key, value) => {
      this.given = { ...this.given, [key]: value };
      this.isOpen = true;
      this.choose();
    };
    const rows = this.described.options.filter((each) => each.name !== "lang").map((each) => {
      const id = `option-${each.name}`;
      return h("div", { class: "row option" }, h("label", { for: id }, h("code", {}, each.name), h("small", {}, meaningOf(each))),
        this.#input(each, id, resolved[each.name], change));
    });
    return h("details", { open: this.isOpen, ontoggle: (event) => { this.isOpen = event.target.open; } },
      h("summary", {}, say("options")), rows);
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
    const spec = encodeURIComponent(this.described.spec.replace(/,?lang=\w+/, ""));
    return h("p", {}, h("a", { href: `/api/rules?lang=${language()}&spec=${spec}`, target: "_blank", rel: "noopener" }, say("rules")));
  }

  async #begin(event) {
    event.preventDefault();
    const seats = {}, mine = [];
    for (const colour of this.described.players) {
      const value = document.getElementById(`seat-${colour}`).value;
      const level = document.getElementById(`level-${colour}`);
      const name = document.getElementById(`name-${colour}`).value.trim();
      if (value === "me" && !mine.length && !this.isReferee) keep("name", name);
      if (value === "me") mine.push(colour);
      seats[colour] = value.startsWith("bot:")
        ? { kind: "bot", bot: value.slice(4), ...(level.hidden ? {} : { level: Number(level.value) }) }
        : value === "me" ? { kind: "person", name } : { kind: "invited" };
      if (value.startsWith("bot:") && !level.hidden) keep("level", Number(level.value));
    }
    const clock = document.getElementById("clock").value.split(",").map(Number);
    try {
      const made = await post("/api/games", {
        spec: this.spec(), lang: language(), seats, ...(this.isReferee ? { referee: true } : {}), ...(clock.length > 1 ? { clock: { main_s: 60 * clock[0], increment_s: clock[1] } } : {}),
      });
      keep("spec", this.spec());
      const link = seatLink(made.game, made.seats.referee ? "referee" : mine[0]);
      const { invitations, creator } = made;
      keepGame(made.game, { seats: made.seats, mine, invitations, creator, title: this.described.title, link });
      // Who invites others may lose the seat to them; who plays alone loses a game.
      if (creator) recoveryWords.set(made.game, made.recovery);
      location.hash = link;
    } catch (problem) {
      this.error.textContent = problem.message;
    }
  }
}

const option = (value, text, selected) => h("option", { value, selected: Boolean(selected) }, text);

function read(spec) {
  const [name, rest = ""] = spec.split(/:(.*)/s);
  return [name, Object.fromEntries(rest.split(",").filter(Boolean).map((pair) => pair.split(/=(.*)/s).slice(0, 2)))];
}
