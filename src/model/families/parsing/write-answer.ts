/** The parts of an answer put together, as scripted models write it. @module */
import type { WrittenCall } from '../model-family.js';

/** Arguments as JSON. */
export function argumentsText(given: WrittenCall['arguments']): string {
  return typeof given === 'string' ? given : JSON.stringify(given);
}

/** Text, then calls, each on lines of its own. */
export function writeParagraphs(text: string, calls: string): string {
  return [text, calls].filter((part) => part !== '').join('\n');
}
