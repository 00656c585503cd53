/** A text engine without a network: byte tokens, and logits that a function decides. */
import type { Speculation, TextEngine, TextSequence } from '../../../src/language/decoding/text-engine.js';
import type { TextTokenizer } from '../../../src/language/prompt/text-tokenizer.js';
import { greatestOf } from '../sampling/greatest-of.js';
import { TokenSampler } from '../../../src/language/sampling/sample-token.js';
import type { LogitsNeed, TokenLogits } from '../../../src/language/sampling/token-logits.js';
import { InferenceError } from '../../../src/core/errors/inference-error.js';

/** Token ids: 0 to 255 are bytes, then the end token, then these added tokens. */
export const END = 256;
const ADDED = ['<|im_start|>', '<|im_end|>', '<think>', '</think>', '<tool_call>', '</tool_call>'];
export const VOCABULARY = 257 + ADDED.length;

/** `<|im_end|>` is an added token and ends a turn, as END does. */
export const byteTokenizer: TextTokenizer = {
  vocabularySize: VOCABULARY,
  endTokens: new Set([END, idOf('<|im_end|>')]),
  addedTokens: new Map(ADDED.map((text) => [text, idOf(text)])),
  encodeText: (text) => [...new TextEncoder().encode(text)],
  bytesOf: (token) => (token < 256 ? Uint8Array.of(token) : new TextEncoder().encode(ADDED[token - 257] ?? '<end>')),
  chatTemplate:
    "{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>' }}{% endfor %}" +
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% if enable_thinking %}{{ '<think>\n' }}{% endif %}{% endif %}",
  templateVariables: {},
  prefixTokens: [],
};

export function idOf(added: string): number {
  return 257 + ADDED.indexOf(added);
}

export interface FakeEngineOptions {
  maxRows?: number;
  contextLength?: number;
  tokenizer?: TextTokenizer;
  reasoningFormat?: TextEngine['reasoningFormat'];
  /** Gives no more than the greatest logits, or draws, where that is enough. @default false */
  picks?: boolean;
  /** Drafts may be read. @default false */
  speculates?: boolean;
  /** Logits after these tokens (prompt and answer). Default: greedily writes `text`, then END. */
  logits?: (tokens: readonly number[], logits: Float32Array) => void;
  text?: string;
}

export interface FakeEngine extends TextEngine {
  /** Every call of `decode`, with its tokens per row; what was read ahead, too. */
  readonly decodes: number[][][];
  /** Tokens of them that were rolled back. */
  rolledBack: number;
  /** What was said to be read of the logits, per sequence. */
  readonly needs: LogitsNeed[];
  openCount: number;
  closeCount: number;
}

export function fakeTextEngine(options: FakeEngineOptions = {}): FakeEngine {
  const tokenizer = options.tokenizer ?? byteTokenizer;
  const engine: FakeEngine = {
    tokenizer,
    contextLength: options.contextLength ?? 1000,
    maxRows: options.maxRows ?? 4,
    maxSequences: 1,
    toolFormat: 'hermes',
    reasoningFormat: options.reasoningFormat ?? 'think-tags',
    constrainable: true,
    decodes: [],
    rolledBack: 0,
    needs: [],
    openCount: 0,
    closeCount: 0,
    async open({ promptTokens, need }) {
      engine.needs.push(need);
      engine.openCount += 1;
      return sequence([...promptTokens], need);
    },
  };
  const text = tokenizer.encodeText(options.text ?? 'Hello');

  function logitsAfter(tokens: readonly number[], promptLength: number, need: LogitsNeed, row?: number): TokenLogits {
    // Two more than the vocabulary, as real graphs pad it.
    const logits = new Float32Array(tokenizer.vocabularySize + 2).fill(-10);
    logits.fill(50, tokenizer.vocabularySize);
    if (options.logits) options.logits(tokens, logits);
    else logits[text[tokens.length - promptLength] ?? END] = 10;
    const known = logits.subarray(0, tokenizer.vocabularySize);
    if (!options.picks || need.type === 'all') return logits;
    if (need.type === 'greatest') return greatestOf(known, need.count);
    const { random: numbers, temperature, topP, minP } = need;
    const own = row === undefined ? numbers : [numbers[row]!];
    const sampler = new TokenSampler(tokenizer.vocabularySize, { temperature, topP, minP });
    const place = tokens.length - promptLength;
    return { sampled: own.map((each) => sampler.sample(known, each.at(place))) };
  }

  function sequence(prompt: number[], need: LogitsNeed): TextSequence {
    let rows = [[...prompt]];
    let open = true;
    return {
      cachedTokens: 0,
      async prefill(signal) {
        if (signal.aborted) throw new InferenceError('cancelled', 'The request was cancelled.');
        return logitsAfter(prompt, prompt.length, need);
      },
      async fork(count) {
        rows = Array.from({ length: count }, () => [...prompt]);
      },
      async decode(tokens) {
        engine.decodes.push(tokens.map((row) => [...row]));
        for (const [row, added] of tokens.entries()) rows[row]!.push(...added);
        return rows.map((row, place) => logitsAfter(row, prompt.length, need, place));
      },
      ...(options.speculates && { speculation: speculationOf(rows[0]!, prompt.length, need) }),
      async close() {
        if (open) engine.closeCount += 1;
        open = false;
      },
    };
  }
  /** On the one row of a sequence. */
  function speculationOf(row: number[], promptLength: number, need: LogitsNeed): Speculation {
    return {
      isWorthwhile: () => true,
      canRollBack: () => true,
      async score(tokens, count) {
        engine.decodes.push([[...tokens]]);
        row.push(...tokens);
        return Array.from({ length: count }, (_, index) =>
          logitsAfter(row.slice(0, row.length - count + 1 + index), promptLength, need, 0),
        );
      },
      rollBack(count) {
        engine.rolledBack += count;
        row.splice(row.length - count);
      },
    };
  }
  return engine;
}
