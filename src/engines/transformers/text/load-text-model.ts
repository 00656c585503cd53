/** Loads a chat model: files, tokenizer, session, engine. @module */
import {
  AutoModelForCausalLM,
  AutoModelForImageTextToText,
  env,
  type PreTrainedModel,
} from '@huggingface/transformers';
import { readSamplingDefaults } from '../../../language/sampling/sampling-defaults.js';
import { createTextModel, type TextModel } from '../../../language/decoding/create-text-model.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import { type TextTokenizer } from '../../../language/prompt/text-tokenizer.js';
import { detectReasoningFormat, detectToolFormat } from '../../../language/prompt/detect-formats.js';
import type { LoadOptions } from '../../../core/models/backend.js';
import { deviceLoss } from '../ort/device-loss.js';
import { headsOf } from '../cache/sequence-state.js';
import { isVisionModel } from '../repository/repository-files.js';
import { loadFromSource, type ModelKind } from '../repository/load-from-source.js';
import type { ModelSource } from '../repository/model-source.js';
import { textTokenizerOf } from '../repository/pretrained-tokenizer.js';
import { VisionEncoder } from '../vision/vision-encoder.js';
import type { VisionProcessor } from '../vision/vision-processor.js';
import { MAX_ROWS } from './batch-queue.js';
import { probeMultiTokenAppend, needsAppendProbe } from './continuation.js';
import { ForwardPass } from './forward-pass.js';
import { type ModelTexts, readTexts } from './model-texts.js';
import { type OnnxSession, hasFixedBatchOfOne } from '../ort/onnx-session.js';
import { openPromptDisk } from '../../../language/prefix-cache/prompt-disk.js';
import { wasmSession } from '../ort/wasm-session.js';
import { TokenEmbedder } from './token-embedder.js';
import { type TextEngineOptions, TransformersTextEngine } from './transformers-text-engine.js';

/** Prompt tokens per forward pass: few enough to cancel soon, enough to use the hardware well. */
const BLOCK_LENGTH = { wasm: 64, webgpu: 512 } as const;

/** The same on a GPU where prompts are cached on disk: only what whole blocks computed is. */
const PERSISTED_BLOCK_LENGTH = 64;

/** A GPU computes fewer tokens by other kernels, with other last bits. */
const MIN_BLOCK_ON_GPU = 64;

/** Model types whose positions begin at 1. */
const ONE_BASED = ['paligemma', 'gemma3_text', 'gemma3'];

/**
 * Loads a model of task `chat`.
 * @throws InferenceError see {@link loadFromSource}
 */
export async function loadTextModel(entry: ModelEntry, options: LoadOptions): Promise<TextModel> {
  return loadFromSource(
    entry,
    options,
    decoderKind(
      entry,
      (engine, parts) =>
        createTextModel(engine, {
          ...parts,
          ...(entry.maxCompletionTokens !== undefined && { maxCompletionTokens: entry.maxCompletionTokens }),
        }),
      options,
    ),
  );
}

/** A loaded decoder without its engine. */
export interface DecoderParts {
  info: ModelSource['info'];
  lost: Promise<InferenceError>;
  unload(): Promise<void>;
}

/** Makes of a decoder's engine what a task needs. */
type FromEngine<Loaded> = (engine: TransformersTextEngine, parts: DecoderParts) => Loaded;

/** What of a model's prompts is kept on the disk; absent: nothing. */
type PromptCacheOptions = { promptCache?: number | undefined };

/** How decoders of text load, for whatever task. */
export function decoderKind<Loaded>(
  entry: ModelEntry,
  make: FromEngine<Loaded>,
  { promptCache }: PromptCacheOptions = {},
): ModelKind<ModelTexts, Loaded> {
  return {
    open: ({ id, pretrained, graphs }) =>
      (isVisionModel(graphs) ? AutoModelForImageTextToText : AutoModelForCausalLM).from_pretrained(id, pretrained),
    read: readTexts,
    assemble: (source, model, texts) => assemble(entry, source, { ...texts, model }, { make, promptCache }),
  };
}

interface LoadedParts extends ModelTexts {
  model: PreTrainedModel;
}

async function assemble<Loaded>(
  entry: ModelEntry,
  source: ModelSource,
  parts: LoadedParts,
  { make, promptCache }: { make: FromEngine<Loaded> } & PromptCacheOptions,
): Promise<Loaded> {
  const { model, pretrained, templates, processor } = parts;
  const resident = (plain: OnnxSession): OnnxSession =>
    source.info.device === 'wasm' ? (wasmSession(plain) ?? plain) : plain;
  const session = resident(decoderSession(model, entry));
  checkHalfFloats(source, session, entry);
  const config = model.config as unknown as Record<string, unknown>;
  const tokenizer = textTokenizerOf(pretrained, { endTokens: endTokens(model), ...templates });
  const { embed_tokens: embedding } = sessionsOf(model);
  const visionInput = processor && vision(processor, model, tokenizer);
  const forward = new ForwardPass(session, {
    firstPosition: ONE_BASED.includes(String(config['model_type'])) ? 1 : 0,
    vocabularySize: tokenizer.vocabularySize,
    heads: headsOf(config),
    embedder: embedding && new TokenEmbedder(resident(embedding), session),
    device: source.info.device === 'webgpu' ? await env.backends.onnx.webgpu?.device : undefined,
  });
  checkInputs(forward, entry);
  const needsProbe = needsAppendProbe(session, config['model_type']);
  const probeContinuation = () => probeMultiTokenAppend(forward, tokenizer.vocabularySize);
  const oneRow = hasFixedBatchOfOne(session);
  const engine = new TransformersTextEngine({
    forward,
    emptyState: () => forward.emptyState(),
    blocks:
      forward.hasCache &&
      (!needsProbe || (await source.cachedProbe('appends several tokens at once', probeContinuation))),
    window: windowOf(config),
    tokenizer,
    contextLength: contextLength(entry, config),
    toolFormat: detectToolFormat(tokenizer.toolTemplate ?? tokenizer.chatTemplate, entry.toolFormat),
    reasoningFormat: detectReasoningFormat(tokenizer.chatTemplate, entry.reasoningFormat),
    rows: oneRow ? 1 : MAX_ROWS,
    supportsRaggedBatch: !oneRow && source.graphHas('GroupQueryAttention'),
    ...blocksOf(source, promptCache),
    vision: visionInput,
    persist: await openPromptDisk(source, promptCache, PROMPT_FOR),
  });
  const sampling = readSamplingDefaults(generationConfig(model));
  return make(engine, {
    info: { ...source.info, ...(sampling && { sampling }) },
    lost: Promise.race([deviceLoss(source.info.device), ...(visionInput ? [visionInput.encoder.lost] : [])]),
    async unload() {
      engine.dispose();
      forward.dispose();
      await model.dispose();
    },
  });
}

