/** Entries that ask for a longer context than their model has. @module */
import type { ModelEntry } from '../../core/models/model-entry.js';

/**
 * @param own tokens that the loaded model accepts
 * @returns what to tell the app; undefined: its entry asks for no more than that
 */
export function contextWarning({ contextLength = 0 }: ModelEntry, own: number): string | undefined {
  if (!(contextLength > own)) return undefined;
  return `\`contextLength\` is ${contextLength}, but the model accepts at most ${own} tokens, so ${own} is used. Lower \`contextLength\` in its entry, or leave it out.`;
}
