/** Loads a chat model: files, tokenizer, session, engine. @module */
import {
  AutoModelForCausalLM,
  AutoTokenizer,
  env,
  type PreTrainedModel,
  type PreTrainedTokenizer,
} from '@huggingface/transformers';
import { createTextModel, type TextModel } from '../../../decoding/create-text-model.js';
import { InferenceError } from '../../../errors/inference-error.js';
import type { ModelEntry } from '../../../models/model-entry.js';
import { type ChatTemplateField, type ChatTemplates, chatTemplatesOf } from '../../../prompt/chat-templates.js';
import { detectReasoningFormat, detectToolFormat } from '../../../prompt/detect-formats.js';
import type { LoadOptions } from '../../../models/backend.js';
import { deviceLoss } from '../device-loss.js';
import { isEngineFailure } from '../engine-failure.js';
import { isMended, type ModelSource, prepareSource, toLoadError } from '../model-source.js';
import { checkFiles } from './check-files.js';
import { ForwardPass } from './forward-pass.js';
import type { OnnxSession } from './onnx-session.js';
import { residentSession } from './resident-session.js';
import { SequenceState } from './sequence-state.js';
import { createTextTokenizer } from './tokenizer.js';
import { TransformersTextEngine } from './transformers-text-engine.js';

/** Tokens of a prompt per run: small enough to stop soon, large enough to fill the machine. */
const BLOCK_LENGTH = { wasm: 64, webgpu: 512 } as const;

/** Architectures whose positions begin at 1. */
const ONE_BASED = ['paligemma', 'gemma3_text', 'gemma3'];

/**
 * Loads a model of task `chat`.
 * @throws InferenceError `insufficient_resources` when it cannot run here, `unavailable` when files are missing or broken
 */
export async function loadTextModel(entry: ModelEntry, options: LoadOptions): Promise<TextModel> {
  let source: ModelSource | undefined;
  let loading: Promise<PreTrainedModel> | undefined;
  try {
    source = await prepareSource(entry, options);
    await checkFiles(entry, source.id);
    await source.fetchFiles();
    loading = AutoModelForCausalLM.from_pretrained(source.id, source.pretrained);
    const [pretrained, model] = await Promise.all([AutoTokenizer.from_pretrained(source.id), loading]);
    options.onProgress({ model: entry.id, loadedBytes: 0, totalBytes: 0, stage: 'initialize' });
    const templates = await findChatTemplates(pretrained, source);
    return await assemble(entry, source, { pretrained, model, templates });
  } catch (thrown) {
    if (await isMended(source, thrown, options.signal)) return loadTextModel(entry, options);
    const freed = loading?.then((model) => model.dispose()).catch(() => undefined);
    const chosen = (entry.device ?? 'auto') === 'auto' && source?.info.device === 'webgpu';
    // An adapter is no promise: drivers fail on single operators or run out of memory.
    if (chosen && !options.signal.aborted && !source?.fileFailure(thrown) && isEngineFailure(thrown)) {
      await freed;
      return loadTextModel({ ...entry, device: 'wasm' }, options);
    }
    throw toLoadError(thrown, entry, options.signal, source);
  }
}

interface LoadedParts {
  pretrained: PreTrainedTokenizer;
  model: PreTrainedModel;
  templates: ChatTemplates;
}

async function assemble(entry: ModelEntry, source: ModelSource, parts: LoadedParts): Promise<TextModel> {
  const { model, pretrained, templates } = parts;
  const plain = textSession(model, entry);
  const session = source.info.device === 'wasm' ? (residentSession(plain) ?? plain) : plain;
  const config = model.config as unknown as Record<string, unknown>;
  const tokenizer = createTextTokenizer(pretrained, { endTokens: endTokens(model), ...templates });
  const forward = new ForwardPass(session, {
    firstPosition: ONE_BASED.includes(String(config['model_type'])) ? 1 : 0,
    vocabularySize: tokenizer.vocabularySize,
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
  });
  return createTextModel(engine, {
    info: source.info,
    ...(entry.maxCompletionTokens !== undefined && { maxCompletionTokens: entry.maxCompletionTokens }),
    lost: deviceLoss(source.info.device),
    async unload() {
      engine.dispose();
      forward.dispose();
      await model.dispose();
    },
  });
}

/** The one session of a decoder-only model. */
function textSession(model: PreTrainedModel, entry: ModelEntry): OnnxSession {
  const session = (model.sessions as Record<string, unknown>)['model'] as OnnxSession | undefined;
  if (session?.inputNames.includes('input_ids') && session.outputNames.includes('logits')) return session;
  throw new InferenceError(
    'model_not_supported',
    `The model \`${entry.id}\` is not a text decoder that can run here.`,
    {
      param: 'model',
    },
  );
}

/** From the tokenizer's config, or, as newer repositories have it, from a file of its own. */
async function findChatTemplates(pretrained: PreTrainedTokenizer, source: ModelSource): Promise<ChatTemplates> {
  const templates = chatTemplatesOf((pretrained as unknown as { chat_template: ChatTemplateField }).chat_template);
  if (templates.chatTemplate !== undefined) return templates;
  return { ...templates, chatTemplate: await source.readText('chat_template.jinja') };
}

function endTokens(model: PreTrainedModel): number[] {
  const { generation_config: generation } = model as unknown as {
    generation_config?: { eos_token_id?: unknown } | null;
  };
  const config = model.config as unknown as { eos_token_id?: unknown };
  return [generation?.eos_token_id, config.eos_token_id].flat().filter((id): id is number => typeof id === 'number');
}

function contextLength(entry: ModelEntry, config: Record<string, unknown>): number {
  const own = [config['max_position_embeddings'], config['n_positions']].find(
    (length): length is number => typeof length === 'number',
  );
  return Math.min(entry.contextLength ?? Infinity, own ?? entry.contextLength ?? 2048);
}
