// Sabaki without its window: the modules it publishes, used by `test_sabaki_modules`.
//
// Run with the modules in NODE_PATH. Each line of the input is a JSON array of a request's name and its arguments; each
// line of the output is what it returned, or {"failed": MESSAGE}.

const { createInterface } = require("readline");
const { ControllerStateTracker } = require("@sabaki/gtp");
const Board = require("@sabaki/go-board");
const deadstones = require("@sabaki/deadstones");
const sgf = require("@sabaki/sgf");

const SIGNS = { B: 1, W: -1 };
let tracker;

/** Return the stones of a board by vertex. */
function stonesOf(board) {
  const stones = {};
  for (let y = 0; y < board.height; y++) {
    for (let x = 0; x < board.width; x++) {
      const sign = board.get([x, y]);
      if (sign) stones[board.stringifyVertex([x, y])] = sign > 0 ? "B" : "W";
    }
  }
  return stones;
}

const requests = {
  start(command, ...args) {
    tracker = ControllerStateTracker.fromController(command, args);
    tracker.controller.start();
  },

  async send(name, ...args) {
    const response = await tracker.queueCommand({ name, args });
    if (response.error) throw new Error(response.content);
    return response.content;
  },

  /** Analyse until the given number of reports has come; Sabaki ends an analysis with `protocol_version`. */
  async analyze(reports, name, ...args) {
    const lines = [];
    let stopping;
    await tracker.controller.sendCommand({ name, args }, ({ line }) => {
      if (line.startsWith("info ")) lines.push(line);
      if (lines.length >= reports && !stopping) stopping = tracker.controller.sendCommand({ name: "protocol_version" });
    });
    await stopping;
    return lines;
  },

  async sync(state) {
    await tracker.sync(state);
    return tracker.state;
  },

  state: () => tracker.state,

  /** Return the stones and captures of Sabaki's own board after some moves, [colour, vertex] each. */
  board(width, height, moves) {
    let board = Board.fromDimensions(width, height);
    for (const [colour, vertex] of moves) board = board.makeMove(SIGNS[colour], board.parseVertex(vertex));
    return { stones: stonesOf(board), captures: [board.getCaptures(1), board.getCaptures(-1)] };
  },

  /** Return the stones that Sabaki takes for dead at the end of a game. */
  async dead(width, height, stones) {
    const board = Board.fromDimensions(width, height);
    for (const [vertex, colour] of Object.entries(stones)) board.set(board.parseVertex(vertex), SIGNS[colour]);
    const found = await deadstones.guess(board.signMap, { finished: true, iterations: 200 });
    return found.map((vertex) => board.stringifyVertex(vertex));
  },

  /** Return the properties of every node of a file's main line. */
  read(file) {
    let [node] = sgf.parseFile(file);
    const line = [node.data];
    while (node.children.length > 0) line.push((node = node.children[0]).data);
    return line;
  },

  /** Return the text that Sabaki writes for a file that it has read. */
  write: (file) => sgf.stringify(sgf.parseFile(file)),

  stop: () => tracker.controller.stop(),
};

async function main() {
  for await (const line of createInterface({ input: process.stdin })) {
    const [name, ...args] = JSON.parse(line);
    let result;
    try {
      result = await requests[name](...args);
    } catch (error) {
      result = { failed: String(error.message) };
    }
    process.stdout.write(JSON.stringify(result ?? null) + "\n");
  }
}

main();
