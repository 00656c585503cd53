/** Numbers and integers with bounds and steps. @module */
import { EMPTY, type Expression, NEVER, choice, literal, optional, sequence } from '../../grammar/expression.js';
import { type Decimal, ceilTo, floorTo, printDecimal, toDecimal, wholeDigits } from './decimal.js';
import { numberRange } from './number-range-grammar.js';
import type { Alternative } from './alternative.js';
import { type SchemaContext, nodeWith } from './schema-context.js';
import { SchemaProblem } from '../../../core/schema/schema-problem.js';

/** Integers beyond this lose their last digits when JSON is read. */
const LARGEST_INTEGER = BigInt(Number.MAX_SAFE_INTEGER);
/** Digits of numbers that no bound asks for: enough for all practice, and no model can loop on digits. */
const DIGITS = 15;
const FRACTION_DIGITS = 6;
/** Multiples are listed up to this many; above it only small whole steps can be followed. */
const MAX_LISTED = 1_000;
const MAX_STEP = 128;

/** Bounds in units of `10 ** -scale`, both included; undefined: none was given. */
interface Bounds {
  low: bigint | undefined;
  high: bigint | undefined;
  scale: number;
}

/** The numbers that conform to the alternative. */
export function numberGrammar(context: SchemaContext, alternative: Alternative, integer: boolean): Expression {
  const steps = alternative.flatMap((node) =>
    typeof node['multipleOf'] === 'number' ? [toDecimal(node['multipleOf'])] : [],
  );
  const decimalStep = steps.every(isPowerOfTen);
  const scaleLimit = decimalStep
    ? Math.min(integer ? 0 : Infinity, ...steps.map((step) => step.scale))
    : integer
      ? 0
      : Infinity;
  const bounds = boundsOf(alternative, scaleLimit);
  if (decimalStep) return unsteppedNumbers(bounds, integer);
  const [step, more] = steps.filter((each) => !isPowerOfTen(each) || each.scale > 0);
  const node = nodeWith(alternative, 'multipleOf');
  if (step === undefined || more !== undefined) throw new SchemaProblem('is only supported once', node, 'multipleOf');
  return multiples(context, bounds, step, integer) ?? unsupportedStep(node);
}

function unsupportedStep(node: object | undefined): never {
  throw new SchemaProblem(
    `is only supported with bounds that leave at most ${MAX_LISTED} values, as a negative power of ten, or as a whole number of at most ${MAX_STEP} without bounds`,
    node,
    'multipleOf',
  );
}

/** 1, 0.1, 0.01 and so on: a number of digits. */
function isPowerOfTen(step: Decimal): boolean {
  return step.units === 1n;
}

function boundsOf(alternative: Alternative, scaleLimit: number): Bounds {
  const limits = alternative.flatMap((node) => [
    { value: node['minimum'], lower: true, open: false },
    { value: node['exclusiveMinimum'], lower: true, open: true },
    { value: node['maximum'], lower: false, open: false },
    { value: node['exclusiveMaximum'], lower: false, open: true },
  ]);
  const given = limits.flatMap(({ value, lower, open }) =>
    typeof value === 'number' ? [{ decimal: toDecimal(value), lower, open }] : [],
  );
  const digits = Math.max(1, ...given.map(({ decimal }) => wholeDigits(decimal)));
  // Up to 15 digits two decimals are two different floating-point numbers, so that an open bound stays open.
  const wanted = Math.max(FRACTION_DIGITS, ...given.map(({ decimal }) => decimal.scale));
  const scale = Math.max(0, Math.min(wanted, DIGITS - digits, scaleLimit));
  const bounds: Bounds = { low: undefined, high: undefined, scale };
  for (const { decimal, lower, open } of given) {
    if (lower) {
      const low = open ? floorTo(decimal, scale) + 1n : ceilTo(decimal, scale);
      if (bounds.low === undefined || low > bounds.low) bounds.low = low;
    } else {
      const high = open ? ceilTo(decimal, scale) - 1n : floorTo(decimal, scale);
      if (bounds.high === undefined || high < bounds.high) bounds.high = high;
    }
  }
  return bounds;
}

function unsteppedNumbers({ low, high, scale }: Bounds, integer: boolean): Expression {
  const unit = 10n ** BigInt(scale);
  const bounded = low !== undefined || high !== undefined;
  const limit = integer && bounded ? LARGEST_INTEGER : (10n ** BigInt(DIGITS) - 1n) * unit + (unit - 1n);
  return numberRange(clamp(low ?? -limit, limit, -1n), clamp(high ?? limit, limit, 1n), scale);
}

/** A bound beyond the largest number that is written; on the wrong side it leaves no number at all. */
function clamp(bound: bigint, limit: bigint, side: bigint): bigint {
  return bound * side > limit ? limit * side : bound;
}

function multiples(context: SchemaContext, bounds: Bounds, step: Decimal, integer: boolean): Expression | undefined {
  const scale = Math.max(bounds.scale, step.scale);
  const unit = step.units * 10n ** BigInt(scale - step.scale);
  const shift = 10n ** BigInt(scale - bounds.scale);
  if (bounds.low !== undefined && bounds.high !== undefined) {
    const first = bounds.low * shift;
    const from = first >= 0n ? (first + unit - 1n) / unit : -(-first / unit);
    const last = bounds.high * shift;
    const to = last >= 0n ? last / unit : -((-last + unit - 1n) / unit);
    if (to - from >= BigInt(MAX_LISTED)) return undefined;
    const listed: Expression[] = [];
    for (let factor = from; factor <= to; factor += 1n) {
      const text = printDecimal({ units: factor * unit, scale });
      if (!integer || !text.includes('.')) listed.push(literal(text));
    }
    return choice(...listed);
  }
  if (step.scale > 0 || step.units > BigInt(MAX_STEP)) return undefined;
  if (
    bounds.high !== undefined ||
    (bounds.low !== undefined && (bounds.low < 0n || bounds.low > 10n ** BigInt(bounds.scale)))
  )
    return undefined;
  const positive = wholeMultiples(context, Number(step.units));
  if (bounds.low !== undefined) return bounds.low > 0n ? positive : choice(literal('0'), positive);
  return choice(literal('0'), sequence(optional(literal('-')), positive));
}

/** Whole multiples of `step` above 0: the rules carry the remainder of the digits so far. */
function wholeMultiples(context: SchemaContext, step: number): Expression {
  const known = new Map<number, Expression>();
  const after = (remainder: number, room: number): Expression => {
    const state = remainder * (DIGITS + 1) + room;
    const found = known.get(state);
    if (found !== undefined) return found;
    const more = room === 0 ? [] : digitsAfter(remainder, room, 0);
    const added = context.rules.add(choice(remainder === 0 ? EMPTY : NEVER, ...more));
    known.set(state, added);
    return added;
  };
  const digitsAfter = (remainder: number, room: number, first: number): Expression[] =>
    Array.from({ length: 10 - first }, (_, index) =>
      sequence(literal(String(first + index)), after((remainder * 10 + first + index) % step, room - 1)),
    );
  return choice(...digitsAfter(0, DIGITS, 1));
}
