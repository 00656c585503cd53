/** The interfaces, in the order in which they are told. @module */
export const INTERFACES = [
  'LanguageModel',
  'Summarizer',
  'Writer',
  'Rewriter',
  'Translator',
  'LanguageDetector',
  'Proofreader',
  'SemanticEmbedder',
] as const;

/** One of the interfaces. */
export type InterfaceName = (typeof INTERFACES)[number];
