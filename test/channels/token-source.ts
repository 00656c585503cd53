/** Token events made by hand, for tests of what is made of them. @module */
import type { ChoiceEndEvent, PromptEvent, TokenEvent, TokenTextEvent } from '../../src/events/token-event.js';
import { type GenerationRequest, plainGenerationRequest } from '../../src/request/generation-request.js';

export const PROMPT: PromptEvent = {
  type: 'prompt',
  promptTokens: 7,
  cachedTokens: 3,
  toolFormat: 'hermes',
  reasoningFormat: 'think-tags',
  reasoningOpen: false,
};

/** One token. */
export const token = (text: string, choice = 0, extra: Partial<TokenTextEvent> = {}): TokenTextEvent => ({
  type: 'token',
  choice,
  id: text.length,
  text,
  ...extra,
});

/** The end of a choice. */
export const end = (choice = 0, extra: Partial<ChoiceEndEvent> = {}): ChoiceEndEvent => ({
  type: 'end',
  choice,
  reason: 'stop',
  text: '',
  ...extra,
});

/** The events as an engine gives them; counts how often it was closed. */
export async function* source(
  events: readonly TokenEvent[],
  onClose: () => void = () => {},
): AsyncGenerator<TokenEvent, void, undefined> {
  try {
    for (const event of events) yield await Promise.resolve(event);
  } finally {
    onClose();
  }
}

/** A request with a chat prompt and one tool. */
export function request(overrides: Partial<GenerationRequest> = {}): GenerationRequest {
  return {
    ...plainGenerationRequest('model', { type: 'chat', messages: [] }),
    tools: [{ name: 'f' }],
    ...overrides,
  };
}
