// The parts of the game screen.

export class Part {
  /** @param {import("./screen.js").GameScreen} screen */
  constructor(screen) {
    this.screen = screen;
  }
}
