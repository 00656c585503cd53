import { expect, it } from 'vitest';
import type { BatchQueue } from '../../../../src/engines/transformers/text/batch-queue.js';
import type { LogitsRequest } from '../../../../src/engines/transformers/gpu/gpu-logits.js';
import { createTensor } from '../../../../src/engines/transformers/ort/onnx-session.js';
import { OnnxSequence } from '../../../../src/engines/transformers/text/onnx-sequence.js';
import { SequenceState } from '../../../../src/engines/transformers/cache/sequence-state.js';
import { AnswerRandom } from '../../../../src/language/sampling/random.js';
import type { SampleRequest, TokenLogits } from '../../../../src/language/sampling/token-logits.js';

const settings = { temperature: 0.7, topP: 0.9, minP: 0 };
const numbers = [new AnswerRandom(3, 0), new AnswerRandom(3, 1)];
const need: SampleRequest = { type: 'sample', ...settings, random: numbers, seeded: true };
const { signal } = new AbortController();

/** The first random number of each draw, per row and kept token; else the need. */
const read = (needs: readonly LogitsRequest[]) =>
  needs.map((each) => (each.type === 'sample' ? each.random.map((all) => all.map((random) => random())) : each));
/** The first number of a choice at a place of its answer. */
const at = (choice: number, place: number) => numbers[choice]!.at(place)();

function sequence(prompt: number[], blocks: boolean, own: SampleRequest) {
  const asked: unknown[] = [];
  const passes = {
    join: () => () => {},
    isShared: false,
    run: async (
      rows: { held: { length: number } }[],
      tokens: number[][],
      { keep, needs }: { keep: number; needs: readonly LogitsRequest[] },
    ) => {
      asked.push(read(needs));
      for (const [row, { held }] of rows.entries()) held.length += tokens[row]!.length;
      return rows.map(() => Array.from({ length: keep }, (): TokenLogits => ({ sampled: [1, 1] })));
    },
  } as unknown as BatchQueue;
  const keys = { 'past_key_values.0.key': createTensor('float32', new Float32Array(16), [1, 1, 16, 1]) };
  const start = {
    tokens: [],
    promptLength: 0,
    exact: 0,
    promptLogits: undefined,
    held: { state: new SequenceState(keys), row: 0, length: 0 },
  };
  const options = { passes, need: own, blockLength: 4, shortestBlock: 1, blocks, layout: undefined };
  return { asked, running: new OnnxSequence(prompt, start, { ...options, onClose: async () => {} }) };
}

const PROMPT = [1, 2, 3, 4, 5, 6];

it('draws for every choice after the prompt, then for each with the number of its place', async () => {
  const { asked, running } = sequence(PROMPT, true, need);
  await running.prefill(signal);
  await running.fork(2);
  await running.decode([[7], [8]]);
  await running.decode([[7], [8]]);
  expect(asked).toEqual([
    // The logits of the first block are not read.
    [{ type: 'greatest', count: 1 }],
    [[[at(0, 0), at(1, 0)]]],
    [[[at(0, 1)]], [[at(1, 1)]]],
    [[[at(0, 2)]], [[at(1, 2)]]],
  ]);
});

it('draws after each drafted token with the number that comes next there', async () => {
  const { asked, running } = sequence(PROMPT, true, { ...need, random: numbers.slice(0, 1) });
  await running.prefill(signal);
  await running.speculation!.score([7, 8, 9], 2);
  running.speculation!.rollBack(1);
  await running.decode([[5]]);
  expect(asked.slice(2)).toEqual([[[[at(0, 2)], [at(0, 3)]]], [[[at(0, 3)]]]]);
});

it('reads all logits after a prompt of which no part can be read again', async () => {
  const { asked, running } = sequence([1, 2], false, need);
  await running.prefill(signal);
  expect(asked).toEqual([[{ type: 'all' }]]);
});
