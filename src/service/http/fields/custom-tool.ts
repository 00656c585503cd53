/** Tools with one free-text argument, as functions with one string. @module */
import type { Tool } from '../../../core/request/tool.js';

/** The name of that string. */
const INPUT = 'input';

/** How the text must look. */
export type CustomFormat = { type: 'text' } | { type: 'grammar'; syntax: 'lark' | 'regex'; definition: string };

/**
 * Expressions whose matches need no escaping in a JSON string, so that a grammar of JSON can keep them: letters, digits,
 * harmless signs, classes and groups of them. No wildcard, no negation, nothing that JSON escapes.
 */
const SCHEMA_PATTERN = /^(?!.*(\[\^|\(\?))(?:[A-Za-z0-9 _,:;=@#%&~'<>!/()|*+?{}[\]^$-]|\\[dw.+*?()[\]{}|^$/-])*$/;

/** A grammar that cannot be kept is still shown to the model. */
export function customToolParts(
  description: string | null | undefined,
  format: CustomFormat | null | undefined,
): Pick<Tool, 'description' | 'parameters'> {
  const grammar = format?.type === 'grammar' ? format : undefined;
  const rule = grammar && `The input must match this ${grammar.syntax} grammar:\n${grammar.definition}`;
  const isPattern = grammar?.syntax === 'regex' && canBeSchemaPattern(grammar.definition);
  const input = { type: 'string', ...(isPattern && { pattern: grammar.definition }) };
  return {
    description: [description, rule].filter((text) => text != null).join('\n\n') || undefined,
    parameters: { type: 'object', properties: { [INPUT]: input }, required: [INPUT], additionalProperties: false },
  };
}

function canBeSchemaPattern(definition: string): boolean {
  try {
    return SCHEMA_PATTERN.test(definition) && new RegExp(definition).source !== '';
  } catch {
    return false;
  }
}

/** The arguments of a call with this input. */
export function customArguments(input: string): string {
  return JSON.stringify({ [INPUT]: input });
}

const START = new RegExp(`^\\s*\\{\\s*"${INPUT}"\\s*:\\s*"`);

/** Whole characters and escapes of a JSON string; a high surrogate waits for its low one. */
const CERTAIN =
  /(?:[^"\\\p{Cc}\p{Cs}]|\\(?:["\\/bfnrt]|u(?!d[89ab])[\da-f]{4}|ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}))*/iuy;

/** Reads the input out of arguments that arrive in pieces. */
export class CustomInputReader {
  #json = '';
  /** Where in the JSON the undecoded rest of the input begins; undefined before the input. */
  #at: number | undefined;
  #input = '';

  /** The next piece of the input that is certain; may be empty. */
  push(argumentsDelta: string): string {
    this.#json += argumentsDelta;
    this.#at ??= START.exec(this.#json)?.[0].length;
    if (this.#at === undefined) return '';
    CERTAIN.lastIndex = this.#at;
    const escaped = CERTAIN.exec(this.#json)?.[0] ?? '';
    this.#at += escaped.length;
    const text = JSON.parse(`"${escaped}"`) as string;
    this.#input += text;
    return text;
  }

  /** What is left at the end: arguments of another form are the input as they are. */
  end(): string {
    const whole = inputOf(this.#json);
    return whole?.startsWith(this.#input) ? whole.slice(this.#input.length) : '';
  }
}

/** The input that whole arguments hold. */
export function customInput(argumentsText: string): string {
  const reader = new CustomInputReader();
  return reader.push(argumentsText) + reader.end();
}

/** Undefined when the arguments were cut. */
function inputOf(json: string): string | undefined {
  try {
    const value: unknown = JSON.parse(json);
    const input: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, INPUT) : undefined;
    return typeof input === 'string' ? input : json;
  } catch {
    return undefined;
  }
}
