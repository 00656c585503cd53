/** Loads a chat model: files, tokenizer, session, engine. @module */
import {
  AutoModelForCausalLM,
  AutoModelForImageTextToText,
  AutoProcessor,
  AutoTokenizer,
  env,
  type PreTrainedModel,
  type PreTrainedTokenizer,
  type Processor,
} from '@huggingface/transformers';
import type { Tokenizer } from '@huggingface/tokenizers';
import { createTextModel, type TextModel } from '../../../decoding/create-text-model.js';
import { InferenceError } from '../../../../core/errors/inference-error.js';
import type { ModelEntry } from '../../../../core/models/model-entry.js';
import {
  type ChatTemplateField,
  type ChatTemplates,
  chatTemplatesOf,
  createTextTokenizer as createOfParts,
  specialTokensOf,
  type TextTokenizer,
  type TokenizerJson,
} from '../../../prompt/text-tokenizer.js';
import { detectReasoningFormat, detectToolFormat } from '../../../prompt/detect-formats.js';
import type { LoadOptions } from '../../../../core/models/backend.js';
import { deviceLoss } from '../device-loss.js';
import { isVisionModel } from '../repository-files.js';
import { loadFromSource } from '../load-from-source.js';
import type { ModelSource } from '../model-source.js';
import { VisionEncoder } from '../vision/vision-encoder.js';
import { VisionProcessor } from '../vision/vision-processor.js';
import { ForwardPass } from './forward-pass.js';
import type { OnnxSession } from './onnx-session.js';
import { wasmSession } from './wasm-session.js';
import { SequenceState } from './sequence-state.js';
import { TokenEmbedder } from './token-embedder.js';
import { TransformersTextEngine } from './transformers-text-engine.js';

/** Prompt tokens per forward pass: few enough to cancel soon, enough to use the hardware well. */
const BLOCK_LENGTH = { wasm: 64, webgpu: 512 } as const;

/** Model types whose positions begin at 1. */
const ONE_BASED = ['paligemma', 'gemma3_text', 'gemma3'];

/**
 * Loads a model of task `chat`.
 * @throws InferenceError see {@link loadFromSource}
 */
export async function loadTextModel(entry: ModelEntry, options: LoadOptions): Promise<TextModel> {
  return loadFromSource(entry, options, {
    open: ({ id, pretrained, graphs }) =>
      (isVisionModel(graphs) ? AutoModelForImageTextToText : AutoModelForCausalLM).from_pretrained(id, pretrained),
    read: readTexts,
    assemble: (source, model, texts) => assemble(entry, source, { ...texts, model }),
  });
}

interface LoadedTexts {
  pretrained: PreTrainedTokenizer;
  templates: ChatTemplates;
  /** For vision models. */
  processor: VisionProcessor | undefined;
}

/** Reads tokenizer, chat templates and image processor. */
async function readTexts(source: ModelSource): Promise<LoadedTexts> {
  // Without a preprocessor a model with a vision encoder is used for text only.
  const config = isVisionModel(source.graphs) ? await source.readJson('preprocessor_config.json') : undefined;
  const processor: Processor | undefined = config ? await AutoProcessor.from_pretrained(source.id) : undefined;
  const pretrained = processor?.tokenizer ?? (await AutoTokenizer.from_pretrained(source.id));
  const templates = await findChatTemplates(pretrained, source);
  const { processor_class: kind } = (config ?? {}) as { processor_class?: unknown };
  return { pretrained, templates, processor: processor && VisionProcessor.of(processor, String(kind)) };
}

interface LoadedParts extends LoadedTexts {
  model: PreTrainedModel;
}

