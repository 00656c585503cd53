/** Whether a decoder's graph can append several tokens at once to others, found out by trying. @module */
import type { ForwardPass } from './forward-pass.js';
import type { OnnxSession } from '../ort/onnx-session.js';
import { isKeyOrValue, isState, SequenceState } from '../cache/sequence-state.js';

/** Classes whose tokens see what comes after them in a prompt, by `model_type`. */
const LOOK_AHEAD = new Set(['paligemma', 'hrm_text']);

/**
 * Whether a graph is to be tried. A cache of the keys and values of every token is read alike however many tokens are
 * appended, so graphs with no other state need no trial. Convolutions and recurrences are often traced either for a prompt,
 * which begins from nothing, or for one token; merged graphs have a branch for each. And where a prompt's tokens see what
 * comes after them, a prompt in two passes is another prompt.
 * @param type `model_type` of the config
 */
export function needsAppendProbe({ inputMetadata }: Pick<OnnxSession, 'inputMetadata'>, type: unknown): boolean {
  const isPlain = inputMetadata.every(({ name, shape }) =>
    isState(name) ? isKeyOrValue(name, shape) : name !== 'use_cache_branch' && name !== 'token_type_ids',
  );
  return !isPlain || LOOK_AHEAD.has(String(type));
}

/** Tokens of the trial, and how many of them the first of two passes reads. */
const [LENGTH, FIRST] = [6, 2];

/**
 * How far logits may be apart, as a share of their own size. Dynamic quantization rounds the tokens of a pass together, so
 * that two ways to read them differ by some hundredths; to leave out a state changes more than this.
 */
const TOLERANCE = 0.25;

/**
 * Reads the same few tokens in one pass and in two. Whoever cannot continue is still right token by token.
 * @param vocabularySize tokens are taken from all of the vocabulary
 * @returns false when the second of two passes fails, gives other logits than the one pass, or does not read the state
 */
export async function probeMultiTokenAppend(forward: ForwardPass, vocabularySize: number): Promise<boolean> {
  const golden = (Math.sqrt(5) - 1) / 2;
  const tokens = Array.from({ length: LENGTH }, (_, at) => Math.floor((((at + 1) * golden) % 1) * vocabularySize));
  const held: SequenceState[] = [forward.emptyState()];
  const read = async (from: number, to: number, state: SequenceState): Promise<Float32Array[]> => {
    const row = { tokens: tokens.slice(from, to), past: from };
    const { logits, state: next } = await forward.run([row], state, { keep: to - from, needs: [{ type: 'all' }] });
    held.push(next);
    return logits[0] as Float32Array[];
  };
  try {
    const [empty] = held as [SequenceState];
    const together = await read(0, LENGTH, empty);
    const before = await read(0, FIRST, empty);
    const after = held.at(-1)!;
    const apart = await read(FIRST, LENGTH, after).catch(() => undefined);
    if (!apart || ![...before, ...apart].every((logits, at) => isAlike(together[at]!, logits))) return false;
    const forgetful = withoutStates(after, empty);
    const forgotten = forgetful && (await read(FIRST, LENGTH, forgetful).catch(() => undefined));
    return !forgotten || !apart.every((logits, at) => isEqual(logits, forgotten[at]!));
  } finally {
    for (const state of held) state.release();
  }
}

/** The state with the keys and values alone; undefined when there is nothing else of a fixed size. It owns no tensor. */
function withoutStates({ tensors, rows }: SequenceState, empty: SequenceState): SequenceState | undefined {
  const fixed = Object.entries(empty.tensors).filter(([, { dims }]) => dims.every((size) => size > 0));
  return fixed.length > 0 ? new SequenceState({ ...tensors, ...Object.fromEntries(fixed) }, rows) : undefined;
}

function isAlike(expected: Float32Array, given: Float32Array): boolean {
  const mean = expected.reduce((sum, value) => sum + value, 0) / expected.length;
  let [distance, size] = [0, 0];
  for (const [index, value] of expected.entries()) {
    distance += (value - given[index]!) ** 2;
    size += (value - mean) ** 2;
  }
  return distance <= TOLERANCE ** 2 * size;
}

function isEqual(one: Float32Array, other: Float32Array): boolean {
  return one.every((value, index) => value === other[index]);
}
