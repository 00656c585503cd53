/** Loads models that read texts and write none: embeddings and ranking, with an encoder or a decoder. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import { checkFinite } from '../../core/errors/wrong-output.js';
import type { LoadedModel, LoadOptions, ModelInfo } from '../../core/models/backend.js';
import type { Pooling } from '../../core/models/embedding-fields.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import { embed, type InputTokenizer, measure } from '../../language/embedding/embed-texts.js';
import { EncoderQueue } from '../../language/embedding/encoder-queue.js';
import { poolVector, type TokenizedText } from '../../language/embedding/pooling.js';
import { rerank, type TokenPair } from '../../language/ranking/rank-pairs.js';
import { relevance } from '../../language/ranking/relevance.js';
import { shortVectorsWarning } from '../../language/embedding/cut-vectors.js';
import { createJudge } from '../../language/ranking/judge-documents.js';
import { type RerankPrompt, rerankPromptFor, unknownJudge } from '../../language/ranking/rerank-prompt.js';
import type { TextTokenizer } from '../../language/prompt/text-tokenizer.js';
import { ARCHITECTURES } from './architectures.js';
import { ENCODERS } from './encoder-architectures.js';
import { kindOfMost, openTextEngine, type PlannedModel, planTextModel } from './assemble-text-model.js';
import type { OpenedForward, OpenForward } from './opened-forward.js';
import { warningOf } from './choose-build.js';
import { EncoderPass, widestOf } from './encoder-pass.js';
import { EngineLoss } from './engine-loss.js';
import { type EncoderPlan, encoderTensors, planEncoder } from './encoder-plan.js';
import { shown, unsupported } from './file/file-problems.js';
import type { GgufHeader, ReadRange } from './file/header.js';
import { ForwardPass } from './forward.js';
import { widestRow } from './forward-shape.js';
import type { GgufSource } from './gguf-source.js';
import { KvPages } from './kv-pages.js';
import { type Kernels, loadKernels } from './load-kernels.js';
import { loadEncoder } from './load-encoder.js';
import { matricesOf } from './matrices-of.js';
import { loadWeights } from './load-weights.js';
import { tensorBytes } from './load-tensors.js';
import { ModelKeys } from './model-keys.js';
import { multiply, ScoreHead, unpack } from './score-head.js';
import { SharedKernels } from './shared-kernels.js';
import { threadCount } from './start-threads.js';
import { streamReader } from './stream-reader.js';
import { DecoderReader, type TextReader } from './text-reader.js';
import { createGgufTokenizer } from './tokenizer/gguf-tokenizer.js';
import { type TextFrame, textFrameOf } from './tokenizer/text-frame.js';
import { checkRows, readVocabulary } from './tokenizer/vocabulary.js';

/** What the head of a file says of a model that can run. */
export interface PlannedReader {
  header: GgufHeader;
  model:
    | { type: 'encoder'; plan: EncoderPlan }
    /** `judge`: it ranks, with a word. */
    | { type: 'decoder'; plan: PlannedModel; judge: RerankPrompt | undefined };
  tokenizer: TextTokenizer;
  frame: TextFrame;
  pooling: Pooling;
  contextLength: number;
  warning: string | undefined;
}

/** What matters to models that write. */
const NO_TEXT = { toolFormat: 'none', reasoningFormat: 'none', images: false } as const;
/** Pages of a decoder's keys and values: texts are read and forgotten. */
const PAGES_BYTES = 2 ** 26;
/** What 32-bit pointers reach, in bytes. */
const MAX_BYTES = 4096 * 2 ** 20;

/**
 * Decides whether a file can run, before its weights are fetched.
 * @throws InferenceError `model_not_supported` (permanent), `insufficient_resources` with `neededBytes`
 */
