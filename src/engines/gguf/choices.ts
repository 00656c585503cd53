/** What sampling needs, as what chooses tokens where logits are. @module */
import type { AnswerRandom } from '../../language/sampling/random.js';
import type { LogitsNeed, SampleSettings } from '../../language/sampling/token-logits.js';
import type { TokenChoice } from './forward-interface.js';

const GREATEST: TokenChoice = { temperature: 0, topK: 0, topP: 1, minP: 0, seed: 0 };

/** How the tokens of each row are chosen; undefined: whoever asks reads the logits themselves. */
export function choicesOf(need: LogitsNeed, rows: number): TokenChoice[] | undefined {
  if (need.type === 'greatest' && need.count === 1) return Array.from({ length: rows }, () => GREATEST);
  if (need.type === 'sample') return drawn(need, 0, need.random);
  return need.draw && drawn(need.draw, need.draw.topK, need.draw.random);
}

function drawn(
  { temperature, topP, minP }: SampleSettings,
  topK: number,
  random: readonly AnswerRandom[],
): TokenChoice[] {
  return random.map((numbers) => ({ temperature, topK, topP, minP, seed: Math.floor(numbers.at(0)() * 2 ** 32) }));
}
