/** The tokenizer of scripted models: about one token per word, as in real vocabularies. @module */
import { escapePattern } from '../../core/platform/escape-pattern.js';
import { grammarTags } from '../../language/families/answer-syntax.js';
import type { TextTokenizer } from '../../language/prompt/text-tokenizer.js';

/** Added tokens in the order of their ids, from 256 on: those of ChatML, then the tags of all model families. */
const ADDED_TOKENS: readonly string[] = [
  ...new Set([
    '<|endoftext|>',
    '<|im_start|>',
    '<|im_end|>',
    '<tool_response>',
    '</tool_response>',
    '<tools>',
    '</tools>',
    ...grammarTags(),
  ]),
];

/**
 * A word with the space before it, up to three digits, one sign, or a run of white space. What lies beyond the basic
 * plane (emoji) becomes bytes, so that characters of several tokens occur as they do with real models.
 */
const PIECE = / ?\p{L}{1,24}| ?\p{N}{1,3}|\s+(?=\s)|\s|[\u{10000}-\u{10ffff}]|[^\s\p{L}\p{N}]/gu;

/** Maximum number of words that are learned from prompts; further unknown words become bytes. Limits memory. */
const MAX_WORDS = 32_768;

/** Ends a turn. */
export const END_TOKEN = 256 + ADDED_TOKENS.indexOf('<|im_end|>');

/** Like the templates of ChatML models with tools and reasoning: Hermes, Qwen, tiny-chat. */
const CHAT_TEMPLATE = `
{%- if messages[0].role == 'system' or tools %}
{{- '<|im_start|>system\\n' }}
{%- if messages[0].role == 'system' %}{{- messages[0].content }}{%- endif %}
{%- if tools %}
{{- '\\n# Tools\\n<tools>\\n' }}
{%- for tool in tools %}{{- tool.function | tojson }}{{- '\\n' }}{%- endfor %}
{{- '</tools>' }}
{%- endif %}
{{- '<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
{%- if message.role == 'tool' %}
{{- '<|im_start|>user\\n<tool_response>\\n' + message.content + '\\n</tool_response><|im_end|>\\n' }}
{%- elif message.role != 'system' %}
{{- '<|im_start|>' + message.role + '\\n' + message.content }}
{%- for call in message.tool_calls or [] %}
{{- '\\n<tool_call>\\n{"name": ' + (call.function.name | tojson) + ', "arguments": ' }}
{{- call.function.arguments if call.function.arguments is string else call.function.arguments | tojson }}
{{- '}\\n</tool_call>' }}
{%- endfor %}
{{- '<|im_end|>\\n' }}
{%- endif %}
{%- endfor %}
{{- '<|im_start|>assistant\\n' }}`;

/** Stands for an image, in the vocabulary of models that take some. */
export const IMAGE_TOKEN = '<|image_pad|>';

const bytes = new TextEncoder();

function compilePattern(tokens: readonly string[]): RegExp {
  const spellings = tokens.toSorted((a, b) => b.length - a.length).map(escapePattern);
  return new RegExp(`(${spellings.join('|')})`);
}

/**
 * Ids 0 to 255 are the bytes. The added tokens follow, then words in the order in which they were first seen: first those
 * of the script, then those of prompts as they come.
 */
export class ScriptedTokenizer implements TextTokenizer {
  readonly endTokens: ReadonlySet<number> = new Set([END_TOKEN]);
  readonly addedTokens: ReadonlyMap<string, number>;
  readonly chatTemplate = CHAT_TEMPLATE;
  readonly templateVariables = { bos_token: '', eos_token: '<|im_end|>' };
  readonly prefixTokens: readonly number[] = [];
  /** The id from which words begin. */
  readonly firstWord: number;
  readonly #added: RegExp;
  readonly #bytes: Uint8Array[];
  readonly #words = new Map<string, number>();

  constructor({ images = false }: { images?: boolean } = {}) {
    const added = images ? [...ADDED_TOKENS, IMAGE_TOKEN] : ADDED_TOKENS;
    this.addedTokens = new Map(added.map((token, index) => [token, 256 + index]));
    this.firstWord = 256 + added.length;
    this.#added = compilePattern(added);
    this.#bytes = [
      ...Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)),
      ...added.map((token) => bytes.encode(token)),
    ];
  }

  get vocabularySize(): number {
    return this.#bytes.length;
  }

  encodeText(text: string): number[] {
    const ids: number[] = [];
    for (const [piece] of text.matchAll(PIECE)) {
      const word = this.#wordToken(piece);
      if (word !== undefined) ids.push(word);
      else for (const byte of bytes.encode(piece)) ids.push(byte);
    }
    return ids;
  }

  /** Ids of the script's text, in which added tokens are recognized. */
  encodeMarkup(text: string): number[] {
    return text.split(this.#added).flatMap((part) => this.addedTokens.get(part) ?? this.encodeText(part));
  }

  bytesOf(token: number): Uint8Array {
    return this.#bytes[token] ?? new Uint8Array();
  }

  #wordToken(piece: string): number | undefined {
    const known = this.#words.get(piece);
    if (known !== undefined) return known;
    if (piece.codePointAt(0)! > 0xffff || this.#words.size >= MAX_WORDS) return undefined;
    const id = this.#bytes.length;
    this.#words.set(piece, id);
    this.#bytes.push(bytes.encode(piece));
    return id;
  }
}
