/** The tokenizer of a GGUF file: the ids that llama.cpp gives. @module */
import type { TextTokenizer } from '../../../language/prompt/text-tokenizer.js';
import { byteLevelBytes, byteLevelText } from '../../../language/prompt/byte-level.js';
import { endsByText } from './end-tokens.js';
import { mergePairs } from './merge-pairs.js';
import { type SplitRules, splitText } from './split-patterns.js';
import { type GgufVocabulary, TOKEN_KIND } from './vocabulary.js';
import { wordPieceBytes, wordPieceEncoder } from './word-pieces.js';

/** Ids of text that is not a control token. */
type EncodeText = (text: string) => number[];

const encoder = new TextEncoder();

/** The tokenizer of a vocabulary. @param template the app's own, in place of the file's */
export function createGgufTokenizer(written: GgufVocabulary, template?: string): TextTokenizer {
  const turnEnds = endsByText(written);
  const vocabulary = { ...written, kinds: withControl(written.kinds, turnEnds) };
  const { pieces, kinds, special, addsBegin, addsSpace } = vocabulary;
  const chatTemplate = template ?? vocabulary.chatTemplate;
  const toolTemplate = template === undefined ? vocabulary.toolTemplate : undefined;
  const { control, unknown, userDefined } = TOKEN_KIND;
  const isAdded = (id: number): boolean => {
    const kind = kinds[id];
    return kind === control || kind === unknown || kind === userDefined;
  };
  const addedTokens = new Map<string, number>();
  const defined = new Map<string, number>();
  for (let id = 0; id < pieces.length; id++) {
    const piece = pieces[id]!;
    if (piece === '' || !isAdded(id)) continue;
    addedTokens.set(piece, id);
    if (kinds[id] === userDefined) defined.set(piece, id);
  }
  const encodePlain = createEncoder(vocabulary);
  const split = definedSplitter(defined);
  const begin = special.bos ?? special.cls;
  const known: (Uint8Array | undefined)[] = [];
  const bytesOfPiece = {
    gpt2: byteLevelBytes,
    gemma4: sentencePieceBytes,
    llama: sentencePieceBytes,
    bert: wordPieceBytes,
  }[vocabulary.model];
  const encode = (text: string, isContinued: boolean): number[] => {
    let addSpace = addsSpace && !isContinued;
    return split(text.toWellFormed()).flatMap((part) => {
      if (typeof part === 'number') {
        addSpace = addsSpace;
        return [part];
      }
      const ids = encodePlain(addSpace ? ` ${part}` : part);
      addSpace = false;
      return ids;
    });
  };
  return {
    vocabularySize: pieces.length,
    endTokens: endTokensOf(special, turnEnds),
    addedTokens,
    encodeText: (text) => encode(text, false),
    encodeContinuation: (text) => encode(text, true),
    bytesOf(token) {
      const piece = pieces[token] ?? '';
      return (known[token] ??= isAdded(token) ? encoder.encode(piece) : bytesOfPiece(piece));
    },
    ...(chatTemplate !== undefined && { chatTemplate }),
    ...(toolTemplate !== undefined && { toolTemplate }),
    templateVariables: templateVariablesOf(vocabulary),
    prefixTokens: addsBegin && begin !== undefined ? [begin] : [],
    beginsChats: true,
  };
}

function endTokensOf(special: GgufVocabulary['special'], turnEnds: ReadonlySet<number>): Set<number> {
  const { eos, eot, eom, fimPad, fimRepository, fimSeparator } = special;
  const named = [eos, eot, eom, fimPad, fimRepository, fimSeparator].filter((id) => id !== undefined);
  return new Set([...named, ...turnEnds]);
}

/** The kinds with these tokens as control tokens. */
function withControl(kinds: ArrayLike<number>, ids: ReadonlySet<number>): ArrayLike<number> {
  const changed = Uint8Array.from(kinds);
  for (const id of ids) changed[id] = TOKEN_KIND.control;
  return changed;
}

function templateVariablesOf({ special, pieces }: GgufVocabulary): Record<string, string> {
  const names = ['bos', 'eos', 'unk', 'sep', 'pad', 'cls', 'mask'] as const;
  return Object.fromEntries(
    names.flatMap((name) => (special[name] === undefined ? [] : [[`${name}_token`, pieces[special[name]]!]])),
  );
}

function createEncoder(vocabulary: GgufVocabulary): EncodeText {
  const { model, rules, special } = vocabulary;
  const ids = plainIds(vocabulary);
  if (model === 'bert') return wordPieceEncoder(ids, special.unk);
  if (model === 'gpt2') return byteLevelEncoder(vocabulary, rules!, ids);
  return model === 'gemma4' ? characterPairEncoder(vocabulary, ids) : sentencePieceEncoder(vocabulary, ids);
}

/** Ids of the pieces that text can become. */
function plainIds({ pieces, kinds }: GgufVocabulary): Map<string, number> {
  const ids = new Map<string, number>();
  const { normal, userDefined, unused } = TOKEN_KIND;
  for (let id = 0; id < pieces.length; id++) {
    const kind = kinds[id];
    if (kind === normal || kind === userDefined || kind === unused) ids.set(pieces[id]!, id);
  }
  return ids;
}

