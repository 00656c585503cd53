import { describe, expect, it } from 'vitest';
import type { ForwardPass } from '../../../../src/engines/transformers/text/forward-pass.js';
import { createTensor } from '../../../../src/engines/transformers/ort/onnx-session.js';
import { BatchQueue, type Row } from '../../../../src/engines/transformers/text/batch-queue.js';
import type { ForwardRow } from '../../../../src/engines/transformers/text/token-embedder.js';
import { SequenceState } from '../../../../src/engines/transformers/cache/sequence-state.js';
import type { LogitsRequest } from '../../../../src/engines/transformers/gpu/gpu-logits.js';
import type { TokenLogits } from '../../../../src/language/sampling/token-logits.js';

const ALL = { type: 'all' } as const;
const NAME = 'past_key_values.0.key';

/** Keys that are the tokens themselves. */
function stateOf(rows: readonly (readonly number[])[]): SequenceState {
  const most = Math.max(...rows.map((row) => row.length));
  const data = Float32Array.from(rows.flatMap((row) => Array.from({ length: most }, (_, place) => row[place] ?? -1)));
  return new SequenceState({ [NAME]: createTensor('float32', data, [rows.length, 1, most, 1]) });
}

function tokensOf(state: SequenceState, row: number, length: number): number[] {
  const { data, dims } = state.tensors[NAME]!;
  return Array.from({ length }, (_, place) => Number(data[row * dims[2]! + place]));
}

/** Appends the tokens that are read, as the graph does; the logits tell all that a row was read after. */
function recorder() {
  const passes: ForwardRow[][] = [];
  const needs: (readonly LogitsRequest[])[] = [];
  const run: ForwardPass['run'] = async (rows, state, asked) => {
    passes.push([...rows]);
    needs.push(asked.needs);
    await Promise.resolve();
    const all = rows.map(({ tokens, past }, row) => [...tokensOf(state, row, past), ...tokens]);
    return { logits: all.map((row) => [Float32Array.from(row)]), state: stateOf(all) };
  };
  return { passes, needs, forward: { run } as unknown as ForwardPass };
}

const lastOf = (logits: TokenLogits): number | undefined => (logits as Float32Array).at(-1);
const rowOf = (...tokens: number[]): Row => ({ held: { state: stateOf([tokens]), row: 0, length: tokens.length } });
const held = ({ held: { state, row, length } }: Row): number[] => tokensOf(state, row, length);

