/** A small decoder with random weights and the operators of the hub's q8 files, in ONNX Runtime's WASM build in Node. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as ort from 'onnxruntime-web';
import { withoutFlashAttention } from '../../../../.ci/onnx-runtime.js';
import { createTextModel, type TextModel } from '../../../../src/language/decoding/create-text-model.js';
import type { TextEngine } from '../../../../src/language/decoding/text-engine.js';
import { keepLastLogits } from '../../../../src/engines/transformers/onnx-file/keep-last-logits.js';
import { type GraphPlan, rewriteGraph } from '../../../../src/engines/transformers/onnx-file/write-graph.js';
import { ForwardPass } from '../../../../src/engines/transformers/text/forward-pass.js';
import type { OnnxSession, OnnxTensor } from '../../../../src/engines/transformers/ort/onnx-session.js';
import { SequenceState } from '../../../../src/engines/transformers/cache/sequence-state.js';
import { wasmSession } from '../../../../src/engines/transformers/ort/wasm-session.js';
import {
  type TextEngineOptions,
  TransformersTextEngine,
} from '../../../../src/engines/transformers/text/transformers-text-engine.js';
import { randomDecoder } from '../../../bench/real/random-decoder.js';
import { byteTokenizer } from '../../../language/decoding/fake-text-engine.js';

const SHAPE = {
  hidden: 64,
  layers: 2,
  heads: 4,
  keyHeads: 2,
  width: 16,
  inner: 96,
  vocabulary: 272,
  theta: 10_000,
  context: 1024,
};

/**
 * Loads its session.
 * @param plans for its graph, before that for the last logits
 * @param isResident whether keys and values stay in wasm memory, as in a page
 */
export async function smallSession(plans: readonly GraphPlan[], isResident = false): Promise<OnnxSession> {
  const file = Uint8Array.from(Buffer.concat(randomDecoder(7, SHAPE).toMessage()));
  ort.env.wasm.numThreads = 1;
  const session = await withPagesLoader(() =>
    ort.InferenceSession.create(rewriteGraph(file, [...plans, keepLastLogits])),
  );
  if (isResident) return wasmSession(session as unknown as OnnxSession)!;
  const own = ({ type, dims, data }: OnnxTensor): ort.Tensor => new ort.Tensor(type as 'float32', data as never, dims);
  return {
    inputNames: session.inputNames,
    outputNames: session.outputNames,
    inputMetadata: session.inputMetadata as OnnxSession['inputMetadata'],
    // transformers.js has tensors of its own copy of the runtime.
    async run(feeds) {
      const inputs = Object.fromEntries(Object.entries(feeds).map(([name, tensor]) => [name, own(tensor)]));
      return (await session.run(inputs)) as unknown as Record<string, OnnxTensor>;
    },
  };
}

/**
 * Loads with ONNX Runtime's loader as pages get it, whose kernels round otherwise. The first load of a process counts. In
 * Node the loader makes `Worker` global, which other tests take for a browser's.
 */
async function withPagesLoader<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  const distribution = dirname(createRequire(import.meta.url).resolve('onnxruntime-web'));
  const folder = mkdtempSync(join(tmpdir(), 'inpage-'));
  try {
    const loader = join(folder, 'loader.mjs');
    const code = readFileSync(join(distribution, 'ort-wasm-simd-threaded.mjs'), 'utf8');
    writeFileSync(loader, withoutFlashAttention(code));
    const mjs = new URL('shared-runtime.mjs', import.meta.url);
    mjs.searchParams.set('loader', pathToFileURL(loader).href);
    ort.env.wasm.wasmPaths = { mjs };
    const loaded = await load();
    if (!Reflect.has(globalThis, Symbol.for('inpage.onnx-runtime')))
      throw new Error('This process had loaded ONNX Runtime before: the file that did needs modules of its own.');
    return loaded;
  } finally {
    Reflect.deleteProperty(globalThis, 'Worker');
    rmSync(folder, { recursive: true });
  }
}

/**
 * A model that has read nothing yet.
 * @param guesses whether tokens may be drafted
 * @param persist where it keeps prompts; absent: nowhere
 * @param blocks how prompts are cut into passes
 */
export function smallModel(
  session: OnnxSession,
  guesses: boolean,
  persist?: TextEngineOptions['persist'],
  blocks: Pick<TextEngineOptions, 'blockLength' | 'shortestBlock'> = { blockLength: 64 },
): TextModel {
  const engine = new TransformersTextEngine({
    forward: new ForwardPass(session, { firstPosition: 0, vocabularySize: byteTokenizer.vocabularySize }),
    emptyState: () => SequenceState.empty(session),
    tokenizer: byteTokenizer,
    contextLength: SHAPE.context,
    toolFormat: 'hermes',
    reasoningFormat: 'none',
    blocks: true,
    supportsRaggedBatch: true,
    ...blocks,
    persist,
  });
  return createTextModel(guesses ? engine : withoutDrafts(engine), {
    info: { device: 'wasm', threads: 1, dtype: 'q8' },
    lost: new Promise(() => {}),
    unload: async () => engine.dispose(),
  });
}

function withoutDrafts(engine: TextEngine): TextEngine {
  const open: TextEngine['open'] = async (request) => {
    const sequence = await engine.open(request);
    Object.defineProperty(sequence, 'speculation', { value: undefined });
    return sequence;
  };
  return new Proxy(engine, {
    get(target, name) {
      if (name === 'open') return open;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
