/** Sounds for what listens to loudness. */

/**
 * Tones and pauses after each other; a tone is 0.2 at its loudest.
 * @param seconds of each tone; negative: of a pause
 * @param noise under all of it, at its loudest
 */
export function soundOf(rate: number, seconds: readonly number[], noise = 0): Float32Array {
  const samples: number[] = [];
  let seed = 1;
  for (const length of seconds) {
    for (let at = 0; at < Math.round(Math.abs(length) * rate); at++) {
      seed = (seed * 48_271) % 2_147_483_647;
      const tone = length > 0 ? 0.2 * Math.sin((2 * Math.PI * 300 * at) / rate) : 0;
      samples.push(tone + noise * ((2 * seed) / 2_147_483_647 - 1));
    }
  }
  return Float32Array.from(samples);
}
