/** Creates a loaded model from a text engine: prompt, grammar and decode loop. @module */
import type { LoadedModel, ModelInfo } from '../../core/models/backend.js';
import { fetchPart } from '../../core/errors/fetch-part.js';
import { InferenceError } from '../../core/errors/inference-error.js';
import type { TokenEvent } from '../../core/events/token-event.js';
import { answerSyntax } from '../families/answer-syntax.js';
import { Interruptible, orAborted } from '../../core/platform/reject-on-abort.js';
import { completionCap, refuseHugePrompt } from '../prompt/context-window.js';
import { encodeTrustedText } from '../prompt/encode-prompt.js';
import type { PromptImages } from '../prompt/prompt-image.js';
import { type RenderedPrompt, renderPrompt } from '../prompt/render-prompt.js';
import type { DecisionRequest, DecisionResult } from '../../core/request/decision-request.js';
import type { Tokenization, TokenizationRequest } from '../../core/request/tokenization-request.js';
import type { GenerationRequest } from '../../core/request/generation-request.js';
import type { ReasoningLimit } from './choice.js';
import { withSamplingDefaults } from '../sampling/sampling-defaults.js';
import { type DecodeRun, decodeLoop } from './decode-loop.js';
import { readImages } from './read-images.js';
import type { TextEngine } from './text-engine.js';

/** What the engine itself does not know. */
export interface TextModelOptions {
  info: Omit<ModelInfo, 'contextLength' | 'toolFormat' | 'reasoningFormat' | 'images'>;
  /** Maximum number of tokens per completion; absent: what the context leaves. */
  maxCompletionTokens?: number;
  /** Resolves when the engine is lost; running generations then throw this error. */
  lost?: Promise<InferenceError>;
  unload(): Promise<void>;
}

/** A text model. */
export interface TextModel extends LoadedModel {
  generate(request: GenerationRequest, signal: AbortSignal): AsyncGenerator<TokenEvent[], void, undefined>;
  countTokens(request: GenerationRequest, signal: AbortSignal): Promise<number>;
  tokenize(request: TokenizationRequest, signal: AbortSignal): Promise<Tokenization>;
  decide(request: DecisionRequest, signal: AbortSignal): Promise<DecisionResult>;
}

/**
 * Wraps an engine. `generate` throws `context_length_exceeded`, `unsupported_content` or (for a bad schema)
 * `invalid_request` before its first event, `cancelled` when its signal aborts.
 */
export function createTextModel(engine: TextEngine, options: TextModelOptions): TextModel {
  const { contextLength, toolFormat, reasoningFormat } = engine;
  const lost = options.lost ?? new Promise<InferenceError>(() => {});
  const running = new RunningSequences(engine.maxSequences, lost);

  async function decideQuestions(request: DecisionRequest, signal: AbortSignal): Promise<DecisionResult> {
    const gone = running.start();
    try {
      // Loaded with the first request for it: most models are never asked for a decision.
      const { decide } = await fetchPart(() => import('./decide.js'));
      return await orAborted(decide(engine, request, AbortSignal.any([signal, gone.signal])), gone.signal);
    } finally {
      running.end(gone);
    }
  }

  async function* generate(
    request: GenerationRequest,
    signal: AbortSignal,
  ): AsyncGenerator<TokenEvent[], void, undefined> {
    const gone = running.start();
    const alive = new Interruptible(gone.signal);
    let run: DecodeRun | undefined;
    let steps: AsyncGenerator<TokenEvent[], void, undefined> | undefined;
    try {
      const sampling = withSamplingDefaults(request.sampling, options.info.sampling);
      run = await prepare(engine, { ...request, sampling }, options);
      steps = decodeLoop(run, signal);
      for (;;) {
        const next = await alive.wait(steps.next());
        if (next.done) return;
        yield next.value;
      }
    } finally {
      alive.dispose();
      const closed = steps?.return();
      // A lost engine may never answer, so this must not wait for it.
      if (gone.signal.aborted) closed?.catch(() => {});
      else await closed;
      run?.constraint?.dispose();
      running.end(gone);
    }
  }

  return {
    info: {
      ...options.info,
      contextLength,
      toolFormat,
      reasoningFormat,
      images: engine.images !== undefined,
      ...(engine.maxSequences > 1 && { concurrency: engine.maxSequences }),
    },
    lost,
    generate,
    decide: decideQuestions,
    countTokens: async (request) => (await readPrompt(request, engine)).prompt.tokens.length,
    tokenize: (request) => tokenize(request, engine),
    unload: () => options.unload(),
  };
}

