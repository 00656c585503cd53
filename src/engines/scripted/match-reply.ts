/** Whether a scripted reply fits a request, and if not, why. @module */
import type { ReplyMatch } from '../../core/models/reply-match.js';
import type { Asked } from './asked.js';

/** Why a reply does not fit. */
export interface Miss {
  /** The reply's `match`, as a message shows it. */
  match: string;
  /** The condition that failed, e.g. `turn` is 1. */
  reason: string;
  /** How near it was, 0 to 1. */
  nearness: number;
}

/** Characters of a condition that a message shows. */
const SHOWN = 60;

/** Undefined: the conditions hold. */
export function missOf(match: string | ReplyMatch, asked: Asked): Miss | undefined {
  if (typeof match === 'string') {
    if (asked.last.includes(match)) return undefined;
    return { match: shown(match), reason: 'not in the last message', nearness: similarity(match, asked.last) };
  }
  const outcomes = Object.entries(match).flatMap(([name, wanted]: [string, unknown]) =>
    wanted === undefined ? [] : [outcomeOf(name as keyof ReplyMatch, wanted, asked)],
  );
  const failed = outcomes.find(({ reason }) => reason !== undefined);
  if (!failed) return undefined;
  const nearness = outcomes.reduce((sum, outcome) => sum + outcome.nearness, 0) / outcomes.length;
  return { match: shown(match), reason: failed.reason!, nearness };
}

interface Outcome {
  /** Undefined: the condition holds. */
  reason: string | undefined;
  nearness: number;
}

const HOLDS: Outcome = { reason: undefined, nearness: 1 };

type TextCondition = 'last' | 'any' | 'system' | 'user' | 'toolResult';

const TEXT_CONDITIONS: Record<TextCondition, { what: string; textsOf: (asked: Asked) => readonly string[] }> = {
  last: { what: 'the last message', textsOf: ({ last }) => [last] },
  any: { what: 'any message', textsOf: ({ all }) => all },
  system: { what: 'the system messages', textsOf: ({ system }) => system },
  user: { what: 'the last message of the user', textsOf: ({ user }) => [user] },
  toolResult: {
    what: 'a tool result after the last message of the user',
    textsOf: ({ toolResults }) => toolResults,
  },
};

function outcomeOf(name: keyof ReplyMatch, wanted: unknown, asked: Asked): Outcome {
  switch (name) {
    case 'turn':
    case 'images':
      return equalOutcome(name, wanted, asked[name]);
    case 'hasToolResult':
      return equalOutcome(name, wanted, asked.toolResults.length > 0);
    case 'tool': {
      if (asked.tools.includes(wanted as string)) return HOLDS;
      const offered = asked.tools.length === 0 ? 'none' : asked.tools.slice(0, 8).join(', ');
      return { reason: `\`tool\`: ${shown(wanted)} is not offered, but ${offered}`, nearness: 0 };
    }
    default:
      return textOutcome(name, typeof wanted === 'string' ? [wanted] : (wanted as string[]), asked);
  }
}

function equalOutcome(name: string, wanted: unknown, found: unknown): Outcome {
  return wanted === found ? HOLDS : { reason: `\`${name}\` is ${String(found)}`, nearness: 0 };
}

function textOutcome(condition: TextCondition, wanted: readonly string[], asked: Asked): Outcome {
  const { what, textsOf } = TEXT_CONDITIONS[condition];
  const texts = textsOf(asked);
  const missing = wanted.find((each) => !texts.some((text) => text.includes(each)));
  if (missing === undefined) return HOLDS;
  const nearness = Math.max(0, ...texts.map((text) => similarity(missing, text)));
  return { reason: `\`${condition}\`: ${shown(missing)} is not in ${what}`, nearness };
}

/** A condition as JSON, cut. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > SHOWN ? `${value.slice(0, SHOWN)}…` : value);
  const json = JSON.stringify(value);
  return json.length > 2 * SHOWN ? `${json.slice(0, 2 * SHOWN)}…` : json;
}

/** The part of the runs of three letters of one text that another has, 0 to 1. */
function similarity(text: string, other: string): number {
  const runs = [...trigrams(text)];
  const known = trigrams(other);
  return runs.filter((run) => known.has(run)).length / runs.length;
}

/** All runs of three characters, in lower case: what two texts share says how similar they are. */
function trigrams(text: string): Set<string> {
  const lower = ` ${text.toLowerCase()} `;
  return new Set(Array.from({ length: Math.max(1, lower.length - 2) }, (_, at) => lower.slice(at, at + 3)));
}
