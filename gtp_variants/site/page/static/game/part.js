// The parts of the game screen.

export class Part {
  /** @param {import("./screen.js").default} screen */
  constructor(screen) {
    this.screen = screen;
  }
}
