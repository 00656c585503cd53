/** Renders a canonical request with the model's chat template and encodes it to token ids. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import { type AnswerFormats, answerSyntax } from '../families/answer-syntax.js';
import { EXPLAINED_FORMAT } from '../families/families.js';
import type { IgnoredParts } from '../../core/events/token-event.js';
import { continuedText, type GenerationRequest, type Prompt } from '../../core/request/generation-request.js';
import { fillInMiddle } from './fill-in-middle.js';
import { encodeTrustedText, PromptEncoder, unusedCharacter } from './encode-prompt.js';
import type { PromptImages } from './prompt-image.js';
import type { Message } from '../../core/request/message.js';
import { renderConversation, type TemplateRequest } from './render-conversation.js';
import { type TemplateMessage, templateMessages, type TemplateTool, templateTools } from './template-messages.js';
import { splitThoughts } from './split-thoughts.js';
import { movesThoughts } from './template-traits.js';
import type { TextTokenizer } from './text-tokenizer.js';

/** What the engine reads. */
export interface RenderedPrompt {
  tokens: number[];
  /** The prompt ends inside a think block, so the text begins as reasoning. */
  reasoningOpen: boolean;
  /** What of the request the model has no tokens for. */
  ignored?: IgnoredParts;
}

/**
 * Renders with the model's own chat template; raw prompts are encoded as they are, control tokens included, and token ids
 * taken as they are. No string of a chat request can become a control token.
 * @param images of the conversation (`imagesOf`); absent: the model takes none
 * @returns at least one token
 * @throws InferenceError `unsupported_content`, or `invalid_request` when the template refuses the conversation
 */
export function renderPrompt(
  request: GenerationRequest,
  tokenizer: TextTokenizer,
  formats: AnswerFormats,
  images?: PromptImages,
): RenderedPrompt {
  const { prompt } = request;
  if (prompt.type !== 'chat') return renderRaw(prompt, request, tokenizer);
  const turns = request.continued ? beforeAnswer(prompt.messages) : prompt.messages;
  const begun = continuedText(request);
  const rendering = { tokenizer, formats, images, laterTexts: [begun] };
  const { text, encoder, reasoningOpen } = renderChat(request, turns, rendering);
  // A model that thinks without being asked to has thought nothing before the text that it goes on with.
  const closed = begun !== '' && reasoningOpen ? text + answerSyntax(formats).reasoning.forcedClose : text;
  const encoded = encoder.encode(closed + encoder.mark(begun));
  const tokens = neverEmpty(tokenizer.beginsChats ? withPrefix(encoded, tokenizer) : encoded, tokenizer);
  return { tokens, reasoningOpen: reasoningOpen && begun === '' };
}

/**
 * The conversation before the assistant's turn that goes on: that is what the model would have written behind the prompt. Where
 * no turn is before it, templates that look for one find an empty one of the user.
 */
function beforeAnswer(messages: readonly Message[]): readonly Message[] {
  const turns = messages.slice(0, -1);
  return turns.every(({ role }) => role === 'system') ? [...turns, { role: 'user', content: [] }] : turns;
}

/** Text or token ids as they are, and what stands behind the gap where the model can fill one. */
function renderRaw(
  prompt: Exclude<Prompt, { type: 'chat' }>,
  { paramNames, caller }: GenerationRequest,
  tokenizer: TextTokenizer,
): RenderedPrompt {
  const own =
    prompt.type === 'tokens'
      ? knownTokens(prompt.ids, tokenizer, paramNames?.messages)
      : encodeTrustedText(prompt.text, tokenizer, caller);
  const filled =
    prompt.suffix === undefined
      ? undefined
      : fillInMiddle(own, encodeTrustedText(prompt.suffix, tokenizer, caller), tokenizer);
  const tokens = prompt.type === 'tokens' && !filled ? own : withPrefix(filled ?? own, tokenizer);
  const isIgnored = prompt.suffix !== undefined && !filled;
  return {
    tokens: neverEmpty(tokens, tokenizer),
    reasoningOpen: false,
    ...(isIgnored && { ignored: { fields: ['suffix'] } }),
  };
}

/** What a conversation is rendered for. */
export interface ChatRendering {
  tokenizer: TextTokenizer;
  formats: AnswerFormats;
  /** Of the conversation (`imagesOf`); absent: the model takes none. */
  images?: PromptImages | undefined;
  /** Texts that will be encoded together with the rendered one. @default none */
  laterTexts?: readonly string[];
}

