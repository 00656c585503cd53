/** A conversation in the form of the interface. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import { toHex } from '../../core/platform/to-hex.js';
import type { GenerationRequest } from '../../core/request/generation-request.js';
import type { ContentPart, Message } from '../../core/request/message.js';
import { answerSyntax } from '../../language/families/answer-syntax.js';
import { adaptConversation } from '../../language/prompt/adapt-conversation.js';
import { unusedCharacter } from '../../language/prompt/encode-prompt.js';
import { templateMessages, templateTools, withLeadingSystem } from '../../language/prompt/template-messages.js';
import type { TemplateTraits } from '../../language/prompt/template-traits.js';
import type { PromptMessage, PromptPart } from './language-model.js';

/** Calls as JSON, which a `responseConstraint` can express. */
export const FORMATS = { toolFormat: 'json-list', reasoningFormat: 'none' } as const;

/** The kinds of content besides text that the browser's model takes. */
export interface InputModalities {
  image: boolean;
  audio: boolean;
}

/** Where a prompt is cut: what a session may know already, and what is asked of it. */
export interface BrowserPrompt {
  history: PromptMessage[];
  /** Not empty. */
  input: PromptMessage[];
}

const NOTHING = { calls: false, results: false };

/** Of an interface with system prompts, which knows nothing of tools. */
const TRAITS: TemplateTraits = {
  tools: 'never',
  systemInQuestion: false,
  history: NOTHING,
  historyWithoutTools: NOTHING,
  textArguments: false,
  textBesideCalls: true,
  resultsOfText: false,
  severalCalls: true,
  call: '',
  prompt: '',
};

/**
 * Tools are explained in the system prompt, calls and results are written as text. A text completion is a turn of the user.
 * @throws InferenceError `unsupported_content` for what the model does not take, `invalid_request` for token ids
 */
export function browserPrompt(
  { prompt, tools, toolChoice }: GenerationRequest,
  senses: InputModalities,
): BrowserPrompt {
  if (prompt.type === 'tokens')
    throw new InferenceError('invalid_request', "The browser's built-in model does not accept token ids.", {
      param: 'prompt',
    });
  if (prompt.type === 'raw') return { history: [], input: [{ role: 'user', content: prompt.text }] };
  const messages = promptMessages(prompt.messages, toolChoice === 'none' ? [] : tools, senses);
  const isContinued = messages.at(-1)?.role === 'assistant';
  if (isContinued) messages.push({ ...messages.pop()!, prefix: true });
  const lastAnswer = messages.findLastIndex(({ role }, index) => role === 'assistant' && index < messages.length - 1);
  const start = lastAnswer >= 0 ? lastAnswer + 1 : Number(messages[0]?.role === 'system');
  const [history, input] = [messages.slice(0, start), messages.slice(start)];
  // A system prompt alone asks nothing, so nothing is what the user says.
  return { history, input: input.length > 0 ? input : [{ role: 'user', content: '' }] };
}

/** Messages for the interface. @param tools those that are to be explained */
export function promptMessages(
  messages: readonly Message[],
  tools: GenerationRequest['tools'],
  senses: InputModalities,
): PromptMessage[] {
  const mark = unusedCharacter(JSON.stringify([messages, tools], textsOnly));
  const media: PromptPart[] = [];
  const numbered = [...messages.entries()];
  // As they will stand: system messages come first.
  const ordered = numbered.toSorted(([, a], [, b]) => Number(b.role === 'system') - Number(a.role === 'system'));
  const marked = ordered.map(([index, message]) => {
    const content = message.content.map((part): ContentPart => {
      if (part.type === 'text') return part;
      if (!senses[part.type]) {
        const refused = part.type === 'image' ? 'images' : 'audio';
        throw new InferenceError(
          'unsupported_content',
          `The browser's built-in model does not accept ${refused} here.`,
          {
            param: `messages.${index}.content`,
          },
        );
      }
      media.push(mediaPart(part));
      return { type: 'text', text: mark };
    });
    return { ...message, content };
  });
  const conversation = { messages: withLeadingSystem(templateMessages(marked)), tools: templateTools(tools) };
  const adapted = adaptConversation(conversation, TRAITS, answerSyntax(FORMATS).tools).messages;
  return adapted.map(({ role, content }): PromptMessage => {
    const pieces = content.split(mark);
    // Results of tools have become turns of the user.
    const speaker = role === 'tool' ? 'user' : role;
    if (pieces.length === 1) return { role: speaker, content };
    const parts = pieces.flatMap((text, index): PromptPart[] => [
      ...(index > 0 ? media.splice(0, 1) : []),
      ...(text === '' ? [] : [{ type: 'text' as const, value: text }]),
    ]);
    return { role: speaker, content: parts };
  });
}

function mediaPart(part: Exclude<ContentPart, { type: 'text' }>): PromptPart {
  const bytes = part.bytes.slice();
  if (part.type === 'audio') return { type: 'audio', value: bytes.buffer };
  return { type: 'image', value: new Blob([bytes], { type: part.mediaType }) };
}

/** Everything but the bytes of files. */
function textsOnly(_key: string, value: unknown): unknown {
  return ArrayBuffer.isView(value) ? undefined : value;
}

/** A key for each turn: equal turns have equal keys. */
export function turnKeys(messages: readonly PromptMessage[]): Promise<string[]> {
  return Promise.all(
    messages.map(async ({ role, content }) => {
      const parts = typeof content === 'string' ? content : await Promise.all(content.map(partKey));
      return JSON.stringify([role, parts]);
    }),
  );
}

async function partKey(part: PromptPart): Promise<[string, string]> {
  if (part.type === 'text') return ['text', part.value];
  const bytes = part.type === 'image' ? await part.value.arrayBuffer() : part.value;
  return [part.type, toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))];
}
