/** Relevance without a model: what the script says, else how many words of the query a document has. @module */
import type { Script } from '../../../core/models/script.js';
import type { LoadedModel } from '../../../core/models/backend.js';
import type { RankingRequest, RankingResult } from '../../../core/request/ranking-request.js';
import { documentRoom } from '../document-room.js';
import { chooseReply } from './choose-reply.js';
import { failAsScripted, rest } from './scripted-failures.js';
import { scriptedInfo } from './scripted-info.js';
import { ScriptedTokenizer } from './scripted-tokenizer.js';

export interface ScriptedRankerOptions {
  script: Script;
  contextLength: number;
}

/** `rerank` throws `context_length_exceeded` when the query fills the context; documents are cut. */
export function createScriptedRanker({ script, contextLength }: ScriptedRankerOptions): LoadedModel {
  const tokenizer = new ScriptedTokenizer();

  async function rerank(request: RankingRequest, signal: AbortSignal): Promise<RankingResult> {
    const { query, documents, maxTokensPerDocument } = request;
    const querySize = tokenizer.encodeText(query).length;
    const room = documentRoom({ contextLength, query: querySize, control: 0, maxTokensPerDocument });
    await failAsScripted(script, signal);
    const scores: number[] = [];
    let promptTokens = 0;
    for (const document of documents) {
      await rest(script.tokenDelayMs ?? 0, signal);
      const tokens = tokenizer.encodeText(document).slice(0, room);
      const read = textOf(tokens.map((token) => tokenizer.bytesOf(token)));
      scores.push(chooseReply({ ...script, onUnmatched: 'empty' }, read).score ?? shareOfWords(query, read));
      promptTokens += querySize + tokens.length;
    }
    return { scores, promptTokens };
  }

  return {
    info: scriptedInfo(contextLength),
    lost: new Promise(() => {}),
    rerank,
    unload: async () => {},
  };
}

function textOf(pieces: readonly Uint8Array[]): string {
  return new TextDecoder().decode(Uint8Array.from(pieces.flatMap((bytes) => [...bytes])));
}

/** The part of the query's different words that the document has, 0 to 1; 0 for a query without words. */
function shareOfWords(query: string, document: string): number {
  const asked = wordsOf(query);
  const known = wordsOf(document);
  return asked.size === 0 ? 0 : [...asked].filter((word) => known.has(word)).length / asked.size;
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
}
