/**
 * SentencePiece's table of characters (`precompiled_charsmap`), which T5, XLM-RoBERTa and their kin normalize texts with: a
 * trie in two arrays ("Darts") that leads from bytes to the offset of a replacement. `@huggingface/tokenizers` has NFKC for it,
 * whatever the table says.
 * @module
 */
import { InferenceError } from '../../../core/errors/inference-error.js';
import { decodeBase64 } from '../../../core/media/base64.js';

/** A character with what is set over, under or beside it. Only those of a few bytes are looked up as a whole. */
const CLUSTER = /\r\n|[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}][\p{M}\p{Join_Control}\uFF9E\uFF9F]+/gu;
/** Bytes from which on a cluster is looked up character by character. */
const LONG_CLUSTER = 6;
/** The longest replacement of the tables in use has 18 characters. */
const MAX_REPLACEMENT = 1_000;
/** Characters whose replacement is remembered. */
const MAX_REMEMBERED = 10_000;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** @throws InferenceError `model_not_supported` for what is not such a table, or one that makes texts far longer */
export function readCharsMap(base64: string): (text: string) => string {
  const table = CharsMap.read(base64);
  const known = new Map<string, string>();
  const replace = (character: string): string => {
    let replacement = known.get(character);
    if (replacement === undefined) {
      if (known.size === MAX_REMEMBERED) known.clear();
      replacement = table.find(encoder.encode(character)) ?? character;
      known.set(character, replacement);
    }
    return replacement;
  };
  const replaceAll = (text: string): string => Array.from(text, replace).join('');
  const replaceCluster = (cluster: string): string => {
    const bytes = encoder.encode(cluster);
    return (bytes.length < LONG_CLUSTER ? table.find(bytes) : undefined) ?? replaceAll(cluster);
  };
  return (text) => {
    let result = '';
    let end = 0;
    for (const { 0: cluster, index } of text.matchAll(CLUSTER)) {
      result += replaceAll(text.slice(end, index)) + replaceCluster(cluster);
      end = index + cluster.length;
    }
    return result + replaceAll(text.slice(end));
  };
}

/** The trie's units and the replacements, each with a zero byte behind it. */
class CharsMap {
  readonly #units: Uint32Array;
  readonly #replacements: Uint8Array;

  private constructor(units: Uint32Array, replacements: Uint8Array) {
    this.#units = units;
    this.#replacements = replacements;
  }

  static read(base64: string): CharsMap {
    const bytes = decodeBase64(base64);
    if (!bytes) throw refused('is not Base64');
    const view = new DataView(bytes.buffer);
    const size = bytes.length < 4 ? 0 : view.getUint32(0, true);
    if (size === 0 || size % 4 !== 0 || size + 4 > bytes.length) throw refused('ends early');
    const units = Uint32Array.from({ length: size / 4 }, (_, index) => view.getUint32(4 + 4 * index, true));
    const replacements = bytes.subarray(4 + size);
    let start = 0;
    for (let end = 0; end <= replacements.length; end += 1) {
      if (end < replacements.length && replacements[end] !== 0) continue;
      if (end - start > MAX_REPLACEMENT) throw refused('can make a text far longer');
      start = end + 1;
    }
    return new CharsMap(units, replacements);
  }

  /** The replacement of the shortest beginning that has one, which stands for all of these bytes. */
  find(bytes: Uint8Array): string | undefined {
    let index = offsetOf(this.#units[0]!);
    for (const byte of bytes) {
      if (byte === 0) return undefined;
      index ^= byte;
      const unit = this.#units[index];
      if (unit === undefined || (unit & 0x8000_00ff) !== byte) return undefined;
      index ^= offsetOf(unit);
      if ((unit & 0x100) !== 0) return this.#replacementAt((this.#units[index] ?? 0) & 0x7fff_ffff);
    }
    return undefined;
  }

  #replacementAt(start: number): string {
    const end = this.#replacements.indexOf(0, start);
    return decoder.decode(this.#replacements.subarray(start, end === -1 ? undefined : end));
  }
}

/** Ten bits and more, which a flag moves up by eight. */
function offsetOf(unit: number): number {
  return (unit >>> 10) << ((unit & 0x200) >>> 6);
}

function refused(why: string): InferenceError {
  const reason = `The \`precompiled_charsmap\` in the model's \`tokenizer.json\` ${why}.`;
  return new InferenceError('model_not_supported', reason, { param: 'model', reason, permanent: true });
}
