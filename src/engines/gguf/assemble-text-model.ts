/** Makes a text model of a GGUF file: its head, then its weights while they stream in. @module */
import { fetchPart } from '../../core/errors/fetch-part.js';
import type { ModelInfo } from '../../core/models/backend.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import { InferenceError } from '../../core/errors/inference-error.js';
import { createTextModel, type TextModel } from '../../language/decoding/create-text-model.js';
import { detectReasoningFormat, detectToolFormat } from '../../language/prompt/detect-formats.js';
import { checkTemplates } from '../../language/prompt/template-traits.js';
import type { TextTokenizer } from '../../language/prompt/text-tokenizer.js';
import { prefixCacheBytes } from '../../language/prefix-cache/prefix-cache-bytes.js';
import { probeRounding, warningOf } from './choose-build.js';
import { ForwardPass } from './forward.js';
import { type ForwardShape, widestRow } from './forward-shape.js';
import type { PlannedAdapter } from './adapter-files.js';
import { GgufTextEngine, type GgufTextEngineOptions } from './gguf-text-engine.js';
import type { GgufHeader, ReadRange } from './file/header.js';
import { type KvPrecision, PAGE_POSITIONS } from './kernel-exports.js';
import { KvPages, pageBytes, pagesOf, stateBytesOf } from './kv-pages.js';
import { loadKernels } from './load-kernels.js';
import { loadWeights, weightBytes } from './load-weights.js';
import { type ModelPlan, planModel } from './model-plan.js';
import type { MatrixPlan } from './model-tensors.js';
import { matricesOf } from './matrices-of.js';
import { SharedKernels } from './shared-kernels.js';
import { threadCount } from './start-threads.js';
import type { OpenedForward, OpenForward } from './opened-forward.js';
import { streamReader } from './stream-reader.js';
import { createGgufTokenizer } from './tokenizer/gguf-tokenizer.js';
import { checkRows, type GgufVocabulary, readVocabulary } from './tokenizer/vocabulary.js';

/** What 32-bit pointers reach, in bytes. */
const MAX_BYTES = 4096 * 2 ** 20;

/** A model must be able to hold so many tokens, or as many as its entry says. */
const LEAST_CONTEXT = 512;

/** What the head of a file says of a model that can run. */
export interface PlannedModel {
  header: GgufHeader;
  plan: ModelPlan;
  shape: ForwardShape;
  tokenizer: TextTokenizer;
  adapters: readonly PlannedAdapter[];
  /** A table of inputs stays in the store. */
  isStored: boolean;
}

/**
 * Decides whether a file can run on WASM, before its weights are fetched.
 * @param isStored its rows can be read where they are stored
 * @param read the vocabulary, where it was read already
 * @throws InferenceError `model_not_supported` (permanent), `insufficient_resources` with `neededBytes`
 */
export function planTextModel(
  entry: ModelEntry,
  header: GgufHeader,
  isStored = false,
  read?: GgufVocabulary,
): PlannedModel {
  return withAdapters(entry, planDecoder(entry, header, isStored, read), []);
}

/** As {@link planTextModel}, whatever room there is. @throws InferenceError `model_not_supported` (permanent) */
export function planDecoder(
  entry: ModelEntry,
  header: GgufHeader,
  isStored = false,
  read?: GgufVocabulary,
): PlannedModel {
  const plan = planModel(header, entry.contextLength);
  const vocabulary = read ?? readVocabulary(header);
  checkRows(header, vocabulary, plan.shape.vocabulary);
  const tokenizer = createGgufTokenizer(vocabulary, entry.chatTemplate);
  checkTemplates(tokenizer);
  const exact = entry.dtype === 'fp32';
  const precision: KvPrecision = entry.kvCache === 'q8' ? 8 : exact ? 32 : 16;
  const shape = { ...plan.shape, exact, precision };
  return { header, plan, shape, tokenizer, adapters: [], isStored };
}

/**
 * The same model with adapters.
 * @throws InferenceError `insufficient_resources` with `neededBytes`
 */
export function withAdapters(
  entry: ModelEntry,
  planned: PlannedModel,
  adapters: readonly PlannedAdapter[],
): PlannedModel {
  const { shape, plan, isStored } = planned;
  const weights = weightBytes(plan, shape.exact, isStored) + adapters.reduce((sum, { plan }) => sum + plan.bytes, 0);
  checkMemory(entry, shape, weights);
  const room = Math.floor((MAX_BYTES - weights - 2 * stateBytesOf(shape)) / pageBytes(shape)) * PAGE_POSITIONS;
  return { ...planned, shape: { ...shape, contextLength: Math.min(shape.contextLength, room) }, adapters };
}

function checkMemory({ id, contextLength }: ModelEntry, shape: ForwardShape, weights: number): void {
  const context = Math.min(contextLength ?? LEAST_CONTEXT, shape.contextLength);
  // Of a sequence, and a copy of it.
  const states = 2 * stateBytesOf(shape);
  const neededBytes = weights + states + pagesOf(context) * pageBytes(shape);
  if (neededBytes <= MAX_BYTES) return;
  const [needed, most] = [neededBytes, MAX_BYTES].map((bytes) => `${Math.ceil(bytes / 2 ** 20)} MB`);
  throw new InferenceError(
    'insufficient_resources',
    `The model \`${id}\` needs ${needed} for its weights and a context of ${context} tokens, and WASM offers ${most}. Use a file of lower precision, a smaller model${contextLength === undefined ? '' : ' or a smaller `contextLength`'}.`,
    { param: 'model', neededBytes },
  );
}