/** What cached prompts in packs are for. */
const PROMPT_FOR = 'it is for q8 on WASM with one thread, and for the files and the version that it was packed with';

/** How prompts are cut into passes. */
function blocksOf(
  { info }: ModelSource,
  promptCache: number | undefined,
): Pick<TextEngineOptions, 'blockLength' | 'shortestBlock'> {
  if (info.device !== 'webgpu') return { blockLength: BLOCK_LENGTH.wasm };
  const blockLength = promptCache === undefined ? BLOCK_LENGTH.webgpu : PERSISTED_BLOCK_LENGTH;
  return { blockLength, shortestBlock: MIN_BLOCK_ON_GPU };
}

/** Undefined when the image placeholder is not a control token, because user text could then contain it. */
function vision(
  processor: VisionProcessor,
  model: PreTrainedModel,
  { addedTokens }: TextTokenizer,
): { processor: VisionProcessor; encoder: VisionEncoder } | undefined {
  const encoder = new VisionEncoder(model);
  const isControl = addedTokens.has(processor.placeholder) && [...addedTokens.values()].includes(encoder.imageToken);
  return isControl ? { processor, encoder } : undefined;
}

function sessionsOf(model: PreTrainedModel): Partial<Record<string, OnnxSession>> {
  return model.sessions as Partial<Record<string, OnnxSession>>;
}

/** The session that gives logits: the only one, or the decoder of a vision model. */
function decoderSession(model: PreTrainedModel, entry: ModelEntry): OnnxSession {
  const { model: only, decoder_model_merged: last } = sessionsOf(model);
  const session = last ?? only;
  const input = last ? 'inputs_embeds' : 'input_ids';
  if (session?.inputNames.includes(input) && session.outputNames.includes('logits')) return session;
  throw new InferenceError(
    'model_not_supported',
    `The model \`${entry.id}\` is not a text decoder that Inpage can run.`,
    {
      param: 'model',
    },
  );
}

/** @throws InferenceError `insufficient_resources` for a graph whose keys and values the GPU cannot compute with */
function checkHalfFloats({ info, halfFloats }: ModelSource, { inputMetadata }: OnnxSession, { id }: ModelEntry): void {
  if (info.device !== 'webgpu' || halfFloats || inputMetadata.every(({ type }) => type !== 'float16')) return;
  const message = `The model \`${id}\` has keys and values of 16-bit floats, which this GPU does not offer.`;
  throw new InferenceError('insufficient_resources', message, { param: 'device' });
}

/** @throws InferenceError `model_not_supported` */
function checkInputs({ unknownInputs }: ForwardPass, { id }: ModelEntry): void {
  if (unknownInputs.length === 0) return;
  const names = unknownInputs.map((name) => `\`${name}\``).join(', ');
  const message = `The model \`${id}\` cannot run here: its graph has the inputs ${names}, which cannot be filled here.`;
  throw new InferenceError('model_not_supported', message, { param: 'model', permanent: true });
}

/** Tokens that a sliding window of the model's attention sees. */
function windowOf(config: Record<string, unknown>): number | undefined {
  const { sliding_window: window } = { ...config, ...(config['text_config'] as Record<string, unknown> | undefined) };
  return typeof window === 'number' ? window : undefined;
}

/** The file of this name. */
function generationConfig(model: PreTrainedModel): { eos_token_id?: unknown } | null | undefined {
  return (model as unknown as { generation_config?: { eos_token_id?: unknown } | null }).generation_config;
}

function endTokens(model: PreTrainedModel): number[] {
  const generation = generationConfig(model);
  const config = model.config as unknown as { eos_token_id?: unknown };
  return [generation?.eos_token_id, config.eos_token_id].flat().filter((id): id is number => typeof id === 'number');
}

function contextLength(entry: ModelEntry, config: Record<string, unknown>): number {
  const text = config['text_config'] as Record<string, unknown> | undefined;
  const lengths = [text, config].flatMap((each) => [each?.['max_position_embeddings'], each?.['n_positions']]);
  const own = lengths.find((length): length is number => typeof length === 'number');
  return Math.min(entry.contextLength ?? Infinity, own ?? entry.contextLength ?? 2048);
}
