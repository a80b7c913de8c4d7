"use strict";

/** The theme: the system's theme, until the user chooses the other theme. */
(() => {
  const root = document.documentElement, button = document.getElementById("theme");
  const remember = (theme) => { try { localStorage.setItem("gtp-variants-theme", theme); } catch { /* not kept */ } };
  try { root.dataset.theme = localStorage.getItem("gtp-variants-theme") || ""; } catch { /* none kept */ }
  button.onclick = () => {
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
    remember(root.dataset.theme);
  };
})();

const make = (tag, about = {}, ...inside) => {
  const found = Object.assign(document.createElement(tag), about);
  found.append(...inside);
  return found;
};

/** Shows the values of a plot at the pointer. */
for (const figure of document.querySelectorAll(".plot")) {
  const curves = JSON.parse(figure.querySelector("script").textContent), area = figure.querySelector(".area");
  const xName = figure.querySelector(".names span:last-child").textContent.split(",")[0];
  const marks = [...figure.querySelectorAll(".xs span")];
  let shown = [];
  const clear = () => { shown.forEach((each) => each.remove()); shown = []; };
  const nearest = (points, x) => points.reduce((best, each) => (Math.abs(each[0] - x) < Math.abs(best[0] - x) ? each : best));
  area.onpointerleave = clear;
  area.onpointermove = (event) => {
    const box = area.getBoundingClientRect(), at = (event.clientX - box.left) / box.width * 1000;
    clear();
    const found = curves.map((curve) => nearest(curve.p, at)), x = nearest(found, at)[0];
    const tip = make("div", { className: "tip" }, `${xName} ${nearest(found, at)[3]}`);
    const isRight = x > 500;
    curves.forEach((curve, index) => {
      const [px, py, words] = found[index];
      if (Math.abs(px - x) > 30) return;
      tip.append(make("div", {}, make("i", { className: `c${index % 8}` }), curves.length > 1 ? `${curve.n} ${words}` : words));
      const spot = make("div", { className: `spot c${index % 8}` });
      spot.style.cssText = `left:${px / 10}%;top:${py / 10}%`;
      shown.push(spot);
    });
    tip.style.cssText = `top:.3rem;${isRight ? `right:${100 - x / 10 + 1}%` : `left:${x / 10 + 1}%`}`;
    const rule = make("div", { className: "rule" });
    rule.style.left = `${x / 10}%`;
    shown.push(rule, tip);
    area.append(...shown);
  };
}