/** A conversation as text, before it is encoded. */
export interface RenderedChat {
  text: string;
  /** Knows which parts of the text come from the client. */
  encoder: PromptEncoder;
  /** See {@link RenderedPrompt}. */
  reasoningOpen: boolean;
}

/** The text of a conversation. Throws as {@link renderPrompt}. */
export function renderChat(
  request: GenerationRequest,
  conversation: readonly Message[],
  { tokenizer, formats, images, laterTexts = [] }: ChatRendering,
): RenderedChat {
  if (tokenizer.chatTemplate === undefined) {
    throw new InferenceError(
      'model_not_supported',
      'This model has no chat template, so it can complete text but cannot chat.',
      {
        param: 'model',
      },
    );
  }
  const seen = images && images.all.length > 0 ? images : undefined;
  const mark = seen && unusedCharacter(textsOf([conversation, request.tools]));
  const tools = request.toolChoice === 'none' ? [] : templateTools(request.tools);
  const syntax = answerSyntax(formats);
  const plain = templateMessages(conversation, mark);
  const sources = templatesFor(tokenizer, formats, { messages: plain, tools });
  // Only answers have thoughts, and what a template does with them takes a while to find out.
  const moves = plain.some(({ role }) => role === 'assistant') && movesThoughts(sources[0]!, syntax.reasoning);
  const messages = moves ? splitThoughts(plain, syntax.reasoning) : plain;
  const encoder = new PromptEncoder(
    tokenizer,
    sources.join('') + JSON.stringify([messages, tools, request.templateArguments, laterTexts]),
    request.caller,
  );
  const text = renderConversation(sources, {
    syntax: syntax.tools,
    messages: encoder.markDeep(messages) as TemplateMessage[],
    tools: encoder.markDeep(tools) as TemplateTool[],
    variables: templateVariables(request, encoder.markDeep(request.templateArguments) as object, tokenizer),
    images: seen && mark !== undefined ? { ...seen, mark } : undefined,
  });
  return { text, encoder, reasoningOpen: syntax.reasoning.endsInside(text) };
}

/** The prefix stands once, also where the text has it already. */
export function withPrefix(tokens: number[], { prefixTokens }: TextTokenizer): number[] {
  return prefixTokens.every((id, index) => tokens[index] === id) ? tokens : [...prefixTokens, ...tokens];
}

/** @throws InferenceError `invalid_request` for ids beyond the vocabulary */
export function knownTokens(ids: readonly number[], tokenizer: TextTokenizer, param = 'messages'): number[] {
  if (ids.every((id) => id < tokenizer.vocabularySize)) return [...ids];
  const message = `\`${param}\` must consist of token ids of this model.`;
  throw new InferenceError('invalid_request', message, { param });
}

/** The templates to try. One for tools is right for calls, too; what it refuses can be written out for the plain one. */
function templatesFor(
  { chatTemplate = '', toolTemplate }: TextTokenizer,
  { toolFormat }: AnswerFormats,
  { messages, tools }: Pick<TemplateRequest, 'messages' | 'tools'>,
): string[] {
  if (toolTemplate === undefined) return [chatTemplate];
  const hasCalls = messages.some((message) => message.tool_calls !== undefined || message.role === 'tool');
  if (tools.length === 0 && !hasCalls) return [chatTemplate];
  return tools.length === 0 || toolFormat === EXPLAINED_FORMAT ? [toolTemplate, chatTemplate] : [toolTemplate];
}

function templateVariables(
  { reasoning: { enabled, effort } }: GenerationRequest,
  templateArguments: object,
  tokenizer: TextTokenizer,
): Record<string, unknown> {
  return {
    ...templateArguments,
    ...(enabled !== undefined && { enable_thinking: enabled, thinking: enabled }),
    ...(effort !== undefined && { reasoning_effort: effort }),
    ...tokenizer.templateVariables,
    add_generation_prompt: true,
  };
}

/** Everything but the bytes of files. */
function textsOf(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => (ArrayBuffer.isView(item) ? undefined : item));
}

/** No engine has logits before its first token, so nothing becomes the token that texts begin with, or end with. */
function neverEmpty(tokens: number[], { addedTokens, templateVariables, endTokens }: TextTokenizer): number[] {
  if (tokens.length > 0) return tokens;
  const { bos_token: begin = '', eos_token: end = '' } = templateVariables;
  const first = addedTokens.get(begin) ?? addedTokens.get(end) ?? [...endTokens][0];
  if (first === undefined) {
    throw new InferenceError('invalid_request', 'This model cannot complete an empty prompt.', { param: 'prompt' });
  }
  return [first];
}
