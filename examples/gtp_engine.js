// A GTP engine that plays Aléago and Alter Igo at random, written from docs/protocol/ alone.
"use strict";

const LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ";
const OTHER = { b: "w", w: "b" };
// For each game, the options that matter to the engine, with their defaults.
const OPTIONS = {
  aleago: { size: "13", dice: "1d6", star: "true", fallback_ko: "true", end_passes: "2", agreement: "true" },
  "alter-igo": { size: "9", first: "b", repetition: "board", repeat_count: "3", white_passes: "0" },
};
// Options of Aléago that are known with these values only, and options that do not matter to a random player.
const FIXED = { star_lines: "all", overflow: "fallback", double_whole_board: "false", mapping: "concentric",
  repetition: "ssk" };
const OTHERS = ["width", "height", "free_player", "crystal_ball", "komi", "dead", "lang"];

class Refused extends Error {}

// All that `undo` takes back. A point is a number; `stones` is a text with a letter for each point, "." for none.
let game;
let saved = [];

function start(spec) {
  const [name, text = ""] = spec.split(/:(.*)/);
  const given = Object.fromEntries(text.split(",").filter(Boolean).map((pair) => pair.split("=")));
  const isKnown = ([key, value]) =>
    key in OPTIONS[name] || OTHERS.includes(key) || (name === "aleago" && FIXED[key] === value);
  if (!(name in OPTIONS) || !Object.entries(given).every(isKnown)) throw new Refused(`cannot play ${spec}`);
  const options = { ...OPTIONS[name], ...given };
  const [width, height] = ["width", "height"].map((key) => Number(options[key] ?? options.size));
  if (!(width >= 1 && width <= 25 && height >= 1 && height <= 25)) throw new Refused("unacceptable size");
  const [toPlay, stones] = [options.first ?? "b", ".".repeat(width * height)];
  saved = [];
  // `past` has the boards that count for repetition, with the side that made each.
  const past = [stones + OTHER[toPlay]];
  game = { spec, name, options, width, height, stones, toPlay, past, draws: {}, passes: 0, isOver: false };
}

const isAleago = () => game.name === "aleago";
const isOn = (key) => game.options[key] === "true";
const dice = () => game.options.dice.split("d").map(Number);
const randomBelow = (end) => Math.floor(Math.random() * end);

function near(point) {
  const { width, height } = game;
  const found = [point - width, point + width].filter((next) => next >= 0 && next < width * height);
  if (point % width > 0) found.push(point - 1);
  if (point % width < width - 1) found.push(point + 1);
  return found;
}

// The chain at a point if it has no liberty; otherwise nothing.
function dead(stones, point) {
  const chain = new Set([point]);
  for (const each of chain) {
    for (const next of near(each)) {
      if (stones[next] === ".") return [];
      if (stones[next] === stones[point]) chain.add(next);
    }
  }
  return [...chain];
}

// The board after a stone, and the points that it empties.
function after(colour, point) {
  const board = [...game.stones];
  board[point] = colour;
  const taken = new Set(near(point).flatMap((next) => (board[next] === OTHER[colour] ? dead(board, next) : [])));
  if (!isAleago() || !taken.size) dead(board, point).forEach((each) => taken.add(each));
  taken.forEach((each) => { board[each] = "."; });
  return [board.join(""), taken];
}

// Why a stone is illegal on any line, or "".
function problem(colour, point) {
  if (game.isOver) return "game over";
  if (game.stones[point] !== ".") return "occupied";
  if (!isAleago()) return "";
  const [board, taken] = after(colour, point);
  if (taken.has(point)) return "suicide";
  return game.past.includes(board + colour) ? "repetition" : "";
}

// The points where a colour may play: on the lines of its draw, or on the next line below that has room.
function legal(colour) {
  const reasons = [...game.stones].map((_, point) => problem(colour, point));
  const lineOf = (point) => {
    const [x, y, last] = [point % game.width, Math.floor(point / game.width), game.width - 1];
    return 1 + Math.min(x, y, last - x, last - y);
  };
  const on = (isOpen, found) => [...reasons.keys()].filter((p) => found.includes(reasons[p]) && isOpen(lineOf(p)));
  const faces = game.draws[colour];
  if (!faces?.length) return on(() => true, [""]);
  const [count, sides] = dice();
  const total = faces.reduce((sum, face) => sum + face, 0);
  const hasStar = isOn("star") && total === count * sides;
  let isOpen = (line) => line === total || (hasStar && (line > total || line < count));
  const room = isOn("fallback_ko") ? [""] : ["", "repetition"];
  for (let below = total - 1; below > 0 && !on(isOpen, room).length; below--) isOpen = (line) => line === below;
  return on(isOpen, [""]);
}

