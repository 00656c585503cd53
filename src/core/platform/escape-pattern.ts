/** The text as a regular expression that matches exactly it, also inside of a class of characters. */
export function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
