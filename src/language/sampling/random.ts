/** Random numbers, reproducible by a seed. @module */

/** Gives numbers from 0 (included) to 1 (excluded). */
export type RandomNumbers = () => number;

/**
 * xoshiro128**, its state hashed from seed and stream, so that neighbouring seeds and the choices of one request have
 * nothing in common. Without a seed the state comes from the platform's cryptographic generator.
 * @param seed any finite number
 * @param stream number of the choice
 */
export function createRandomNumbers(seed: number | undefined, stream: number): RandomNumbers {
  const state = seed === undefined ? crypto.getRandomValues(new Uint32Array(4)) : hashedState(seed, stream);
  let [a, b, c, d] = state as unknown as [number, number, number, number];
  if ((a | b | c | d) === 0) a = 1;
  const next32 = (): number => {
    const scrambled = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotateLeft(d, 11);
    return scrambled;
  };
  return () => ((next32() >>> 5) * 67108864 + (next32() >>> 6)) / 9007199254740992;
}

/**
 * The random numbers of one answer. Each place in it has its own, so that an answer which goes on elsewhere, or whose tokens
 * are read ahead, is sampled with the same ones.
 */
export class AnswerRandom {
  readonly #seed: number | undefined;
  readonly #stream: number;
  /** Gives the first number of one place after the other; absent before any is asked for. */
  #random: RandomNumbers | undefined;
  readonly #first: number[] = [];

  /** See {@link createRandomNumbers}. */
  constructor(seed: number | undefined, stream: number) {
    this.#seed = seed;
    this.#stream = stream;
  }

  /** The numbers that a token is sampled with, the same ones in each call. @param position of the token, 0 for the first */
  at(position: number): RandomNumbers {
    let further: RandomNumbers | undefined;
    return () => {
      if (further) return further();
      const first = this.#firstOf(position);
      further = createRandomNumbers(first, this.#stream);
      return first;
    };
  }

  #firstOf(position: number): number {
    this.#random ??= createRandomNumbers(this.#seed, this.#stream);
    while (this.#first.length <= position) this.#first.push(this.#random());
    return this.#first[position]!;
  }
}

function hashedState(seed: number, stream: number): Uint32Array {
  const words = new Uint32Array(new Float64Array([seed]).buffer);
  let hash = mix((words[0] ?? 0) ^ 0x9e3779b9);
  hash = mix(hash ^ (words[1] ?? 0));
  hash = mix(hash ^ stream);
  const state = new Uint32Array(4);
  for (let index = 0; index < 4; index++) {
    hash = mix((hash + 0x9e3779b9) | 0);
    state[index] = hash;
  }
  return state;
}

/** The finaliser of MurmurHash3: every input bit reaches every output bit. */
function mix(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

function rotateLeft(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