const canPass = (colour) => isAleago() || (colour === "w" && game.passes < Number(game.options.white_passes));

// Play a point, or pass with -1.
function move(colour, point) {
  const { options } = game;
  const refuse = (reason) => { throw new Refused(`illegal move (${reason})`); };
  if (game.isOver) refuse("game over");
  if (!isAleago() && colour !== game.toPlay) refuse("not your turn");
  if (point < 0 && !canPass(colour)) refuse("no pass");
  if (point >= 0 && !legal(colour).includes(point)) refuse(problem(colour, point) || "line");
  saved.push(game);
  const [stones, taken] = point < 0 ? [game.stones, new Set()] : after(colour, point);
  game = { ...game, stones, draws: { ...game.draws, [colour]: undefined }, toPlay: OTHER[colour] };
  if (point >= 0 || isAleago()) game.past = [...game.past, stones + colour];
  if (isAleago()) {
    game.passes = point < 0 ? game.passes + 1 : 0;
    game.isOver = game.passes >= Number(options.end_passes) + Number(isOn("agreement"));
  } else if (point < 0) {
    game.passes += 1;
  } else {
    const makers = options.repetition === "board" ? ["b", "w"] : [colour];
    const count = game.past.filter((each) => makers.some((maker) => each === stones + maker)).length;
    game.isOver = (taken.size === 1 && taken.has(point)) || count >= Number(options.repeat_count);
  }
}

function readColour(word = "") {
  if (!/^(b|w|black|white)$/i.test(word)) throw new Refused(`invalid colour or vertex: ${word}`);
  return word[0].toLowerCase();
}

function readVertex(word = "") {
  if (/^pass$/i.test(word)) return -1;
  if (!/^[A-HJ-Z]\d+$/i.test(word)) throw new Refused(`invalid colour or vertex: ${word}`);
  const [x, y] = [LETTERS.indexOf(word[0].toUpperCase()), Number(word.slice(1)) - 1];
  if (x >= game.width || y < 0 || y >= game.height) throw new Refused("illegal move (off board)");
  return y * game.width + x;
}

const write = (point) => (point < 0 ? "pass" : LETTERS[point % game.width] + (Math.floor(point / game.width) + 1));

function setDraw(word, ...faces) {
  const told = faces[0] === "free" ? [] : faces.map(Number);
  if (!isAleago() || told.some(Number.isNaN)) throw new Refused("syntax error: expected aleago-draw COLOUR FACE...");
  game = { ...game, draws: { ...game.draws, [readColour(word)]: told } };
}

// Play a random move that fills no own eye and loses no game at once.
function genmove(word) {
  const colour = readColour(word);
  const [count, sides] = isAleago() ? dice() : [];
  if (count && !game.draws[colour]) setDraw(colour, ...Array.from({ length: count }, () => 1 + randomBelow(sides)));
  const good = legal(colour).filter((point) => {
    if (isAleago()) return near(point).some((next) => game.stones[next] !== colour);
    const [, taken] = after(colour, point);
    return taken.size !== 1 || !taken.has(point);
  });
  if (!good.length && !canPass(colour)) return "resign";
  const point = good.length ? good[randomBelow(good.length)] : -1;
  move(colour, point);
  return write(point);
}

const COMMANDS = {
  protocol_version: () => "2",
  name: () => "Stranger in JavaScript",
  version: () => "1.0",
  list_commands: () => Object.keys(COMMANDS).join("\n"),
  known_command: (name) => String(name in COMMANDS),
  quit: () => reader.close(),
  boardsize: (size) => start(`${game.name}:size=${size}`),
  komi: () => "",
  clear_board: () => start(game.spec),
  play: (colour, vertex) => move(readColour(colour), readVertex(vertex)),
  genmove,
  undo: () => {
    if (!saved.length) throw new Refused("cannot undo");
    game = saved.pop();
  },
  "variant-set": (spec = "") => start(spec),
  "variant-legal_moves": () => [...legal(game.toPlay), ...(canPass(game.toPlay) ? [-1] : [])].map(write).join(" "),
  "aleago-draw": setDraw,
  "aleago-resume": () => { game = { ...game, passes: 0 }; },
};

start("aleago");
const reader = require("readline").createInterface({ input: process.stdin });
reader.on("line", (line) => {
  const words = line.split("#")[0].split(/\s+/).filter(Boolean);
  const id = /^\d+$/.test(words[0]) ? words.shift() : "";
  if (!words.length) return;
  try {
    if (!Object.hasOwn(COMMANDS, words[0])) throw new Refused("unknown command");
    process.stdout.write(`=${id} ${COMMANDS[words[0]](...words.slice(1)) ?? ""}\n\n`);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    process.stdout.write(`?${id} ${error.message}\n\n`);
  }
});
