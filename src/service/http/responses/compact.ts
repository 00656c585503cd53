/** POST /responses/compact @module */
import { collectGeneration } from '../../answer/collect-generation.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import { type GenerationRequest, plainGenerationRequest } from '../../../core/request/generation-request.js';
import type { Message, UserMessage } from '../../../core/request/message.js';
import type { EndpointBody } from '../endpoint/lazy-endpoint.js';
import { passThrough, countTokens, generate, renderBatches, runOptions } from '../generation/generate.js';
import { acceptRequest } from '../generation/generation-route.js';
import type { HttpContext, HttpRequestContext } from '../endpoint/http-context.js';
import { encodeOpaqueText } from './opaque-text.js';
import type { SentItem } from './input-schema.js';
import { createBodyReader } from './read-body.js';
import { responsesRequestSchema } from './request.js';
import { toResponseUsage } from './response-object.js';

/** The instruction that follows the conversation. */
const TASK =
  'Summarize this conversation for an assistant who continues it without having read it: what was asked, what was done, ' +
  'what was found and decided, what is left to do. Keep names, paths and numbers. Write the summary only.';

/** Most tokens of a summary, and the fewest that say anything. */
const MAX_TOKENS = 1024;
const MIN_TOKENS = 32;

/** A shorter conversation that says the same: what the user said, and a summary of the rest. */
export const compact: EndpointBody = {
  requestSchema: responsesRequestSchema,
  route: (context) => {
    const reader = createBodyReader(context, { searches: false });
    const createId = (prefix: string): string => `${prefix}_${context.createId().replaceAll('-', '')}`;
    return async (c) => {
      const { input, request } = await acceptRequest(reader, c, context);
      const { text, usage } = await summarise(request, c, context);
      const { items } = input;
      const verbatim = typeof items === 'string' ? [{ role: 'user', content: items }] : items.filter(isOfUser);
      const summary = { type: 'compaction', id: createId('cmp'), encrypted_content: encodeOpaqueText(text) };
      return c.json({
        id: createId('resp'),
        object: 'response.compaction',
        created_at: Math.floor(context.now() / 1000),
        output: [...verbatim.map((item) => userItem(item, createId('msg'))), summary],
        usage: toResponseUsage(usage),
      });
    };
  },
};

function isOfUser(item: SentItem): item is Extract<SentItem, { role: string }> {
  return 'role' in item && item.role === 'user';
}

/** As clients know items of output: with an id, a status and parts. */
function userItem({ content }: { content: unknown }, id: string): object {
  const parts = typeof content === 'string' ? [{ type: 'input_text', text: content }] : content;
  return { type: 'message', id, role: 'user', status: 'completed', content: parts };
}

async function summarise(request: GenerationRequest, c: HttpRequestContext, context: HttpContext) {
  const { prompt } = request;
  if (prompt.type !== 'chat') throw new InferenceError('internal', 'A response is a conversation.');
  const maxTokens = await longestSummary(request, prompt.messages, c, context);
  const asked: GenerationRequest = {
    ...plainGenerationRequest(request.model, { type: 'chat', messages: [...prompt.messages, says(TASK)] }),
    reasoning: { enabled: false },
    maxTokens,
  };
  const events = generate(context, asked, runOptions(c, 'result'));
  const answer = await collectGeneration(renderBatches(events, passThrough, request.paramNames));
  return { text: answer.choices[0]?.text ?? '', usage: answer.usage };
}

/** Half of what is saved by leaving out everything but what the user said, so that the result is shorter in any case. */
async function longestSummary(
  request: GenerationRequest,
  messages: readonly Message[],
  c: HttpRequestContext,
  context: HttpContext,
): Promise<number> {
  const count = (of: Message[]): Promise<number> => {
    const { paramNames = {} } = request;
    const asked = { ...plainGenerationRequest(request.model, { type: 'chat', messages: of }), paramNames };
    return countTokens(context, asked, runOptions(c, 'result'));
  };
  const all = await count([...messages]);
  const verbatim = await count([...messages.filter(({ role }) => role === 'user'), says('')]);
  return Math.min(MAX_TOKENS, Math.max(MIN_TOKENS, Math.floor((all - verbatim) / 2)));
}

function says(text: string): UserMessage {
  return { role: 'user', content: [{ type: 'text', text }] };
}
