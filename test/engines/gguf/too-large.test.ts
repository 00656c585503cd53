import { describe, expect, it } from 'vitest';
import type { InferenceError } from '../../../src/core/errors/inference-error.js';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import { planTextModel } from '../../../src/engines/gguf/assemble-text-model.js';
import { readGgufHeader } from '../../../src/engines/gguf/file/header.js';
import type { TensorKind } from '../../../src/engines/gguf/file/tensor-kinds.js';
import { openGguf } from '../../../src/engines/gguf/gguf-source.js';
import { testStore } from '../../store/support/node-store.js';
import { tinyContent } from './support/tiny-file.js';
import { TINY_ENTRY } from './support/tiny-model.js';
import { tensorBytes, type TensorShape, writeGgufHead } from './support/write-gguf.js';

const MB = 2 ** 20;
/** The tiny model has 64 numbers between its layers and 96 inside feed-forward networks; these have more. */
const WIDTH = 8192;
const CONTEXT = 131_072;
/** Keys and values of a token: in each of 2 layers 2 heads of each, with numbers of 16 bits and a scale. */
const TOKEN_BYTES = 2 * 2 * 2 * (2 * (WIDTH / 4) + 4);

interface Head {
  bytes: Uint8Array;
  /** Of the weights. */
  weights: number;
  tensors: readonly TensorShape[];
}

/** The head of a file of so many million weights and somewhat more. */
function headOf(millions: number, kind: TensorKind): Head {
  const { metadata, tensors } = tinyContent();
  const layers = Number(metadata['llama.block_count']);
  expect(layers).toBe(2);
  const others = 3 * WIDTH ** 2 * layers;
  const inner = Math.ceil((millions * 1e6 - others) / (3 * WIDTH * layers) / 256) * 256;
  const sizes: Record<number, number> = { 64: WIDTH, 32: WIDTH / 2, 96: inner };
  const larger = tensors.map(({ name, shape, kind: own }) => ({
    name,
    shape: shape.map((size) => sizes[size] ?? size),
    kind: own === 'F32' ? own : kind,
  }));
  const sized = { 'llama.embedding_length': WIDTH, 'llama.feed_forward_length': inner };
  const bytes = writeGgufHead({
    metadata: { ...metadata, ...sized, 'llama.context_length': CONTEXT },
    tensors: larger,
  });
  return { bytes, tensors: larger, weights: larger.reduce((sum, tensor) => sum + tensorBytes(tensor), 0) };
}

async function planned({ bytes }: Head, entry: Partial<ModelEntry> = {}): Promise<number> {
  const header = await readGgufHeader(async (from, to) => bytes.subarray(from, to), 'large.gguf', 2 ** 40);
  return planTextModel({ ...TINY_ENTRY, ...entry }, header).shape.contextLength;
}

const refusal = async (plan: Promise<unknown>): Promise<InferenceError> =>
  plan.then(
    () => expect.fail('It was not refused.'),
    (error: InferenceError) => error,
  );

describe('[W08] what cannot fit is refused before its weights are fetched', () => {
  it.each<[TensorKind, number, number]>([
    ['Q2_K', 12_500, 13_300],
    ['Q3_K', 9_300, 10_100],
    ['IQ4_XS', 7_700, 8_200],
    ['MXFP4', 7_700, 8_200],
    ['Q4_0', 7_300, 7_800],
    ['Q8_0', 3_900, 4_100],
    ['F16', 2_000, 2_200],
  ])('%s: %i million weights fit, %i million do not', async (kind, few, many) => {
    const fitting = headOf(few, kind);
    expect(await planned(fitting)).toBeGreaterThanOrEqual(512);
    const head = headOf(many, kind);
    const { code, message, details } = await refusal(planned(head));
    expect(code).toBe('insufficient_resources');
    const neededBytes = details.neededBytes!;
    expect(neededBytes).toBeGreaterThan(4096 * MB);
    // Some kinds are up to 4 % larger in memory.
    expect(Math.abs(neededBytes / (head.weights + 512 * TOKEN_BYTES) - 1)).toBeLessThan(0.04);
    expect(message).toMatch(/`tiny` needs \d+ MB for its weights and a context of 512 tokens, and WASM offers 4096 MB/);
  });

  it.each<TensorKind>(['Q5_K', 'Q6_K'])('%s: a byte for each weight', async (kind) => {
    expect(await planned(headOf(3_850, kind))).toBeGreaterThanOrEqual(512);
    expect((await refusal(planned(headOf(4_300, kind)))).code).toBe('insufficient_resources');
  });

  it('by its `contextLength`; without one, the context is as long as fits', async () => {
    const head = headOf(6_000, 'Q4_0');
    const most = await planned(head);
    expect(most).toBeLessThan(CONTEXT);
    expect(await planned(head, { contextLength: most })).toBe(most);
    const { code, message, details } = await refusal(planned(head, { contextLength: most + 64 }));
    expect(code).toBe('insufficient_resources');
    expect(details.neededBytes).toBeGreaterThan(4096 * MB);
    expect(details.neededBytes).toBeLessThan(4096 * MB + 64 * TOKEN_BYTES + MB);
    expect(message).toMatch(/a smaller `contextLength`/);
  });

  it.each([
    ['that tells its length', true],
    ['that tells it only with the answer', false],
  ])('from a server %s: nothing of the weights is asked for', async (_, tells) => {
    const head = headOf(7_700, 'Q4_0');
    const total = head.bytes.length + head.weights + MB;
    let sent = 0;
    const store = testStore({
      fetch: async (_url, init) => {
        const headers = new Headers({ etag: '"1"', ...(tells && { 'accept-ranges': 'bytes' }) });
        if (init?.method === 'HEAD') {
          if (tells) headers.set('content-length', String(total));
          return new Response(null, { headers });
        }
        const range = tells ? /bytes=(\d+)-(\d*)/.exec(new Headers(init?.headers).get('range') ?? '') : null;
        const [from, to] = [Number(range?.[1] ?? 0), Math.min(Number(range?.[2] || total - 1) + 1, total)];
        if (range) headers.set('content-range', `bytes ${from}-${to - 1}/${total}`);
        headers.set('content-length', String(to - from));
        return new Response(
          endless(head.bytes, from, to, (bytes) => (sent += bytes)),
          {
            status: range ? 206 : 200,
            headers,
          },
        );
      },
    });
    const entry: ModelEntry = { ...TINY_ENTRY, source: 'https://app.test/large.gguf' };
    const options = { pageURL: 'https://app.test/', hub: 'https://app.test/', onProgress: () => {} };
    const { signal } = new AbortController();
    const opened = openGguf(entry, { ...options, signal }, (header) => planTextModel(entry, header), {
      environment: store,
    });
    const { code, message, details } = await refusal(opened);
    expect(`${code}: ${message}`).toMatch(/^insufficient_resources/);
    expect(details.neededBytes).toBeGreaterThan(4096 * MB);
    expect(sent).toBeLessThan(head.bytes.length + 1.1 * MB);
  });
});

/** A part of a file that begins with a head, made as it is read. */
function endless(head: Uint8Array, from: number, to: number, count: (bytes: number) => void): ReadableStream {
  let at = from;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (at >= to) return controller.close();
        const piece = new Uint8Array(Math.min(65_536, to - at));
        piece.set(head.subarray(at, at + piece.length));
        at += piece.length;
        count(piece.length);
        controller.enqueue(piece);
      },
    },
    { highWaterMark: 0 },
  );
}