/** What the world around a model gives it. */
export interface AssembleOptions {
  /** Tells the app. @param warning a sentence that begins small, with its point */
  warn?: (warning: string) => void;
  /** Opens it on another device than WASM. */
  openForward?: OpenForward | undefined;
  /** Reads the stored file at any place; undefined where storage cannot. */
  openStored?: () => Promise<ReadRange | undefined>;
  /** Where prompts are kept. @param rounding by what the last bits differ between browsers */
  openPrompts?: (rounding: string) => Promise<GgufTextEngineOptions['persist']>;
}

/**
 * @param stream the file's bytes from `header.dataStart` on
 * @throws InferenceError `insufficient_resources`, `unavailable`
 */
export async function assembleTextModel(
  entry: ModelEntry,
  planned: PlannedModel,
  stream: AsyncIterable<Uint8Array>,
  options: AssembleOptions = {},
): Promise<TextModel> {
  const { engine, ...parts } = await openTextEngine(entry, planned, stream, options);
  const { maxCompletionTokens } = entry;
  return createTextModel(engine, { ...parts, ...(maxCompletionTokens !== undefined && { maxCompletionTokens }) });
}

/** An engine, and what else a model is made of. */
interface OpenedEngine {
  engine: GgufTextEngine;
  info: Pick<ModelInfo, 'device' | 'threads' | 'dtype' | 'kvTokenBytes'>;
  lost: Promise<InferenceError>;
  unload(): Promise<void>;
}

/** As {@link assembleTextModel}. */
export async function openTextEngine(
  entry: ModelEntry,
  planned: PlannedModel,
  stream: AsyncIterable<Uint8Array>,
  { openPrompts, openForward, ...options }: AssembleOptions = {},
): Promise<OpenedEngine> {
  const { header, plan, shape, tokenizer } = planned;
  const read = streamReader(stream, header.dataStart);
  const opened = await (openForward ? openForward(read, options.openStored) : openOnKernels(planned, read, options));
  let onLost: (error: InferenceError) => void = () => {};
  const lost = new Promise<InferenceError>((resolve) => (onLost = resolve));
  void opened.lost?.then(onLost);
  const engine = new GgufTextEngine({
    forward: opened.forward,
    pages: opened.pages,
    tokenizer,
    adapters: opened.adapters,
    contextLength: opened.contextLength,
    toolFormat: detectToolFormat(tokenizer.toolTemplate ?? tokenizer.chatTemplate, entry.toolFormat),
    reasoningFormat: detectReasoningFormat(tokenizer.chatTemplate, entry.reasoningFormat),
    persist: await openPrompts?.(opened.rounding),
    onLost,
  });
  return {
    engine,
    info: {
      ...opened.info,
      dtype: shape.exact ? 'fp32' : kindOfMost(matricesOf(plan)),
      kvTokenBytes: opened.pages.pageBytes / PAGE_POSITIONS,
    },
    lost,
    async unload() {
      engine.dispose();
      opened.dispose();
    },
  };
}

/** Loaded with the first model that has adapters. */
const adapterParts = () => fetchPart(() => import('./gguf-adapters.js'));

async function openOnKernels(
  { header, plan, shape: planned, adapters }: PlannedModel,
  read: ReadRange,
  { warn, openStored }: Pick<AssembleOptions, 'warn' | 'openStored'>,
): Promise<OpenedForward> {
  const threads = threadCount();
  const kernels = await loadKernels(undefined, { shared: threads > 1 });
  const slower = warningOf(kernels.build);
  if (slower !== undefined) warn?.(slower);
  const readStored = plan.layerInputs && (await openStored?.());
  const options = { kernels, isExact: planned.exact, readStored };
  const { weights, ropeFactors } = await loadWeights(plan, header, options, read);
  const loaded =
    adapters.length === 0
      ? undefined
      : await (await adapterParts()).assembleAdapters(adapters, { plan, weights }, kernels);
  const shape = { ...planned, rope: { ...planned.rope, factors: ropeFactors } };
  const rank = Math.max(0, ...adapters.map((adapter) => adapter.plan.width));
  const { contextLength } = shape;
  const shared = new SharedKernels(kernels, contextLength, Math.max(widestRow(shape), rank), threads);
  // Where threads do not run, one does the work.
  if (threads > 1) await shared.startThreads().catch(() => {});
  return {
    forward: new ForwardPass(shared, shape, weights, loaded && { ...loaded, rank }),
    pages: new KvPages(kernels.memory, shape, prefixCacheBytes()),
    adapters: loaded?.engine,
    info: { device: 'wasm', threads: shared.threads },
    contextLength,
    rounding: await probeRounding(kernels.build),
    dispose: () => shared.dispose(),
  };
}

/** The kind of most weights, in lower case. */
export function kindOfMost(matrices: Iterable<MatrixPlan>): string {
  const values = new Map<string, number>();
  for (const { tensor, rows } of matrices)
    values.set(tensor.kind, (values.get(tensor.kind) ?? 0) + rows * tensor.shape[0]!);
  const [most] = [...values].toSorted(([, a], [, b]) => b - a);
  return most![0].toLowerCase();
}
