/** A canonical request to the token ids of its prompt. @module */
import { InferenceError, isInferenceError } from '../errors/inference-error.js';
import { type AnswerFormats, answerSyntax } from '../families/answer-syntax.js';
import type { ToolSyntax } from '../families/model-family.js';
import type { GenerationRequest } from '../request/generation-request.js';
import { adaptConversation } from './adapt-conversation.js';
import { compiledTemplate } from './chat-templates.js';
import { encodeTrustedText, PromptEncoder } from './encode-prompt.js';
import { type TemplateMessage, templateMessages, type TemplateTool, templateTools } from './template-messages.js';
import { messageVariants, templateTraits, toolVariants } from './template-traits.js';
import type { TextTokenizer } from './text-tokenizer.js';

/** What the engine reads. */
export interface RenderedPrompt {
  tokens: number[];
  /** The prompt ends inside a think block, so the text begins as reasoning. */
  reasoningOpen: boolean;
}

/**
 * Renders with the model's own chat template; raw prompts are encoded as they are, control tokens included, and token ids
 * taken as they are. No string of a chat request can become a control token.
 * @returns at least one token
 * @throws InferenceError `unsupported_content`, or `invalid_request` when the template refuses the conversation
 */
export function renderPrompt(
  request: GenerationRequest,
  tokenizer: TextTokenizer,
  formats: AnswerFormats,
): RenderedPrompt {
  const { prompt } = request;
  if (prompt.type === 'tokens') return { tokens: knownTokens(prompt.ids, tokenizer), reasoningOpen: false };
  if (prompt.type === 'raw') {
    const tokens = [...tokenizer.prefixTokens, ...encodeTrustedText(prompt.text, tokenizer)];
    return { tokens: neverEmpty(tokens, tokenizer), reasoningOpen: false };
  }
  if (tokenizer.chatTemplate === undefined) {
    throw new InferenceError(
      'model_not_supported',
      'This model has no chat template: it completes text, but cannot chat.',
      {
        param: 'model',
      },
    );
  }
  const messages = templateMessages(prompt.messages);
  const tools = request.toolChoice === 'none' ? [] : templateTools(request.tools);
  const syntax = answerSyntax(formats);
  const sources = templatesFor(tokenizer, formats, { messages, tools });
  const encoder = new PromptEncoder(
    tokenizer,
    sources.join('') + JSON.stringify([messages, tools, request.templateArguments]),
  );
  const text = renderConversation(sources, request, tokenizer, {
    syntax: syntax.tools,
    messages: encoder.markDeep(messages) as TemplateMessage[],
    tools: encoder.markDeep(tools) as TemplateTool[],
    templateArguments: encoder.markDeep(request.templateArguments) as Record<string, unknown>,
  });
  const tokens = neverEmpty(encoder.encode(text), tokenizer);
  return { tokens, reasoningOpen: syntax.reasoning.endsInside(text) };
}

/** @throws InferenceError `invalid_request` for ids beyond the vocabulary */
function knownTokens(ids: readonly number[], tokenizer: TextTokenizer): number[] {
  if (ids.every((id) => id < tokenizer.vocabularySize)) return neverEmpty([...ids], tokenizer);
  const message = '`messages` must consist of token ids of this model.';
  throw new InferenceError('invalid_request', message, { param: 'messages' });
}

interface Conversation {
  /** How calls are written out and explained where the template cannot. */
  syntax: ToolSyntax;
  messages: TemplateMessage[];
  tools: TemplateTool[];
  templateArguments: Record<string, unknown>;
}

/** The templates to try. One for tools is right for calls, too; what it refuses can be written out for the plain one. */
function templatesFor(
  { chatTemplate = '', toolTemplate }: TextTokenizer,
  { toolFormat }: AnswerFormats,
  { messages, tools }: Pick<Conversation, 'messages' | 'tools'>,
): string[] {
  const hasCalls = messages.some((message) => message.tool_calls !== undefined || message.role === 'tool');
  if (toolTemplate === undefined || (tools.length === 0 && !hasCalls)) return [chatTemplate];
  return tools.length === 0 || toolFormat === 'hermes' ? [toolTemplate, chatTemplate] : [toolTemplate];
}

function renderConversation(
  sources: readonly string[],
  request: GenerationRequest,
  tokenizer: TextTokenizer,
  conversation: Conversation,
): string {
  const { enabled, effort } = request.reasoning;
  const variables = {
    ...conversation.templateArguments,
    ...(enabled !== undefined && { enable_thinking: enabled, thinking: enabled }),
    ...(effort !== undefined && { reasoning_effort: effort }),
    ...tokenizer.templateVariables,
    add_generation_prompt: true,
  };
  let refusal: unknown;
  for (const source of sources) {
    const template = compiledTemplate(source);
    const { messages, tools } = adaptConversation(conversation, templateTraits(source), conversation.syntax);
    for (const given of toolVariants(tools)) {
      for (const variant of messageVariants(messages)) {
        try {
          return template.render({ ...variables, tools: given, messages: variant });
        } catch (error) {
          // Another reading of the conversation would loop as often.
          if (isInferenceError(error)) throw error;
          refusal ??= error;
        }
      }
    }
  }
  const reason = refusal instanceof Error ? refusal.message : 'unknown reason';
  throw new InferenceError('invalid_request', `The model's chat template refused the conversation: ${reason}`, {
    param: 'messages',
  });
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
