/** Takes keys and passwords out of what is recorded. @module */
import type { RecordedEvent, RecordedStep } from '../core/models/recorded-answer.js';

/** What stands where a secret was. */
const REDACTED = '[secret]';

/** Keys by the forms in which services give them out, tokens in headers, JSON Web Tokens and private keys. */
const FORMS = [
  /\b(?:sk|pk|rk|gsk|xai|hf|r8|ghp|gho|ghs|ghu|glpat|npm|github_pat|xox[abps])[-_][\w-]{16,}/,
  /\bAIza[\w-]{30,}/,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/,
  /(?<=\b(?:bearer|basic) )[\w.~+/=-]{16,}/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/,
];

/** @param known texts that are secrets here, whatever their form */
function secretPattern(known: readonly string[]): RegExp {
  const literals = known.map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  return new RegExp([...literals, ...FORMS.map(({ source }) => source)].join('|'), 'gi');
}

/** The text with `[secret]` in the place of each. */
export function redactText(text: string, known: readonly string[]): string {
  return text.replaceAll(secretPattern(known), REDACTED);
}

/** Something with a text, which is a piece of a longer one. */
interface Piece {
  text: string;
  logprobs?: unknown;
}

/** The steps without secrets, also without those that come in several pieces. */
export function redactSteps(steps: readonly RecordedStep[], known: readonly string[]): RecordedStep[] {
  const copy = structuredClone([...steps]);
  const events = copy.flatMap((step) => step.events);
  let isChanged = false;
  for (const pieces of runsOf(events)) isChanged = redactPieces(pieces, secretPattern(known)) || isChanged;
  // Tokens and probabilities would spell it.
  if (isChanged) for (const event of events) forgetTokens(event);
  return redactDeeply(copy, known) as RecordedStep[];
}

/** The pieces of each text: of a choice's answer, its thinking and its calls, or of a transcript. */
function runsOf(events: readonly RecordedEvent[]): Piece[][] {
  const runs = new Map<string, Piece[]>();
  const add = (name: string, piece: Piece): void => void runs.set(name, [...(runs.get(name) ?? []), piece]);
  for (const event of events) {
    if (event.type === 'delta') add('delta', event);
    if (event.type !== 'piece' && event.type !== 'end') continue;
    for (const part of event.parts) if ('text' in part) add(`${event.choice} ${part.type}`, part);
  }
  return [...runs.values()];
}

/** @returns whether there was a secret */
function redactPieces(pieces: readonly Piece[], pattern: RegExp): boolean {
  const whole = pieces.map(({ text }) => text).join('');
  const secrets = [...whole.matchAll(pattern)].map(({ 0: text, index }) => ({
    start: index,
    end: index + text.length,
  }));
  let end = 0;
  for (const piece of pieces) {
    const start = end;
    end += piece.text.length;
    let text = '';
    let at = start;
    for (const secret of secrets) {
      if (secret.end <= start || secret.start >= end) continue;
      text += whole.slice(at, Math.max(at, secret.start));
      if (secret.start >= start) text += REDACTED;
      at = Math.min(end, secret.end);
    }
    piece.text = text + whole.slice(at, end);
  }
  return secrets.length > 0;
}

function forgetTokens(event: RecordedEvent): void {
  if (event.type === 'piece') delete event.token;
  if (event.type === 'finish') for (const segment of event.segments ?? []) segment.tokens = [];
  if (event.type !== 'piece' && event.type !== 'end') return;
  for (const part of event.parts) if (part.type === 'text') delete part.logprobs;
}

/** Every other text, such as the raw output. */
function redactDeeply(value: unknown, known: readonly string[]): unknown {
  if (typeof value === 'string') return redactText(value, known);
  if (Array.isArray(value)) return value.map((each) => redactDeeply(each, known));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, redactDeeply(each, known)]));
}
