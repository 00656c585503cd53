/** What an answer must conform to: a JSON Schema, or a regular expression. @module */
import { notConforming, notSupported } from './interface-error.js';

export interface Constraint {
  /** `response_format` of the request. */
  format: object;
  /** What the model is told of it. */
  text: string;
  /** The model writes something around the answer, which is known when all is there. */
  isWrapped: boolean;
  /** What the model has written, of the beginning of an answer. */
  begun(prefix: string): string;
  /** The answer in what the model has written. @throws SyntaxError where it does not conform */
  read(written: string, prefix: string): string;
}

/** Around the answer of a regular expression: schemas know strings only within JSON. */
const [OPENING, MEMBER] = ['{"text":"', 'text'];

/** @throws TypeError, or NotSupportedError for what cannot be kept */
export function readConstraint(constraint: unknown): Constraint | undefined {
  if (constraint === undefined) return undefined;
  if (typeof constraint !== 'object' || constraint === null)
    throw new TypeError('`responseConstraint` must be a JSON Schema or a RegExp.');
  return constraint instanceof RegExp ? ofExpression(constraint) : ofSchema(constraint);
}

function ofSchema(schema: object): Constraint {
  let text: string;
  try {
    text = JSON.stringify(schema);
  } catch {
    throw notSupported('`responseConstraint` cannot be written as JSON.');
  }
  const copy = JSON.parse(text) as object;
  return {
    format: { type: 'json_schema', json_schema: { name: 'answer', schema: copy } },
    text: `Answer with JSON that conforms to this schema: ${text}`,
    isWrapped: false,
    begun: (prefix) => prefix,
    read: (written, prefix) => {
      try {
        JSON.parse(prefix + written);
      } catch {
        throw notConforming();
      }
      return written;
    },
  };
}

function ofExpression(expression: RegExp): Constraint {
  const pattern = wholePattern(expression);
  const whole = new RegExp(pattern, 'u');
  const schema = {
    type: 'object',
    properties: { [MEMBER]: { type: 'string', pattern } },
    required: [MEMBER],
    additionalProperties: false,
  };
  return {
    format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
    text: `Answer with JSON, {"${MEMBER}": string}, whose string matches the regular expression ${expression.source}`,
    isWrapped: true,
    begun: (prefix) => (prefix === '' ? '' : OPENING + JSON.stringify(prefix).slice(1, -1)),
    read(written, prefix) {
      const answer = unwrapped(this.begun(prefix) + written);
      if (answer === undefined || !whole.test(answer) || !answer.startsWith(prefix)) throw notConforming();
      return answer.slice(prefix.length);
    },
  };
}

function unwrapped(written: string): string | undefined {
  try {
    const { [MEMBER]: answer } = JSON.parse(written) as Record<string, unknown>;
    return typeof answer === 'string' ? answer : undefined;
  } catch {
    return undefined;
  }
}

/** One piece of an expression: a class in brackets, an escaped character, a group's beginning, or a character. */
const PIECES = /\[(?:\\.|[^\]\\])*\]|\\[\s\S]|\(\?(?:<[=!]|[=!])|[\s\S]/gu;

/**
 * The expression for a whole answer, as schemas write it: with the flag `u`, and without `s`.
 * @throws NotSupportedError
 */
function wholePattern({ source, flags }: RegExp): string {
  const refuse = (why: string): never => {
    throw notSupported(`\`responseConstraint\` has ${why}, which cannot be guaranteed.`);
  };
  if (/[^su]/.test(flags)) refuse(`the flags \`${flags}\``);
  const pieces = (source.match(PIECES) ?? []).map((piece) => {
    if (piece.startsWith('(?')) return refuse('lookaround');
    if (/^\\[1-9k]/.test(piece)) return refuse('back references');
    if (piece === '.' && flags.includes('s')) return String.raw`[\s\S]`;
    // Without the flag `u` more may be escaped than has to be.
    return /^\\[^\w^$\\.*+?()[\]{}|/]$/.test(piece) ? piece.slice(1) : piece;
  });
  const pattern = `^(?:${pieces.join('')})$`;
  try {
    return new RegExp(pattern, 'u').source;
  } catch {
    return refuse('a syntax that differs with the flag `u`');
  }
}