/** Words whose ids are remembered. */
const KNOWN_WORDS = 10_000;

function byteLevelEncoder({ merges }: GgufVocabulary, rules: SplitRules, ids: ReadonlyMap<string, number>): EncodeText {
  const ranks = ranksOf(merges);
  const known = new Map<string, readonly number[]>();
  const encodeWord = (word: string): readonly number[] => {
    const text = byteLevelText(word);
    const whole = rules.ignoresMerges ? ids.get(text) : undefined;
    if (whole !== undefined) return [whole];
    const ends = mergePairs(text, (from, middle, to) =>
      ranks.get(`${text.slice(from, middle)} ${text.slice(middle, to)}`),
    );
    let from = 0;
    return ends.flatMap((end) => {
      const piece = text.slice(from, end);
      from = end;
      const id = ids.get(piece);
      // A byte that is not a token is left out, as llama.cpp does.
      return id !== undefined ? [id] : Array.from(piece).flatMap((byte) => ids.get(byte) ?? []);
    });
  };
  return (text) =>
    splitText(text, rules).flatMap((word) => {
      const found = known.get(word) ?? encodeWord(word);
      if (known.size >= KNOWN_WORDS) known.clear();
      if (word.length < 64) known.set(word, found);
      return found;
    });
}

/** Of pairs that are written with a space between. */
function ranksOf(merges: readonly string[]): Map<string, number> {
  const ranks = new Map<string, number>();
  for (let rank = 0; rank < merges.length; rank++) if (!ranks.has(merges[rank]!)) ranks.set(merges[rank]!, rank);
  return ranks;
}

/** Ids of the tokens for single bytes. */
function byteIds({ pieces, kinds }: GgufVocabulary): (number | undefined)[] {
  const bytes: (number | undefined)[] = [];
  for (let id = 0; id < pieces.length; id++) {
    const byte = kinds[id] === TOKEN_KIND.byte ? /^<0x([0-9A-F]{2})>$/.exec(pieces[id]!) : null;
    if (byte) bytes[Number.parseInt(byte[1]!, 16)] = id;
  }
  return bytes;
}

/** Pairs of characters by rank, in runs of line ends and of others; what is no token becomes bytes. */
function characterPairEncoder(vocabulary: GgufVocabulary, ids: ReadonlyMap<string, number>): EncodeText {
  const ranks = ranksOf(vocabulary.merges);
  const bytes = byteIds(vocabulary);
  const unknown = vocabulary.special.unk;
  return (raw) =>
    (raw.replaceAll(' ', SPACE).match(/\n+|[^\n]+/g) ?? []).flatMap((text) => {
      const ends = mergePairs(text, (from, middle, to) =>
        ranks.get(`${text.slice(from, middle)} ${text.slice(middle, to)}`),
      );
      let from = 0;
      return ends.flatMap((end) => {
        const piece = text.slice(from, end);
        from = end;
        const id = ids.get(piece);
        if (id !== undefined) return [id];
        const known = Array.from(encoder.encode(piece), (byte) => bytes[byte] ?? unknown);
        return known.filter((each) => each !== undefined);
      });
    });
}

function sentencePieceEncoder(vocabulary: GgufVocabulary, ids: ReadonlyMap<string, number>): EncodeText {
  const { scores, special } = vocabulary;
  const bytes = byteIds(vocabulary);
  return (raw) => {
    const text = raw.replaceAll(' ', SPACE);
    // No merges are written in these files: a pair is worth the score of the piece that it makes.
    const ends = mergePairs(text, (from, _, to) => {
      const id = ids.get(text.slice(from, to));
      return id === undefined ? undefined : -scores[id]!;
    });
    let from = 0;
    return ends.flatMap((end) => {
      const piece = text.slice(from, end);
      from = end;
      const id = ids.get(piece);
      if (id !== undefined) return [id];
      return Array.from(encoder.encode(piece), (byte) => bytes[byte] ?? special.unk).filter(
        (each) => each !== undefined,
      );
    });
  };
}

/** `▁` is a space. */
const SPACE = '\u2581';

function sentencePieceBytes(piece: string): Uint8Array {
  const byte = /^<0x([0-9A-Fa-f]{2})>$/.exec(piece);
  return byte ? Uint8Array.of(Number.parseInt(byte[1]!, 16)) : encoder.encode(piece.replaceAll(SPACE, ' '));
}

/** Parts text at tokens of kind user-defined: the longest first, wherever they stand. */
function definedSplitter(defined: ReadonlyMap<string, number>): (text: string) => (string | number)[] {
  const tokens = [...defined].toSorted(([a], [b]) => b.length - a.length);
  return (text) => {
    let parts: (string | number)[] = text === '' ? [] : [text];
    for (const [token, id] of tokens) {
      if (!text.includes(token)) continue;
      parts = parts.flatMap((part) => (typeof part === 'number' ? [part] : partAt(part, token, id)));
    }
    return parts;
  };
}

function partAt(text: string, token: string, id: number): (string | number)[] {
  return text.split(token).flatMap((part, index) => [...(index === 0 ? [] : [id]), ...(part === '' ? [] : [part])]);
}