export function planReader(entry: ModelEntry, header: GgufHeader, planDecoder = planTextModel): PlannedReader {
  const { name } = new ModelKeys(header, { ...ARCHITECTURES, ...ENCODERS });
  const vocabulary = readVocabulary(header);
  const isEncoder = Object.hasOwn(ENCODERS, name);
  const isScored = entry.task === 'rerank';
  const judge = isScored && !isEncoder ? chooseRerankPrompt(entry, header, name) : undefined;
  const parts = { header, frame: textFrameOf(vocabulary), ...choosePooling(entry, header, { name, isEncoder }) };
  if (!isEncoder) {
    const plan = planDecoder(entry, header, false, vocabulary);
    const { tokenizer, shape } = plan;
    return { ...parts, model: { type: 'decoder', plan, judge }, tokenizer, contextLength: shape.contextLength };
  }
  const plan = planEncoder(header, { contextLength: entry.contextLength, isScored });
  checkRows(header, vocabulary, plan.vocabulary);
  const neededBytes = tensorBytes({ ...encoderTensors(plan.parts), isExact: entry.dtype === 'fp32' });
  if (neededBytes > MAX_BYTES) {
    const message = `The model \`${entry.id}\` needs ${Math.ceil(neededBytes / 2 ** 20)} MB for its weights, and WASM offers 4096 MB.`;
    throw new InferenceError('insufficient_resources', message, { param: 'model', neededBytes });
  }
  const { contextLength } = plan.shape;
  return { ...parts, model: { type: 'encoder', plan }, tokenizer: createGgufTokenizer(vocabulary), contextLength };
}

/** @throws InferenceError `model_not_supported` for a model that is not known to rank */
function chooseRerankPrompt(entry: ModelEntry, { metadata, file }: GgufHeader, architecture: string): RerankPrompt {
  const [template, ...texts] = ['tokenizer.chat_template', 'general.name', 'general.basename'].map((key) => {
    const value = metadata.get(key);
    return typeof value === 'string' ? value : undefined;
  });
  const names = [...texts, entry.source ?? entry.id, entry.file, file];
  const judge = rerankPromptFor(entry.judgePrompt, { architecture, names, templates: [template] });
  if (!judge) throw unsupported(file, unknownJudge(architecture));
  return judge;
}

/** By their numbers in files. What ranks may say so. */
const POOLINGS: readonly (Pooling | undefined)[] = [undefined, 'mean', 'cls', 'lasttoken', undefined];

function choosePooling(
  entry: ModelEntry,
  { file, metadata }: GgufHeader,
  { name, isEncoder }: { name: string; isEncoder: boolean },
): Pick<PlannedReader, 'pooling' | 'warning'> {
  const given = metadata.get(`${name}.pooling_type`) ?? 0;
  if (typeof given !== 'number' || !(given in POOLINGS))
    throw unsupported(file, `its metadata \`${name}.pooling_type\` is ${shown(String(given))}, which is not supported`);
  const own = POOLINGS[given] ?? entry.pooling;
  if (own || entry.task === 'rerank') return { pooling: own ?? 'cls', warning: undefined };
  const [pooling, what] = isEncoder ? (['mean', 'the mean'] as const) : (['lasttoken', 'the last token'] as const);
  return { pooling, warning: `its file does not name a pooling, so ${what} is used: set \`pooling\` in its entry.` };
}

/** What a reader is assembled with. */
interface AssembleReaderOptions extends Pick<LoadOptions, 'onProgress'> {
  /** Opens a decoder on another device than WASM. */
  openForward?: OpenForward | undefined;
  /** What was found out before. */
  warnings?: readonly string[];
  deviceReason?: string | undefined;
}

