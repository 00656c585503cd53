/** A question to an upstream model, the chunks that its service answers with, and what came of them. */
import type { CollectedGeneration } from '../../../src/service/answer/collect-generation.js';
import { type GenerationRequest, plainGenerationRequest } from '../../../src/core/request/generation-request.js';
import { collectAnswer, interpret } from '../../support/token-events.js';
import { loadUpstream } from './through-app.js';

export function ask(overrides: Partial<GenerationRequest> = {}): GenerationRequest {
  const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }];
  return { ...plainGenerationRequest('far', { type: 'chat', messages }), ...overrides };
}

export async function answer(request = ask(), signal = new AbortController().signal): Promise<CollectedGeneration> {
  const model = await loadUpstream();
  return collectAnswer(interpret(model.generate!(request, signal), request));
}

export const chunk = (delta: object, rest: object = {}): object => ({ choices: [{ index: 0, delta, ...rest }] });
export const stop = chunk({}, { finish_reason: 'stop' });