/** The list of games: sorted by any column, filtered, fifty at a time. */
(() => {
  const source = document.getElementById("columns");
  if (!source) return;
  const data = JSON.parse(source.textContent), games = [], PAGE = 50;
  const digit = (text, index) => parseInt(text[index], 36);
  const logs = new Set(data.logs), LEGS = "abc";
  for (const [matchup, rounds] of Object.entries(data.rounds)) {
    const seatings = data.seatings[matchup];
    for (const [first, last] of rounds) {
      const isWhole = typeof last === "number";
      for (let pair = first; pair <= (isWhole ? last : first); pair++) {
        const legs = isWhole ? LEGS.slice(0, seatings[0].length) : last;
        for (const leg of legs) {
          const n = games.length, players = seatings[digit(data.seats, n)], winner = data.winners[n];
          games.push({
            n, id: `${matchup}/${String(pair).padStart(4, "0")}${leg}`, players,
            winner: "012".includes(winner) ? players[winner] : winner, seat: winner,
            how: data.kind_names[digit(data.kinds, n)], result: data.result_names[data.results[n]],
            moves: data.moves[n], took: data.took[n] / 10, first: data.same[n],
            note: n in data.notes ? data.note_texts[data.notes[n]] : "",
          });
        }
      }
    }
  }
  const names = data.names, sides = ["Black", "White", "Red"].slice(0, games[0].players.length);
  const wish = { player: "", against: "", colour: "", outcome: "", how: "", text: "" };
  let sorting = { key: "n", isUp: true }, pageNumber = 0;

  const outcomes = {
    won: (g) => g.winner === wish.player, lost: (g) => !"-x".includes(g.winner) && g.winner !== wish.player,
    drawn: (g) => g.winner === "-", void: (g) => g.winner === "x",
    "Black won": (g) => g.seat === "0", "White won": (g) => g.seat === "1", "Red won": (g) => g.seat === "2",
  };
  const fits = (g) => (!wish.player || g.players.includes(wish.player)) && (!wish.against || g.players.includes(wish.against))
    && (!wish.colour || (wish.player ? g.players[sides.indexOf(wish.colour)] === wish.player : true))
    && (!wish.outcome || outcomes[wish.outcome](g)) && (!wish.how || (wish.how === "duplicate" ? g.first !== undefined : g.how === wish.how))
    && (!wish.text || `${g.id} ${g.players.join(" ")} ${g.result} ${g.note}`.toLowerCase().includes(wish.text.toLowerCase()));
  const hows = [...data.kind_names, ...(Object.keys(data.same).length ? ["duplicate"] : [])];
  const choices = {
    player: () => names, against: () => names.filter((name) => name !== wish.player),
    colour: () => (wish.player ? sides : []),
    outcome: () => [...(wish.player ? ["won", "lost"] : sides.map((side) => `${side} won`)), "drawn", "void"],
    how: () => hows,
  };
  const labels = { player: "player", against: "against", colour: "as", outcome: "outcome", how: "how it ended", text: "search" };
  const columns = [
    ["game", "n", (g) => g.n], [sides.join(" – "), "players", (g) => g.players.join(" ")], ["result", "result", (g) => g.result],
    ["how", "how", (g) => g.how], ["moves", "moves", (g) => g.moves], ["time", "took", (g) => g.took], ["note", "note", (g) => g.note],
  ];

  const filters = document.getElementById("filters"), list = document.getElementById("list"), pages = document.getElementById("pages");
  const address = (g, ending) => g.id.split("/").map(encodeURIComponent).join("/") + ending;
  const drawFilters = () => {
    const focused = document.activeElement?.name;
    filters.replaceChildren(...Object.keys(wish).filter((key) => key === "text" || choices[key]().length).map((key) => {
      const field = key === "text" ? make("input", { type: "search", size: 14, value: wish.text })
        : make("select", {}, make("option", { value: "" }, "any"), ...choices[key]().map((each) => make("option", { value: each }, each)));
      field.name = key;
      field.value = wish[key];
      field.oninput = () => { wish[key] = field.value; pageNumber = 0; if (key !== "text") drawFilters(); draw(); };
      return make("label", {}, labels[key], field);
    }));
    if (focused) filters.querySelector(`[name="${focused}"]`)?.focus();
  };
  const row = (g) => {
    const links = [make("a", { href: address(g, ".html") }, g.id), " ", make("a", { href: address(g, ".sgf"), className: "small" }, "sgf")];
    if (logs.has(g.n)) links.push(" ", make("a", { href: `logs/${address(g, "/")}`, className: "small" }, "logs"));
    const players = g.players.flatMap((name, seat) => [seat ? " – " : "", make(String(seat) === g.seat ? "b" : "span", {}, name)]);
    const note = [g.note, g.first === undefined ? "" : `the same as ${games[g.first].id}`].filter(Boolean).join("; ");
    return make("tr", {}, make("td", { className: "text" }, ...links), make("td", { className: "text" }, ...players),
      make("td", {}, g.result), make("td", { className: "text" }, g.how), make("td", {}, String(g.moves)),
      make("td", {}, `${g.took.toFixed(1)} s`), make("td", { className: "text note" }, note));
  };
  const head = () => make("thead", {}, make("tr", {}, ...columns.map(([name, key], index) => {
    const cell = make("th", { className: [0, 1, 3, 6].includes(index) ? "text" : "" }, make("button", {
      type: "button", onclick: () => { sorting = { key, isUp: sorting.key === key ? !sorting.isUp : true }; draw(); },
    }, name));
    if (sorting.key === key) cell.setAttribute("aria-sort", sorting.isUp ? "ascending" : "descending");
    return cell;
  })));
  const draw = () => {
    const value = columns.find(([, key]) => key === sorting.key)[2], sign = sorting.isUp ? 1 : -1;
    const found = games.filter(fits).map((g) => [value(g), g]);
    found.sort(([a, g], [b, h]) => sign * (a < b ? -1 : a > b ? 1 : 0) || g.n - h.n);
    const last = Math.max(0, Math.ceil(found.length / PAGE) - 1);
    pageNumber = Math.min(pageNumber, last);
    list.replaceChildren(head(), make("tbody", {}, ...found.slice(pageNumber * PAGE, (pageNumber + 1) * PAGE).map(([, g]) => row(g))));
    const turn = (words, to, label) => make("button", { type: "button", disabled: to < 0 || to > last || to === pageNumber,
      ariaLabel: label, onclick: () => { pageNumber = to; draw(); } }, words);
    const of = found.length === games.length ? `${games.length} games` : `${found.length} of ${games.length} games`;
    pages.replaceChildren(turn("«", 0, "first page"), turn("‹", pageNumber - 1, "page before"), `page ${pageNumber + 1} of ${last + 1}`,
      turn("›", pageNumber + 1, "next page"), turn("»", last, "last page"), make("span", { className: "faint", role: "status" }, of));
  };
  const follow = () => {
    // #games-3: games of player 3; #games-3-0: games of player 3 against player 0.
    const asked = location.hash.match(/^#games-(\d+)(?:-(\d+))?$/);
    if (!asked) return;
    for (const key of Object.keys(wish)) wish[key] = "";
    wish.player = names[asked[1]] ?? "";
    wish.against = names[asked[2]] ?? "";
    pageNumber = 0;
    drawFilters();
    draw();
    document.getElementById("games").scrollIntoView();
  };
  addEventListener("hashchange", follow);
  drawFilters();
  draw();
  follow();
})();