/** @param source whose file was fetched @throws InferenceError `insufficient_resources`, `unavailable` */
export async function assembleReader(
  entry: ModelEntry,
  source: GgufSource<PlannedReader>,
  { onProgress, openForward, warnings: before = [], deviceReason }: AssembleReaderOptions,
): Promise<LoadedModel> {
  onProgress({ model: entry.id, loadedBytes: 0, totalBytes: 0, stage: 'initialize' });
  const { plan: planned, header } = source;
  const { model } = planned;
  const warnings = [...before, ...(planned.warning === undefined ? [] : [planned.warning])];
  const reason = deviceReason === undefined ? {} : { deviceReason };
  const warned = (): { warning?: string } => {
    for (const text of warnings) console.warn(`inpage: the model \`${entry.id}\`: ${text}`);
    return warnings.length > 0 ? { warning: warnings.join(' ') } : {};
  };
  if (model.type === 'decoder' && model.judge) {
    const warn = (text: string): void => void warnings.push(text);
    const {
      engine,
      info: opened,
      ...parts
    } = await openTextEngine(entry, model.plan, source.weights(), {
      warn,
      openForward,
    });
    const info = { ...NO_TEXT, ...opened, ...reason, description: source.description, ...warned() };
    return createJudge(engine, model.judge, { ...parts, info });
  }
  const read = streamReader(source.weights(), header.dataStart);
  const opened =
    openForward && model.type === 'decoder'
      ? await openDecoder(model.plan, await openForward(read))
      : await openOnKernels(entry, planned, read, warnings);
  const { reader, score, dense = [], dtype } = opened;
  const info: ModelInfo = {
    contextLength: planned.contextLength,
    ...NO_TEXT,
    ...opened.info,
    ...reason,
    dtype: entry.dtype === 'fp32' ? 'fp32' : dtype,
    description: source.description,
    ...warned(),
  };
  const loss = new EngineLoss();
  const lost = opened.lost ? Promise.race([loss.lost, opened.lost]) : loss.lost;
  const parts = { lost, unload: async () => opened.dispose() };
  if (score) return { ...parts, info, rerank: ranking(planned, { reader, score, loss }) };
  const embedder = embedding(entry, planned, { reader, dense, loss });
  return { ...parts, info: { ...info, dimensions: vectorWidth(reader, dense) }, ...embedder };
}

interface OpenedReader extends Pick<OpenedForward, 'info' | 'lost' | 'dispose'> {
  reader: TextReader;
  score?: ScoreHead | undefined;
  /** What pooled vectors are multiplied by, one after the other. */
  dense?: readonly ReturnType<typeof unpack>[];
  dtype: string;
}

/** A decoder on another device than the kernels. */
async function openDecoder({ plan, shape }: PlannedModel, opened: OpenedForward): Promise<OpenedReader> {
  const { forward, pages } = opened;
  return { ...opened, reader: new DecoderReader(forward, pages, shape.width), dtype: kindOfMost(matricesOf(plan)) };
}

async function openOnKernels(
  entry: ModelEntry,
  planned: PlannedReader,
  read: ReadRange,
  warnings: string[],
): Promise<OpenedReader> {
  const threads = threadCount();
  const kernels = await loadKernels(undefined, { shared: threads > 1 });
  const { shared, ...opened } = await loadReader(entry, planned, { kernels, threads, read });
  // Where threads do not run, one does the work.
  if (threads > 1) await shared.startThreads().catch(() => {});
  const slower = warningOf(kernels.build);
  if (slower !== undefined) warnings.push(slower);
  return { ...opened, info: { device: 'wasm', threads: shared.threads }, dispose: () => shared.dispose() };
}

