/** Cuts sound into phrases where the speaker pauses. @module */

/** What was said between two pauses. */
export interface Phrase {
  samples: Float32Array;
  /** Seconds from the beginning of the sound. */
  start: number;
}

const FRAME_SECONDS = 0.02;

/** Counts of frames. */
const FRAMES_BEFORE = 15;
const FRAMES_TO_BEGIN = 4;
const FRAMES_TO_END = 25;
/** Whisper hears 30 seconds at a time. */
const MAX_FRAMES = 1400;
/** A phrase that is too long is cut where it is quietest, among so many frames at its end. */
const FRAMES_TO_CUT = 250;

/** Root mean square of samples between -1 and 1: what is below is silence everywhere. */
const MIN_LOUDNESS = 0.004;
/** Speech is so many times louder than what is always there. */
const OVER_NOISE = 3;
/** How fast the reckoned noise follows what is louder, per frame: it doubles in 7 seconds. */
const NOISE_RISE = 1.002;

interface Frame {
  samples: Float32Array;
  loudness: number;
}

/** Takes samples as they come, gives phrases as they end: found by loudness alone, which costs nothing beside the model. */
export class PhraseFinder {
  readonly #rate: number;
  readonly #frameLength: number;
  /** Of a frame that is not full yet. */
  #rest = new Float32Array(0);
  /** The phrase that is being said, or what may come to stand before one. */
  #frames: Frame[] = [];
  #isSpeech = false;
  #quiet = 0;
  #noise = MIN_LOUDNESS;
  /** Frames that were taken. */
  #taken = 0;

  /** @param rate samples per second */
  constructor(rate: number) {
    this.#rate = rate;
    this.#frameLength = Math.round(rate * FRAME_SECONDS);
  }

  /** Of all samples so far. */
  get seconds(): number {
    return (this.#taken * this.#frameLength + this.#rest.length) / this.#rate;
  }

  /** @returns the phrases that end in these samples */
  push(samples: Float32Array): Phrase[] {
    const all = new Float32Array(this.#rest.length + samples.length);
    all.set(this.#rest);
    all.set(samples, this.#rest.length);
    const phrases: Phrase[] = [];
    let at = 0;
    for (; at + this.#frameLength <= all.length; at += this.#frameLength) {
      const phrase = this.#take(all.subarray(at, at + this.#frameLength));
      if (phrase) phrases.push(phrase);
    }
    this.#rest = all.slice(at);
    return phrases;
  }

  /** What is being said when the sound ends. */
  end(): Phrase[] {
    return this.#isSpeech ? [this.#cut(this.#frames.length)] : [];
  }

  #take(samples: Float32Array): Phrase | undefined {
    const loudness = Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
    this.#noise = Math.max(MIN_LOUDNESS / OVER_NOISE, Math.min(loudness, this.#noise * NOISE_RISE));
    const isLoud = loudness > Math.max(MIN_LOUDNESS, OVER_NOISE * this.#noise);
    this.#frames.push({ samples, loudness: isLoud ? loudness : 0 });
    this.#taken += 1;
    if (!this.#isSpeech) {
      const recent = this.#frames.slice(-2 * FRAMES_TO_BEGIN);
      this.#isSpeech = recent.filter((frame) => frame.loudness > 0).length >= FRAMES_TO_BEGIN;
      this.#quiet = 0;
      if (!this.#isSpeech && this.#frames.length > FRAMES_BEFORE) this.#frames.shift();
      return undefined;
    }
    this.#quiet = isLoud ? 0 : this.#quiet + 1;
    if (this.#quiet >= FRAMES_TO_END) return this.#cut(this.#frames.length);
    return this.#frames.length >= MAX_FRAMES ? this.#cut(this.#quietest()) : undefined;
  }

  /** Ends the phrase after so many frames; the others begin the next one. */
  #cut(count: number): Phrase {
    const start = ((this.#taken - this.#frames.length) * this.#frameLength) / this.#rate;
    const samples = new Float32Array(count * this.#frameLength);
    this.#frames.splice(0, count).forEach((frame, index) => samples.set(frame.samples, index * this.#frameLength));
    this.#isSpeech = this.#frames.length > 0;
    return { samples, start };
  }

  #quietest(): number {
    const first = this.#frames.length - FRAMES_TO_CUT;
    let best = first;
    for (let at = first; at < this.#frames.length; at++) {
      if (this.#frames[at]!.loudness < this.#frames[best]!.loudness) best = at;
    }
    return best;
  }
}
