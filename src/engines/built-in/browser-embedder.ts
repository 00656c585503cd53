/** The browser's built-in embedding model: `SemanticEmbedder`, which only windows have. @module */
import { cancelled, InferenceError, throwIfCancelled } from '../../core/errors/inference-error.js';
import { checkFinite, WrongOutput } from '../../core/errors/wrong-output.js';
import type { Backend, LoadedModel, ModelInfo } from '../../core/models/backend.js';
import { orAborted } from '../../core/platform/reject-on-abort.js';
import type { EmbeddingRequest, EmbeddingResult } from '../../core/request/embedding-request.js';
import { normaliseVector } from '../../language/embedding/normalise-vector.js';
import { answerError, isDestroyed, loadError, noModel } from './browser-error.js';
import { FORMATS } from './browser-prompt.js';
import { createSession, warningOf } from './create-session.js';
import {
  type SemanticEmbedderFactory,
  type SemanticEmbedderSession,
  TASK_TYPES,
  type TaskType,
} from './semantic-embedder.js';

/** Tokens, because the interface tells no limit. */
const ASSUMED_CONTEXT_LENGTH = 2048;

const WARNING = "The browser's built-in embedding model does not count tokens, so `usage` is 0.";

/** What the interface calls each `input_type`. */
const TASK_TYPE_OF: ReadonlyMap<string, TaskType> = new Map<string, TaskType>([
  ['query', 'retrieval-query'],
  ['search_query', 'retrieval-query'],
  ['document', 'retrieval-document'],
  ['search_document', 'retrieval-document'],
  ...TASK_TYPES.map((type) => [type, type] as const),
]);

/**
 * @param find the interface, when it is needed
 * @param over ends loads and sessions, whatever becomes of who uses them
 */
export function createBrowserEmbedder(find: () => SemanticEmbedderFactory | undefined, over: AbortSignal): Backend {
  const load: Backend['load'] = async (entry, options) => {
    const signal = AbortSignal.any([options.signal, over]);
    try {
      const factory = find();
      if (!factory)
        throw noModel('This browser does not offer a built-in embedding model to pages (`SemanticEmbedder`).');
      const availability = await orAborted(factory.availability(), signal);
      if (availability === 'unavailable')
        throw noModel("The browser's built-in embedding model cannot run on this device.");
      const create = factory.create.bind(factory);
      const first = await createSession(create, { ...options, entry, availability, signal });
      const info: ModelInfo = {
        contextLength: entry.contextLength ?? ASSUMED_CONTEXT_LENGTH,
        device: 'none',
        threads: 1,
        warning: warningOf('SemanticEmbedder', factory, WARNING),
        ...FORMATS,
        images: false,
      };
      return loadedModel(factory, first, info, over);
    } catch (thrown) {
      if (signal.aborted) throw cancelled(thrown);
      throw loadError(thrown);
    }
  };
  return {
    load,
    // The browser keeps what it downloads.
    fetchFiles: async (entry, options) => (await load(entry, options)).unload(),
  };
}

function loadedModel(
  factory: SemanticEmbedderFactory,
  first: SemanticEmbedderSession,
  info: ModelInfo,
  over: AbortSignal,
): LoadedModel {
  const ended = new AbortController();
  const end = AbortSignal.any([over, ended.signal]);
  let open = first;
  let renewal: Promise<SemanticEmbedderSession> | undefined;
  end.addEventListener('abort', () => open.destroy());

  const made = (session: SemanticEmbedderSession): SemanticEmbedderSession => {
    if (end.aborted) session.destroy();
    return (open = session);
  };

  /** Requests that find the same session destroyed wait for the same new one; where there is none, the next request tries again. */
  const renewed = async (destroyed: SemanticEmbedderSession): Promise<SemanticEmbedderSession> => {
    if (open !== destroyed) return open;
    renewal ??= factory
      .create({ signal: end })
      .then(made)
      .finally(() => (renewal = undefined));
    return renewal;
  };

  async function embedTexts(
    input: string[],
    taskType: TaskType | undefined,
    signal: AbortSignal,
  ): ReturnType<SemanticEmbedderSession['embed']> {
    const settings = { signal, ...(taskType && { taskType }) };
    const session = open;
    try {
      return await orAborted(session.embed(input, settings), signal);
    } catch (thrown) {
      if (signal.aborted || !isDestroyed(thrown)) throw thrown;
      const next = await orAborted(renewed(session), signal);
      return orAborted(next.embed(input, settings), signal);
    }
  }

  return {
    info,
    lost: new Promise(() => {}),
    async embed(request, signal) {
      throwIfCancelled(signal);
      const input = textsOf(request);
      const taskType = taskTypeOf(request.inputType);
      try {
        const { embeddings } = await embedTexts(input, taskType, AbortSignal.any([signal, end]));
        return toResult(embeddings, request);
      } catch (thrown) {
        if (signal.aborted) throw cancelled(thrown);
        throw answerError(thrown, undefined, 'input');
      }
    },
    unload: async () => ended.abort(),
  };
}

/** @throws InferenceError `invalid_request` */
function textsOf({ inputs, truncate }: EmbeddingRequest): string[] {
  const refuse = (what: string, param: string): never => {
    throw new InferenceError('invalid_request', `The browser's built-in embedding model ${what}.`, { param });
  };
  if (truncate?.tokens !== undefined)
    refuse('does not count tokens, so it cannot truncate texts', 'truncate_prompt_tokens');
  return inputs.map((input) => (typeof input === 'string' ? input : refuse('accepts strings, not token ids', 'input')));
}

/** @throws InferenceError `invalid_request` */
function taskTypeOf(inputType: string | undefined): TaskType | undefined {
  if (inputType === undefined) return undefined;
  const taskType = TASK_TYPE_OF.get(inputType);
  if (taskType) return taskType;
  const known = [...TASK_TYPE_OF.keys()].map((name) => `\`${name}\``).join(', ');
  throw new InferenceError('invalid_request', `\`input_type\` must be one of: ${known} for this model.`, {
    param: 'input_type',
  });
}

/** @throws WrongOutput; InferenceError `invalid_request` for more `dimensions` than there are */
function toResult(
  embeddings: readonly { values: Float32Array }[],
  { inputs, dimensions }: EmbeddingRequest,
): EmbeddingResult {
  if (embeddings.length !== inputs.length)
    throw new WrongOutput(`${inputs.length} texts have ${embeddings.length} embeddings`);
  const width = embeddings[0]!.values.length;
  for (const { values } of embeddings) {
    if (values.length !== width) throw new WrongOutput('embeddings have different lengths');
    checkFinite(values, 'an embedding');
  }
  if (dimensions !== undefined && dimensions > width)
    throw new InferenceError('invalid_request', `\`dimensions\` must be 1 to ${width} for this model.`, {
      param: 'dimensions',
    });
  return { vectors: embeddings.map(({ values }) => normaliseVector(values, dimensions)), promptTokens: 0 };
}
