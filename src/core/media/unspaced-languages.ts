/** Languages that write words and sentences without spaces between them, as ISO 639-1 codes or Whisper's. @module */
export const UNSPACED_LANGUAGES: ReadonlySet<string> = new Set(['zh', 'ja', 'yue', 'th', 'lo', 'km', 'my', 'bo']);
