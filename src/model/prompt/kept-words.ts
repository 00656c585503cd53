/** Whether a template keeps every word of a conversation: one of the same shape is rendered, whose words are known. @module */
import type { TemplateMessage } from './template-messages.js';

/** A conversation whose texts are words that no template contains. */
export interface ProbeConversation {
  messages: readonly TemplateMessage[];
  words: readonly ProbeWord[];
}

interface ProbeWord {
  word: string;
  /** Of a system message that is not the first. */
  isLate: boolean;
  isOfUser: boolean;
}

/** @param mark stands for images, and stays where it is */
export function probeConversation(messages: readonly TemplateMessage[], mark?: string): ProbeConversation {
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

/** How many words the prompt lacks. */
export function lostWords(prompt: string, { words }: ProbeConversation): number {
  return words.filter(({ word }) => !isWritten(word, prompt)).length;
}

/** Whether the prompt lacks words of the user: the model would answer something that nobody asked. */
export function losesUser(prompt: string, { words }: ProbeConversation): boolean {
  return words.some(({ word, isOfUser }) => isOfUser && !isWritten(word, prompt));
}

/** Whether a word stands in a prompt. A list of parts that is written as such is no text. */
export function isWritten(word: string, prompt: string): boolean {
  const at = prompt.indexOf(word);
  return at >= 0 && !/text\\*['"]: \\*['"]$/.test(prompt.slice(Math.max(0, at - 14), at));
}

/** Whether all words stand in their order, those of late system messages once. */
export function keepsPlaces(prompt: string, { words }: ProbeConversation): boolean {
  const places = words.map(({ word }) => prompt.indexOf(word));
  return words.every(({ word, isLate }, index) => {
    const isBehind = index === 0 || places[index]! > places[index - 1]!;
    return isBehind && (!isLate || prompt.lastIndexOf(word) === places[index]);
  });
}
