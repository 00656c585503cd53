/** The stage between engines and dialects: tokens in, events with meaning out. @module */
import { InferenceError } from '../errors/inference-error.js';
import type { PromptEvent, TokenEvent } from '../events/token-event.js';
import { type GenerationRequest, offersTools } from '../request/generation-request.js';
import { createChoiceInterpreter, type ChoiceInterpreter } from './choice-interpreter.js';
import { createChannelParser } from './create-channel-parser.js';
import type { GenerationEvent } from './generation-event.js';
import { createPlainTextParser } from '../families/parsing/plain-text.js';
import { createUsageMeter } from './usage-meter.js';

export interface InterpretOptions {
  /** Unix milliseconds, never running backwards within a request. */
  clock: () => number;
  /** Unique ids of tool calls; see {@link createToolCallId}. */
  createId: () => string;
  /** When the request came, by `clock`. */
  startTime: number;
}

/**
 * Blocks come paired and in order, see {@link GenerationEvent}. A raw prompt is continued, not answered: its text is
 * never read for reasoning or calls. Errors of `tokens` pass through; breaking off ends `tokens` too.
 */
export async function* interpretTokens(
  tokens: AsyncIterable<TokenEvent>,
  request: GenerationRequest,
  options: InterpretOptions,
): AsyncGenerator<GenerationEvent, void, undefined> {
  const meter = createUsageMeter(options);
  let choices: ChoiceInterpreter[] = [];
  for await (const event of tokens) {
    if (event.type === 'prompt') {
      meter.prompt(event.promptTokens, event.cachedTokens);
      choices = startChoices(event, request, options.createId);
      const { promptTokens, cachedTokens, promptText } = event;
      const start = { type: 'start', model: request.model, promptTokens, cachedTokens } as const;
      yield promptText === undefined ? start : { ...start, promptText };
      continue;
    }
    if (event.type === 'counts') {
      const { type: _, ...counts } = event;
      meter.counts(counts);
      continue;
    }
    const choice = choices[event.choice];
    if (!choice) throw new InferenceError('internal', 'The engine answered a choice that was not asked for.');
    if (event.type === 'end') {
      yield* choice.end(event);
      continue;
    }
    const { events, isReasoning } = event.type === 'piece' ? choice.piece(event) : choice.token(event);
    meter.token(isReasoning);
    yield* events;
  }
  yield { type: 'finish', usage: meter.read() };
}

function startChoices(prompt: PromptEvent, request: GenerationRequest, createId: () => string): ChoiceInterpreter[] {
  const toolsOffered = offersTools(request);
  const newParser = () =>
    request.prompt.type === 'chat'
      ? createChannelParser({
          toolFormat: prompt.toolFormat,
          reasoningFormat: prompt.reasoningFormat,
          reasoningOpen: prompt.reasoningOpen,
          toolsOffered,
          tools: request.tools,
        })
      : createPlainTextParser();
  return Array.from({ length: request.n }, (_, choice) =>
    createChoiceInterpreter({ choice, request, parser: newParser(), createId }),
  );
}

const ID_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** `call_` and 24 url-safe random characters (144 bits). */
export function createToolCallId(): string {
  let id = 'call_';
  for (const byte of crypto.getRandomValues(new Uint8Array(24))) id += ID_ALPHABET[byte & 63];
  return id;
}