async function loadReader(
  { dtype }: ModelEntry,
  { header, model }: PlannedReader,
  { kernels, threads, read }: { kernels: Kernels; threads: number; read: ReadRange },
): Promise<Pick<OpenedReader, 'reader' | 'score' | 'dense' | 'dtype'> & { shared: SharedKernels }> {
  const exact = dtype === 'fp32';
  const shareFor = (contextLength: number, columns: number): SharedKernels =>
    new SharedKernels(kernels, contextLength, columns, threads);
  if (model.type === 'encoder') {
    const { shape, parts } = model.plan;
    const weights = await loadEncoder(parts, header, { kernels, isExact: exact }, read);
    const shared = shareFor(shape.contextLength, widestOf(shape));
    return {
      shared,
      reader: new EncoderPass(shared, shape, weights, exact),
      score:
        weights.score &&
        new ScoreHead(kernels, weights.score, { byMean: shape.traits.isScoredByMean ?? false, epsilon: shape.epsilon }),
      dense: weights.dense.map((weight) => unpack(kernels, { weight, bias: undefined })),
      dtype: kindOfMost(encoderTensors(parts).matrices),
    };
  }
  const { plan, shape: planned } = model.plan;
  const { weights, ropeFactors } = await loadWeights(plan, header, { kernels, isExact: exact }, read);
  const shape = { ...planned, rope: { ...planned.rope, factors: ropeFactors } };
  const shared = shareFor(shape.contextLength, widestRow(shape));
  const forward = new ForwardPass(shared, shape, weights);
  return {
    shared,
    reader: new DecoderReader(forward, new KvPages(kernels.memory, shape, PAGES_BYTES), shape.width),
    dtype: kindOfMost(matricesOf(plan)),
  };
}

/** Numbers of a text's vector. */
function vectorWidth({ width }: TextReader, dense: readonly ReturnType<typeof unpack>[]): number {
  return dense.at(-1)?.weights.length ?? width;
}

function embedding(
  entry: ModelEntry,
  planned: PlannedReader,
  { reader, dense, loss }: Required<Pick<OpenedReader, 'reader' | 'dense'>> & { loss: EngineLoss },
): Required<Pick<LoadedModel, 'embed' | 'measure'>> {
  const { tokenizer, frame, contextLength, pooling } = planned;
  const framed: InputTokenizer = {
    encode: (text, { add_special_tokens: isFramed = true } = {}) =>
      isFramed ? [...frame.before, ...tokenizer.encodeText(text), ...frame.after] : tokenizer.encodeText(text),
  };
  const { width } = reader;
  const queue = new EncoderQueue(async (texts: readonly TokenizedText[]) => {
    const states = await loss.guard(() => reader.read(texts));
    return states.map((data, index) => {
      const pooled = poolVector({ data, tokens: 0, width }, 0, texts[index]!, [pooling]);
      return dense.reduce((vector, matrix) => Float32Array.from(multiply(matrix, vector)), pooled);
    });
  });
  const embedder = {
    tokenizer: framed,
    queue,
    prompts: { prompts: entry.prompts ?? {} },
    poolsPrompt: true,
    width: vectorWidth(reader, dense),
    maxTokens: contextLength,
    vocabularySize: tokenizer.vocabularySize,
    shortVectorsWarning: shortVectorsWarning([entry.source ?? entry.id, entry.file].join('/')),
  };
  return {
    embed: (request, signal) => embed(request, signal, embedder),
    measure: (request) => measure(request, embedder),
  };
}

function ranking(
  { tokenizer, frame, contextLength }: PlannedReader,
  { reader, score, loss }: { reader: TextReader; score: ScoreHead; loss: EngineLoss },
): NonNullable<LoadedModel['rerank']> {
  const { before, between, after } = frame;
  const join = (first: readonly number[], second: readonly number[]): TokenPair => {
    const [one, two] = [
      [...before, ...first, ...between],
      [...second, ...after],
    ];
    const types = [...one.map(() => 0), ...two.map(() => 1)];
    return { ids: [...one, ...two], types, length: types.length };
  };
  const queue = new EncoderQueue(async (pairs: readonly TokenPair[]) => {
    const states = await loss.guard(() => reader.read(pairs));
    return states.map((state) => {
      const logits = score.logitsOf(state, reader.width);
      checkFinite(logits, 'a score');
      return relevance(logits, logits.length - 1);
    });
  });
  const controlTokens = before.length + between.length + after.length;
  const encode = (text: string): number[] => tokenizer.encodeText(text);
  return (request, signal) =>
    rerank(request, signal, { encode, template: { controlTokens, join }, queue, contextLength });
}
