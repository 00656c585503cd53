/** What scripted replies are matched against: a request, whatever its dialect. @module */
import { type GenerationRequest, lastTurnOf } from '../../core/request/generation-request.js';
import { type Message, textOf } from '../../core/request/message.js';

/** The parts of a request that conditions of replies name. */
export interface Asked {
  /** Text of the last message that is none of the system; of a raw prompt the whole. */
  last: string;
  /** Texts of all messages. */
  all: readonly string[];
  system: readonly string[];
  /** Text of the last message of the user. */
  user: string;
  /** Texts of the tool results after it. */
  toolResults: readonly string[];
  /** How many assistant messages there are. */
  turn: number;
  /** Names of the tools that the request offers. */
  tools: readonly string[];
  /** How many images the last message of the user has. */
  images: number;
}

/** @param raw the text of a prompt that is not a conversation, as the model reads it */
export function askedOf({ prompt, tools }: GenerationRequest, raw: string): Asked {
  const messages: readonly Message[] =
    prompt.type === 'chat' ? prompt.messages : [{ role: 'user', content: [{ type: 'text', text: raw }] }];
  const lastUser = messages.findLastIndex(({ role }) => role === 'user');
  const { content = [] } = messages[lastUser] ?? {};
  const textsOf = (role: Message['role'], from = 0): string[] =>
    messages.slice(from).flatMap((message) => (message.role === role ? textOf(message.content) : []));
  return {
    last: textOf(lastTurnOf(messages)?.content ?? []),
    all: messages.map((message) => textOf(message.content)),
    system: textsOf('system'),
    user: textOf(content),
    toolResults: textsOf('tool', lastUser + 1),
    turn: textsOf('assistant').length,
    tools: tools.map(({ name }) => name),
    images: content.filter(({ type }) => type === 'image').length,
  };
}
