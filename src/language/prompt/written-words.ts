/** Whether a template writes every word of a conversation: one of the same shape is rendered, whose words are known. @module */
import type { ChatTemplate } from './chat-template.js';
import type { TemplateMessage } from './template-messages.js';

/** What a template writes of a conversation. */
export interface WrittenWords {
  /** How many texts it leaves out. */
  missing: number;
  /** It leaves out a text of the user: the model would answer something that no one asked. */
  missesUser: boolean;
  /** What it writes stands in its order, texts of late system messages once. */
  inOrder: boolean;
}

/** How a conversation is given to a template. */
export interface ProbeOptions {
  variables: Readonly<Record<string, unknown>>;
  /** What the template gets as messages. */
  read: (messages: readonly TemplateMessage[]) => unknown;
  /** Stands for images, and stays where it is. */
  mark?: string | undefined;
}

/** A conversation whose texts are words that no template contains. */
interface ProbeConversation {
  messages: readonly TemplateMessage[];
  words: readonly ProbeWord[];
}

interface ProbeWord {
  word: string;
  /** Of a system message that is not the first. */
  isLate: boolean;
  isOfUser: boolean;
}

/** Shapes of conversations whose result is cached for each template, and the most characters of one: some 10 turns and tools. */
const MAX_SHAPES = 64;
const MAX_SHAPE = 8000;

const cachedByTemplate = new WeakMap<ChatTemplate, Map<string, WrittenWords>>();

/**
 * What a template writes of a conversation. Found out once for each shape: its roles and calls, what tools and variables it has,
 * but not its texts. Throws as `ChatTemplate.render`.
 */
export function writtenWords(
  template: ChatTemplate,
  conversation: readonly TemplateMessage[],
  { variables, read, mark }: ProbeOptions,
): WrittenWords {
  const { messages, words } = probeConversation(conversation, mark);
  const given = { ...variables, messages: read(messages) };
  const cached = cachedByTemplate.get(template) ?? new Map<string, WrittenWords>();
  cachedByTemplate.set(template, cached);
  const shape = JSON.stringify(given);
  const known = cached.get(shape);
  if (known) return known;
  const written = compareWords(template.render(given), words);
  if (shape.length <= MAX_SHAPE) cached.set(shape, written);
  if (cached.size > MAX_SHAPES) cached.delete([...cached.keys()][0]!);
  return written;
}

function probeConversation(messages: readonly TemplateMessage[], mark: string | undefined): ProbeConversation {
  const words: ProbeWord[] = [];
  const probe = (text: string, kind: Omit<ProbeWord, 'word'>): string => {
    if (text.trim() === '') return text;
    const word = `qx${words.length}xq`;
    words.push({ word, ...kind });
    return word;
  };
  const probed = messages.map((message, index) => {
    const kind = { isLate: message.role === 'system' && index > 0, isOfUser: message.role === 'user' };
    const pieces = mark === undefined ? [message.content] : message.content.split(mark);
    return { ...message, content: pieces.map((piece) => probe(piece, kind)).join(mark) };
  });
  return { messages: probed, words };
}

function compareWords(prompt: string, words: readonly ProbeWord[]): WrittenWords {
  const places = placesOf(prompt);
  const found = words.map((each) => ({ ...each, ...places.get(each.word) }));
  const missing = found.filter(({ first }) => first === undefined || !isTextAt(first, prompt));
  return {
    missing: missing.length,
    missesUser: missing.some(({ isOfUser }) => isOfUser),
    inOrder: found.every(({ isLate, first = -1, last = -1 }, index) => {
      const isBehind = index === 0 || first > (found[index - 1]!.first ?? -1);
      return isBehind && (!isLate || first === last);
    }),
  };
}

/** Where probe words stand first and last. In one pass: a conversation may have thousands of texts. */
function placesOf(prompt: string): Map<string, { first: number; last: number }> {
  const places = new Map<string, { first: number; last: number }>();
  for (const { 0: word, index } of prompt.matchAll(/qx\d+xq/g)) {
    const place = places.get(word);
    if (place) place.last = index;
    else places.set(word, { first: index, last: index });
  }
  return places;
}

/** Whether a word stands in a prompt. */
export function isWritten(word: string, prompt: string): boolean {
  const at = prompt.indexOf(word);
  return at >= 0 && isTextAt(at, prompt);
}

/** A list of parts that is written as such is not text. */
function isTextAt(at: number, prompt: string): boolean {
  return !/text\\*['"]: \\*['"]$/.test(prompt.slice(Math.max(0, at - 14), at));
}