async function assemble(entry: ModelEntry, source: ModelSource, parts: LoadedParts): Promise<TextModel> {
  const { model, pretrained, templates, processor } = parts;
  const resident = (plain: OnnxSession): OnnxSession =>
    source.info.device === 'wasm' ? (wasmSession(plain) ?? plain) : plain;
  const session = resident(decoderSession(model, entry));
  const config = model.config as unknown as Record<string, unknown>;
  const tokenizer = createTextTokenizer(pretrained, { endTokens: endTokens(model), ...templates });
  const { embed_tokens: embedding } = sessionsOf(model);
  const eyes = processor && vision(processor, model, tokenizer);
  const forward = new ForwardPass(session, {
    firstPosition: ONE_BASED.includes(String(config['model_type'])) ? 1 : 0,
    vocabularySize: tokenizer.vocabularySize,
    embedder: embedding && new TokenEmbedder(resident(embedding), session),
    device: source.info.device === 'webgpu' ? await env.backends.onnx.webgpu?.device : undefined,
  });
  const engine = new TransformersTextEngine({
    forward,
    emptyState: () => SequenceState.empty(session),
    tokenizer,
    contextLength: contextLength(entry, config),
    toolFormat: detectToolFormat(tokenizer.toolTemplate ?? tokenizer.chatTemplate, entry.toolFormat),
    reasoningFormat: detectReasoningFormat(tokenizer.chatTemplate, entry.reasoningFormat),
    ragged: await source.graphHas('GroupQueryAttention'),
    blockLength: BLOCK_LENGTH[source.info.device === 'webgpu' ? 'webgpu' : 'wasm'],
    vision: eyes,
  });
  return createTextModel(engine, {
    info: source.info,
    ...(entry.maxCompletionTokens !== undefined && { maxCompletionTokens: entry.maxCompletionTokens }),
    lost: Promise.race([deviceLoss(source.info.device), ...(eyes ? [eyes.encoder.lost] : [])]),
    async unload() {
      engine.dispose();
      forward.dispose();
      await model.dispose();
    },
  });
}

/** Undefined when the image placeholder is no control token, because user text could then contain it. */
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
    `The model \`${entry.id}\` is not a text decoder that can run here.`,
    {
      param: 'model',
    },
  );
}

/** From the tokenizer's config; in newer repositories and those with a processor, from a file of its own. */
async function findChatTemplates(pretrained: PreTrainedTokenizer, source: ModelSource): Promise<ChatTemplates> {
  const templates = chatTemplatesOf((pretrained as unknown as { chat_template: ChatTemplateField }).chat_template);
  if (templates.chatTemplate !== undefined) return templates;
  const newer = await source.readText('chat_template.jinja');
  if (newer !== undefined) return { ...templates, chatTemplate: newer };
  const older = (await source.readJson('chat_template.json')) as { chat_template?: ChatTemplateField } | undefined;
  return { ...templates, ...chatTemplatesOf(older?.chat_template) };
}

function endTokens(model: PreTrainedModel): number[] {
  const { generation_config: generation } = model as unknown as {
    generation_config?: { eos_token_id?: unknown } | null;
  };
  const config = model.config as unknown as { eos_token_id?: unknown };
  return [generation?.eos_token_id, config.eos_token_id].flat().filter((id): id is number => typeof id === 'number');
}

function contextLength(entry: ModelEntry, config: Record<string, unknown>): number {
  const text = config['text_config'] as Record<string, unknown> | undefined;
  const said = [text, config].flatMap((each) => [each?.['max_position_embeddings'], each?.['n_positions']]);
  const own = said.find((length): length is number => typeof length === 'number');
  return Math.min(entry.contextLength ?? Infinity, own ?? entry.contextLength ?? 2048);
}

/** What the tokenizer's own files do not contain. */
interface TextTokenizerOptions extends ChatTemplates {
  /** `eos_token_id` of the generation config and config. */
  endTokens: readonly number[];
}

/** Makes a TextTokenizer from the private fields of transformers.js's tokenizer. */
function createTextTokenizer(pretrained: PreTrainedTokenizer, options: TextTokenizerOptions): TextTokenizer {
  // Every tokenizer has them, but they are not declared.
  const fields = pretrained as unknown as Record<string, unknown>;
  return createOfParts({
    ...options,
    tokenizer: fields['_tokenizer'] as Tokenizer,
    json: fields['_tokenizerJSON'] as TokenizerJson,
    specialTokens: specialTokensOf(fields),
  });
}
