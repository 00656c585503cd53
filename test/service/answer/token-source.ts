/** What a model writes, token by token, for tests of what is made of it. @module */
import { type ChannelParserOptions, createChannelParser } from '../../../src/language/families/answer-syntax.js';
import { createPlainTextParser } from '../../../src/language/families/parsing/channel-parser.js';
import { AnswerReader } from '../../../src/language/decoding/answer-reader.js';
import type { ChoiceEndEvent, TokenEvent, TokenLogprob } from '../../../src/core/events/token-event.js';
import {
  type GenerationRequest,
  offersTools,
  plainGenerationRequest,
} from '../../../src/core/request/generation-request.js';

/** The prompt is read; the answer is written in these formats. */
export interface WrittenPrompt extends Omit<ChannelParserOptions, 'toolsOffered'> {
  type: 'prompt';
  promptTokens: number;
  cachedTokens: number;
}

export interface WrittenToken {
  type: 'token';
  choice: number;
  text: string;
  logprob?: TokenLogprob;
}

export interface WrittenEnd extends Pick<ChoiceEndEvent, 'type' | 'choice' | 'reason' | 'stopSequence'> {
  /** Of the last bytes. */
  text: string;
}

export type Written = WrittenPrompt | WrittenToken | WrittenEnd;

export const PROMPT: WrittenPrompt = {
  type: 'prompt',
  promptTokens: 7,
  cachedTokens: 3,
  toolFormat: 'hermes',
  reasoningFormat: 'think-tags',
  reasoningOpen: false,
};

/** One token. */
export const token = (text: string, choice = 0, extra: Partial<WrittenToken> = {}): WrittenToken => ({
  type: 'token',
  choice,
  text,
  ...extra,
});

/** The end of a choice. */
export const end = (choice = 0, extra: Partial<WrittenEnd> = {}): WrittenEnd => ({
  type: 'end',
  choice,
  reason: 'stop',
  text: '',
  ...extra,
});

/** What is written, read as the decode loop does: one batch per event, the prompt with the first. */
export async function* source(
  written: Iterable<Written> | AsyncIterable<Written>,
  asked: GenerationRequest,
  onClose: () => void = () => {},
): AsyncGenerator<TokenEvent[], void, undefined> {
  const toolsOffered = offersTools(asked);
  let readers: AnswerReader[] = [];
  let batch: TokenEvent[] = [];
  try {
    for await (const event of written) {
      if (event.type === 'prompt') {
        const { promptTokens, cachedTokens, type, ...formats } = event;
        readers = Array.from({ length: asked.n }, () => {
          const isContinued = asked.prompt.type !== 'chat';
          return new AnswerReader(
            isContinued ? createPlainTextParser() : createChannelParser({ ...formats, toolsOffered }),
            [],
          );
        });
        batch.push({ type, promptTokens, cachedTokens });
        continue;
      }
      batch.push(readEvent(event, readers[event.choice]!));
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  } finally {
    onClose();
  }
}

function readEvent(event: WrittenToken | WrittenEnd, reader: AnswerReader): TokenEvent {
  const { choice, text } = event;
  if (event.type === 'token') {
    const { parts, isReasoning } = reader.push(text, event.logprob);
    return { type: 'piece', choice, parts, isReasoning, token: text.length };
  }
  const { reason, stopSequence } = event;
  const { parts, cutBeforeCall } = reader.end(text, reason === 'length' || stopSequence !== undefined);
  const { rawOutput } = reader;
  return {
    type: 'end',
    choice,
    reason,
    parts,
    cutBeforeCall,
    rawOutput,
    ...(stopSequence !== undefined && { stopSequence }),
  };
}

/** A request with a chat prompt and one tool. */
export function request(overrides: Partial<GenerationRequest> = {}): GenerationRequest {
  return {
    ...plainGenerationRequest('model', { type: 'chat', messages: [] }),
    tools: [{ name: 'f' }],
    ...overrides,
  };
}
