// Synthesised sounds of a game: a stone on wood, a capture, dice, a bell for the turn.

import { kept } from "../data/kept.js";

/** @type {AudioContext | null} */
let audio = null;

// Return the audio context, or null before the first click or key press, when browsers allow no sound.
function context() {
  if (!kept("sound", true) || !globalThis.AudioContext || !navigator.userActivation?.hasBeenActive) return null;
  audio ??= new AudioContext();
  if (audio.state === "suspended") audio.resume();
  return audio;
}

// Play a knock: a short burst of noise through a narrow filter.
function knock(at_s, frequency, loudness, length_s = 0.05) {
  const noise = audio.createBuffer(1, Math.ceil(audio.sampleRate * length_s), audio.sampleRate);
  const samples = noise.getChannelData(0);
  for (let index = 0; index < samples.length; index++) samples[index] = (2 * Math.random() - 1) * (1 - index / samples.length) ** 3;
  const source = new AudioBufferSourceNode(audio, { buffer: noise });
  const filter = new BiquadFilterNode(audio, { type: "bandpass", frequency, Q: 4 });
  const gain = new GainNode(audio, { gain: loudness });
  source.connect(filter).connect(gain).connect(audio.destination);
  source.start(audio.currentTime + at_s);
}

function ring(at_s, frequency, loudness, length_s) {
  const start = audio.currentTime + at_s;
  const source = new OscillatorNode(audio, { frequency });
  const gain = new GainNode(audio, { gain: 0 });
  gain.gain.setValueAtTime(loudness, start);
  gain.gain.exponentialRampToValueAtTime(0.001, start + length_s);
  source.connect(gain).connect(audio.destination);
  source.start(start);
  source.stop(start + length_s);
}

const SOUNDS = {
  stone: () => knock(0, 1400, 2.2),
  take: () => [0, 0.06, 0.11].forEach((at_s) => knock(at_s, 2200, 1.2)),
  dice: () => [0, 0.09, 0.15, 0.26, 0.34].forEach((at_s, index) => knock(at_s, 2600 + 300 * (index % 3), 0.9, 0.03)),
  turn: () => ring(0, 880, 0.06, 0.35),
  refuse: () => ring(0, 180, 0.12, 0.2),
  end: () => [523, 659, 784].forEach((frequency, index) => ring(0.14 * index, frequency, 0.06, 0.5)),
};

/** @param {keyof typeof SOUNDS} name */
export function sound(name) {
  if (context()) SOUNDS[name]();
}