describe('BatchQueue', () => {
  it('reads rows of any lengths together, and each goes on where it was', async () => {
    const { forward, passes } = recorder();
    const queue = new BatchQueue(forward, true);
    const rows = [rowOf(1, 2, 3), rowOf(4), rowOf(5, 6)];
    const leave = rows.map(() => queue.join());
    for (let token = 10; token < 14; token++) {
      const logits = await Promise.all(rows.map((row) => queue.run([row], [[token]], { keep: 1, needs: [ALL] })));
      expect(logits.map(([row]) => lastOf(row![0]!))).toEqual([token, token, token]);
    }
    expect(passes.map((pass) => pass.length)).toEqual([3, 3, 3, 3]);
    expect(rows.map(held)).toEqual([
      [1, 2, 3, 10, 11, 12, 13],
      [4, 10, 11, 12, 13],
      [5, 6, 10, 11, 12, 13],
    ]);
    // One leaves, another stays behind for a pass.
    leave[1]!();
    await queue.run([rows[2]!], [[20]], { keep: 1, needs: [ALL] });
    await Promise.all([rows[0]!, rows[2]!].map((row) => queue.run([row], [[21]], { keep: 1, needs: [ALL] })));
    expect(held(rows[0]!).slice(-2)).toEqual([13, 21]);
    expect(held(rows[2]!).slice(-2)).toEqual([20, 21]);
  });

  it('asks for what each of them needs, in the order of the rows that are read', async () => {
    const { forward, needs, passes } = recorder();
    const queue = new BatchQueue(forward, true);
    const rows = [rowOf(1), rowOf(2)];
    for (const _ of rows) queue.join();
    const greatest: LogitsRequest = { type: 'greatest', count: 41 };
    await Promise.all(
      rows.map((row, place) => queue.run([row], [[8 + place]], { keep: 1, needs: [[greatest, ALL][place]!] })),
    );
    // Now they share a state, and come in its order.
    await Promise.all(
      rows
        .toReversed()
        .map((row, place) => queue.run([row], [[9 - place]], { keep: 1, needs: [[ALL, greatest][place]!] })),
    );
    expect(needs).toEqual([
      [greatest, ALL],
      [greatest, ALL],
    ]);
    expect(passes.map((pass) => pass.map(({ tokens }) => tokens[0]))).toEqual([
      [8, 9],
      [8, 9],
    ]);
  });

  it('lets sequences take turns that are too long for one pass', async () => {
    const { forward, passes } = recorder();
    // Four bytes a token.
    const queue = new BatchQueue(forward, true, { maxBytes: 2 * 4 * 4 });
    const rows = [rowOf(1, 2, 3, 4), rowOf(5), rowOf(6)];
    for (const _ of rows) queue.join();
    await Promise.all(rows.map((row) => queue.run([row], [[9]], { keep: 1, needs: [ALL] })));
    expect(passes.map((pass) => pass.length)).toEqual([2, 1]);
    expect(rows.map(held)).toEqual([
      [1, 2, 3, 4, 9],
      [5, 9],
      [6, 9],
    ]);
  });

  it('lets blocks of a prompt and tokens of answers take turns', async () => {
    const { forward, passes } = recorder();
    const queue = new BatchQueue(forward, true);
    const [first, second, reading] = [rowOf(1), rowOf(2), rowOf()];
    queue.join();
    queue.join();
    const answer = async (row: Row): Promise<void> => {
      for (let token = 0; token < 4; token++) await queue.run([row], [[token]], { keep: 1, needs: [ALL] });
    };
    const prompt = async (): Promise<void> => {
      for (let block = 0; block < 3; block++)
        await queue.run([reading], [[7, 8]], { keep: 1, needs: [ALL], unread: 6 - 2 * block });
    };
    await Promise.all([answer(first), answer(second), prompt()]);
    const kinds = passes.map((pass) => (pass[0]!.tokens.length === 2 ? 'prompt' : `${pass.length} answers`));
    expect(kinds.filter((kind) => kind === 'prompt')).toHaveLength(3);
    expect(kinds.lastIndexOf('prompt')).toBeLessThan(6);
    expect(kinds.filter((kind) => kind === '2 answers')).toHaveLength(4);
  });

  it('reads one block of the prompts between two tokens of an answer, those with the least left first', async () => {
    const { forward, passes } = recorder();
    const queue = new BatchQueue(forward, true);
    const leave = queue.join();
    const prompt = async (name: number, blocks: number): Promise<void> => {
      const row = rowOf();
      for (let left = blocks; left > 0; left--)
        await queue.run([row], [[name, name]], { keep: 1, needs: [ALL], unread: 2 * left });
    };
    const answer = async (): Promise<void> => {
      const row = rowOf(1);
      for (let token = 0; token < 8; token++) await queue.run([row], [[token]], { keep: 1, needs: [ALL] });
      leave();
    };
    await Promise.all([prompt(33, 3), prompt(31, 1), prompt(32, 2), prompt(41, 1), answer()]);
    const read = passes.map(([row]) => row!.tokens).filter(({ length }) => length === 2);
    expect(read.map(([name]) => name)).toEqual([31, 41, 32, 32, 33, 33, 33]);
    const kinds = passes.map(([row]) => (row!.tokens.length === 2 ? 'p' : 'a')).join('');
    expect(kinds).not.toContain('pp');
    expect(kinds).toHaveLength(15);
  });

  it('reads a long prompt too while ever more short ones come', async () => {
    const { forward, passes } = recorder();
    const queue = new BatchQueue(forward, true);
    const long = queue.run([rowOf()], [[99, 99]], { keep: 1, needs: [ALL], unread: 1000 });
    const short = async (): Promise<void> => {
      while (passes.length < 50) await queue.run([rowOf()], [[1, 1]], { keep: 1, needs: [ALL], unread: 2 });
    };
    await Promise.all([long, short(), short()]);
    expect(passes.findIndex(([row]) => row!.tokens[0] === 99)).toBeLessThan(20);
  });

  it('continues what was taken back, with or without cutting it off', async () => {
    for (const ragged of [true, false]) {
      const { forward } = recorder();
      const queue = new BatchQueue(forward, ragged);
      const row = rowOf(1, 2, 3, 4);
      row.held = { ...row.held, length: 2 };
      await queue.run([row], [[9]], { keep: 1, needs: [ALL] });
      expect(held(row)).toEqual([1, 2, 9]);
    }
  });

  it('fails those of a pass that failed, and runs on', async () => {
    const { forward } = recorder();
    let fails = true;
    const broken = {
      run: async (...given: Parameters<ForwardPass['run']>) => {
        if (fails) throw new Error('broken');
        return forward.run(...given);
      },
    } as unknown as ForwardPass;
    const queue = new BatchQueue(broken, true);
    const row = rowOf(1);
    await expect(queue.run([row], [[2]], { keep: 1, needs: [ALL] })).rejects.toThrow('broken');
    fails = false;
    await queue.run([row], [[2]], { keep: 1, needs: [ALL] });
    expect(held(row)).toEqual([1, 2]);
  });
});