/** The sequences that an engine works on now. */
class RunningSequences {
  readonly #most: number;
  /** One for each. */
  readonly #running = new Set<AbortController>();
  #loss: InferenceError | undefined;

  /** @param lost resolves when the engine is lost */
  constructor(most: number, lost: Promise<InferenceError>) {
    this.#most = most;
    void lost.then((error) => {
      this.#loss = error;
      for (const gone of this.#running) gone.abort(error);
    });
  }

  /** Admits one. The controller aborts when the engine is lost. */
  start(): AbortController {
    if (this.#running.size >= this.#most)
      throw new InferenceError('internal', 'More generations were started than can run at a time.');
    const gone = new AbortController();
    if (this.#loss) gone.abort(this.#loss);
    this.#running.add(gone);
    return gone;
  }

  end(gone: AbortController): void {
    this.#running.delete(gone);
  }
}

async function tokenize(request: TokenizationRequest, engine: TextEngine): Promise<Tokenization> {
  const { prompt } = request;
  const { tokenizePrompt, toTokenization } = await import('../prompt/tokenize-prompt.js');
  const tokens =
    prompt.type === 'chat'
      ? (await readPrompt(request, engine)).prompt.tokens
      : tokenizePrompt(prompt, request, engine.tokenizer);
  return toTokenization(tokens, engine.tokenizer);
}

interface PreparedPrompt {
  prompt: RenderedPrompt;
  images: PromptImages | undefined;
}

/**
 * @param maxImageTokens of all images together
 * @throws InferenceError `context_length_exceeded`, and what {@link renderPrompt} throws
 */
async function readPrompt(
  request: GenerationRequest,
  engine: TextEngine,
  maxImageTokens = Infinity,
): Promise<PreparedPrompt> {
  refuseHugePrompt(request, engine.tokenizer, engine.contextLength);
  const images =
    engine.images && request.prompt.type === 'chat'
      ? await readImages(engine.images, request, maxImageTokens)
      : undefined;
  return { prompt: renderPrompt(request, engine.tokenizer, engine, images), images };
}

async function prepare(engine: TextEngine, request: GenerationRequest, options: TextModelOptions): Promise<DecodeRun> {
  const { prompt, images } = await readPrompt(request, engine, engine.contextLength);
  const { vocabularySize } = engine.tokenizer;
  if (request.begun?.some(({ tokens }) => tokens.some((token) => !(token >= 0 && token < vocabularySize))))
    throw new InferenceError('unavailable', 'The answer was begun by another model.');
  const cap = completionCap(prompt.tokens.length, engine.contextLength, [
    request.maxTokens,
    options.maxCompletionTokens,
  ]);
  return {
    engine,
    request,
    promptTokens: prompt.tokens,
    images: images?.all ?? [],
    reasoningOpen: prompt.reasoningOpen,
    reasoning: reasoningLimit(engine, request),
    cap,
    ...(await compile(engine, request, prompt)),
  };
}

/** A model without thinking has nothing that closes it. */
function reasoningLimit(engine: TextEngine, { reasoning }: GenerationRequest): ReasoningLimit | undefined {
  const { forcedClose } = answerSyntax(engine).reasoning;
  if (reasoning.budgetTokens === undefined || forcedClose === '') return undefined;
  return { budget: reasoning.budgetTokens, close: encodeTrustedText(forcedClose, engine.tokenizer) };
}

/** Loads the grammar module, which is large, only for requests that need a grammar. */
async function compile(
  engine: TextEngine,
  request: GenerationRequest,
  prompt: RenderedPrompt,
): Promise<Pick<DecodeRun, 'constraint' | 'ignored'>> {
  const { ignored, reasoningOpen } = prompt;
  const plain = request.output.type === 'text' && request.tools.length === 0;
  if (plain) return { constraint: undefined, ignored };
  const { withoutInexpressible } = await fetchPart(() => import('../constraints/loose-tools.js'));
  const { request: expressible, keywords } = withoutInexpressible(request);
  const all = keywords.length > 0 ? { ...ignored, schemaKeywords: [...keywords] } : ignored;
  if (!engine.constrainable) {
    const { checkSchemas } = await fetchPart(() => import('../constraints/check-json-schema.js'));
    checkSchemas(expressible);
    return { constraint: undefined, ignored: all };
  }
  const { compileConstraint } = await fetchPart(() => import('../constraints/compile-constraint.js'));
  const { tokenizer, toolFormat, reasoningFormat } = engine;
  const model = { tokenizer, toolFormat, reasoningFormat, reasoningOpen };
  return { constraint: await compileConstraint(expressible, model), ignored: all };
}
