/** POST /tokenize, POST /detokenize and GET /tokenizer_info, in the forms of vLLM. @module */
import * as v from 'valibot';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { Catalog } from '../../../core/models/catalog.js';
import { plainGenerationRequest } from '../../../core/request/generation-request.js';
import type { Tokenization, TokenizationRequest } from '../../../core/request/tokenization-request.js';
import { toMessages } from '../chat-completions/messages.js';
import { chatCompletionRequest, toGenerationRequest } from '../chat-completions/request.js';
import type { HttpContext, HttpRequestContext } from '../endpoint/http-context.js';
import type { EndpointBody } from '../endpoint/lazy-endpoint.js';
import { object } from '../fields/json-object.js';
import { integerFrom } from '../fields/sampling.js';
import { inDialect, runOptions } from '../generation/generate.js';
import { acceptRequest, type BodyReader } from '../generation/generation-route.js';
import type { Compatibility } from '../policy/compatibility.js';
import { requireModel } from '../policy/require-model.js';
import { parseBody } from '../validation/parse-body.js';

/** Characters of a text, and token ids: more would take tokenizers many seconds, which nothing can interrupt. */
const MAX_LENGTH = 200_000;

const model = v.nullish(v.string());

/** What a conversation has beside its messages. */
const CONVERSATION = ['tools', 'chat_template_kwargs', 'continue_final_message'] as const;

function tokenizeSchema(compatibility: Compatibility) {
  const { messages, ...chat } = chatCompletionRequest(compatibility).entries;
  return object({
    model,
    prompt: v.nullish(v.pipe(v.string(), v.maxLength(MAX_LENGTH))),
    messages: v.nullish(messages),
    add_special_tokens: v.nullish(v.boolean()),
    add_generation_prompt: v.nullish(v.literal(true)),
    return_token_strs: v.nullish(v.boolean()),
    ...v.pick(v.object(chat), CONVERSATION).entries,
    chat_template: v.nullish(v.never()),
  });
}

type TokenizeRequest = v.InferOutput<ReturnType<typeof tokenizeSchema>>;

const DETOKENIZE = object({ model, tokens: v.pipe(v.array(integerFrom(0)), v.maxLength(MAX_LENGTH)) });

/** The token ids of a text, or of a conversation as its model reads it. */
export const tokenize: EndpointBody = {
  requestSchema: tokenizeSchema,
  route: (context) => {
    const { compatibility, inference } = context;
    const schema = tokenizeSchema(compatibility);
    const parse = (json: Record<string, unknown>) => {
      const body = parseBody(schema, json);
      requireOnePrompt(body);
      return { ...body, model: modelOf(json, inference.catalog) };
    };
    const reader: BodyReader<ReturnType<typeof parse>, { request: TokenizationRequest }> = {
      parse,
      read: async ({ body, modelId, images }) => {
        const { prompt, messages, add_special_tokens: addPrefix } = body;
        if (messages == null) {
          const request = plainGenerationRequest(modelId, { type: 'raw', text: prompt ?? '' });
          return { request: { ...request, addPrefix: addPrefix ?? true } };
        }
        const read = toMessages(messages, images);
        const chat = { ...body, model: modelId, messages };
        return { request: { ...(await toGenerationRequest(chat, modelId, read, compatibility)), addPrefix: false } };
      },
    };
    return async (c) => {
      const { body, request } = await acceptRequest(reader, c, context);
      const { tokens, bytes, ends } = await inferTokens(request, c, context);
      return c.json({
        count: tokens.length,
        max_model_len: inference.contextLength(request.model),
        tokens,
        token_strs: body.return_token_strs === true ? splitAt(bytes, ends) : null,
      });
    };
  },
};

/** The text that token ids stand for. */
export const detokenize: EndpointBody = {
  requestSchema: () => DETOKENIZE,
  route: (context) => {
    const reader: BodyReader<{ model: string; tokens: number[] }, object> = {
      parse: (json) => ({
        ...parseBody(DETOKENIZE, json),
        model: modelOf(json, context.inference.catalog),
      }),
      read: () => ({}),
    };
    return async (c) => {
      const { body } = await acceptRequest(reader, c, context);
      const request = plainGenerationRequest(body.model, { type: 'tokens', ids: body.tokens });
      const named = { ...request, paramNames: { messages: 'tokens' }, addPrefix: false };
      const { bytes } = await inferTokens(named, c, context);
      return c.json({ prompt: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) });
    };
  },
};

/** Loads the model when needed, because its files tell. */
export const tokenizerInfo: EndpointBody = {
  route: (context) => async (c) => {
    const { catalog } = context.inference;
    const { id } = requireModel(catalog, modelOf({ model: c.req.query('model') }, catalog), 'chat');
    await context.admit(c);
    const request = { ...plainGenerationRequest(id, { type: 'raw', text: '' }), addPrefix: false };
    const { tokenizer } = await inferTokens(request, c, context);
    return c.json({
      model: id,
      model_max_length: context.inference.contextLength(id),
      chat_template: tokenizer.chatTemplate ?? null,
      ...USUAL_TOKENS,
      ...Object.fromEntries(Object.entries(tokenizer.specialTokens).filter(([, token]) => token !== '')),
    });
  },
};

/** Told also where a model does not have them. */
const USUAL_TOKENS = { bos_token: null, eos_token: null, pad_token: null, unk_token: null };

/** Throws InferenceErrors with this dialect's names of fields. */
async function inferTokens(
  request: TokenizationRequest,
  c: HttpRequestContext,
  { inference }: HttpContext,
): Promise<Tokenization> {
  try {
    return await inference.tokenize(request, runOptions(c, 'result'));
  } catch (thrown) {
    throw inDialect(thrown, request.paramNames);
  }
}

/** vLLM's server has one model, and its clients name none. @throws InferenceError where the catalog has no chat model */
function modelOf(json: Readonly<Record<string, unknown>>, catalog: Catalog): string {
  if (typeof json['model'] === 'string') return json['model'];
  const first = catalog.usable().find(({ task }) => task === 'chat');
  if (first) return first.id;
  throw new InferenceError('model_not_found', 'No model of this page generates text.', { param: 'model' });
}

/** @throws InferenceError unless there is a text or a conversation, whose template writes the special tokens */
function requireOnePrompt({ prompt, messages, add_special_tokens: adds }: TokenizeRequest): void {
  if (prompt == null && messages == null)
    throw new InferenceError('missing_required_field', '`prompt` or `messages` is required.', { param: 'prompt' });
  if (prompt != null && messages != null)
    throw new InferenceError('invalid_request', '`messages` cannot stand beside `prompt`.', { param: 'messages' });
  if (messages == null || adds !== true) return;
  const param = 'add_special_tokens';
  const message = `\`${param}\` cannot be true beside \`messages\`: the model's chat template writes such tokens.`;
  throw new InferenceError('invalid_request', message, { param });
}

/** The text of each token. What is a part of a character is a replacement character. */
function splitAt(bytes: Uint8Array, ends: readonly number[]): string[] {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return ends.map((end, index) => decoder.decode(bytes.subarray(index === 0 ? 0 : ends[index - 1], end)));
}
