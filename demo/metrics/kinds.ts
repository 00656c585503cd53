/** What is measured of each kind of request. */

export interface Kind {
  title: string;
  /** What comes first in a streamed answer. */
  first?: string;
  /** What is counted by the second. */
  counted?: string;
}

export const KINDS = {
  chat: { title: 'Chat', first: 'First token', counted: 'Tokens' },
  embeddings: { title: 'Embeddings', counted: 'Texts' },
  decisions: { title: 'Decisions', counted: 'Questions' },
  rerank: { title: 'Reranking', counted: 'Documents' },
  speech: { title: 'Transcription', first: 'First words' },
  'text-to-speech': { title: 'Speaking', counted: 'Characters' },
} satisfies Record<string, Kind>;

export type KindName = keyof typeof KINDS;

export function kindOf(path: string): KindName {
  if (path === '/embeddings') return 'embeddings';
  if (path === '/decisions') return 'decisions';
  if (path === '/rerank') return 'rerank';
  if (path === '/audio/speech') return 'text-to-speech';
  return path.startsWith('/audio/') ? 'speech' : 'chat';
}

/** How much a request asks for, in what its kind counts; chat is counted by its answer. */
export function amountOf(path: string, body: Record<string, unknown>): number | undefined {
  const { input, questions, documents } = body;
  if (path === '/embeddings') return Array.isArray(input) ? input.length : 1;
  if (path === '/decisions') return Array.isArray(questions) ? questions.length : undefined;
  if (path === '/rerank') return Array.isArray(documents) ? documents.length : undefined;
  return path === '/audio/speech' ? String(input).length : undefined;
}
