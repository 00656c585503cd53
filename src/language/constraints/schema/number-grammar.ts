/** Grammars of numbers and integers with bounds and steps. @module */
import {
  characters,
  choice,
  EMPTY,
  type Expression,
  literal,
  NEVER,
  optional,
  repeat,
  sequence,
} from '../../grammar/expression.js';
import { ceilTo, type Decimal, floorTo, printDecimal, toDecimal, wholeDigits } from './decimal.js';
import { type Alternative, nodeWith, type SchemaContext } from './schema-context.js';
import { SchemaProblem } from '../../../core/schema/limits/schema-problem.js';

/** Integers beyond this lose their last digits when JSON is read. */
const LARGEST_INTEGER = BigInt(Number.MAX_SAFE_INTEGER);
/** Most digits of a number without bounds, so that a model cannot loop on digits. */
const DIGITS = 15;
const FRACTION_DIGITS = 6;
/** So many multiples are listed one by one; more of them are supported for whole steps up to `MAX_STEP` only. */
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

/** 1, 0.1, 0.01 and so on: such a step only limits the digits after the point. */
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
  // Different decimals of up to 15 digits are different floating-point numbers, so an exclusive bound stays exclusive.
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

/** Limits a bound to the largest number that is written; beyond the other end it stays, so that no number is left. */
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

/** Whole multiples of `step` above 0. Each rule stands for a remainder of the digits so far. */
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

/**
 * The numbers from `low` to `high` (both included, in units of `10 ** -scale`), without exponents, leading zeros or a
 * negative zero. Zeros at the end of the fraction may be written or not.
 */
function numberRange(low: bigint, high: bigint, scale: number): Expression {
  if (low > high) return NEVER;
  const negative = low < 0n ? sequence(literal('-'), unsignedRange(high < 0n ? -high : 1n, -low, scale)) : NEVER;
  const positive = high >= 0n ? unsignedRange(low > 0n ? low : 0n, high, scale) : NEVER;
  return choice(negative, positive);
}

function unsignedRange(low: bigint, high: bigint, scale: number): Expression {
  if (low > high) return NEVER;
  const unit = 10n ** BigInt(scale);
  const [lowWhole, highWhole] = [low / unit, high / unit];
  const [lowFraction, highFraction] = [low % unit, high % unit];
  if (scale === 0) return wholeRange(lowWhole, highWhole);
  const from = lowFraction.toString().padStart(scale, '0');
  const to = highFraction.toString().padStart(scale, '0');
  const [zeros, nines] = ['0'.repeat(scale), '9'.repeat(scale)];
  if (lowWhole === highWhole) return sequence(literal(lowWhole.toString()), fraction(from, to));
  const firstFull = from === zeros ? lowWhole : lowWhole + 1n;
  const lastFull = to === nines ? highWhole : highWhole - 1n;
  return choice(
    firstFull === lowWhole ? NEVER : sequence(literal(lowWhole.toString()), fraction(from, nines)),
    firstFull > lastFull ? NEVER : sequence(wholeRange(firstFull, lastFull), fraction(zeros, nines)),
    lastFull === highWhole ? NEVER : sequence(literal(highWhole.toString()), fraction(zeros, to)),
  );
}

/** The point and the digits after it, such that they (filled up with zeros) lie between `from` and `to`. */
function fraction(from: string, to: string): Expression {
  const digits = sequence(literal('.'), fractionDigits(from, to, { first: true }));
  return isZero(from) ? choice(digits, EMPTY) : digits;
}

function fractionDigits(from: string, to: string, { first = false } = {}): Expression {
  if (from === '') return EMPTY;
  if (isZero(from) && /^9+$/.test(to)) return repeat(digit(0, 9), first ? 1 : 0, from.length);
  const [low, high] = [Number(from[0]), Number(to[0])];
  const [fromRest, toRest] = [from.slice(1), to.slice(1)];
  const stop = isZero(from) && !first ? EMPTY : NEVER;
  if (low === high) return choice(sequence(digit(low, low), fractionDigits(fromRest, toRest)), stop);
  return choice(
    sequence(digit(low, low), fractionDigits(fromRest, '9'.repeat(fromRest.length))),
    low + 1 > high - 1 ? NEVER : sequence(digit(low + 1, high - 1), repeat(digit(0, 9), 0, fromRest.length)),
    sequence(digit(high, high), fractionDigits('0'.repeat(toRest.length), toRest)),
    stop,
  );
}

/** Whole numbers of at least 0 without leading zeros. */
function wholeRange(low: bigint, high: bigint): Expression {
  const options: Expression[] = [];
  if (low === 0n) {
    options.push(literal('0'));
    low = 1n;
  }
  let shortest = low.toString().length;
  const longest = high.toString().length;
  if (low <= high && low === 10n ** BigInt(shortest - 1)) {
    // All numbers of some lengths: one piece instead of one for each length.
    const full = high === 10n ** BigInt(longest) - 1n ? longest : longest - 1;
    if (full >= shortest) {
      options.push(sequence(digit(1, 9), repeat(digit(0, 9), shortest - 1, full - 1)));
      shortest = full + 1;
      low = 10n ** BigInt(full);
    }
  }
  for (let length = shortest; length <= longest; length += 1) {
    const from = length === low.toString().length ? low : 10n ** BigInt(length - 1);
    const to = length === longest ? high : 10n ** BigInt(length) - 1n;
    if (from <= to) options.push(sameLengthRange(from.toString(), to.toString()));
  }
  return choice(...options);
}

function sameLengthRange(from: string, to: string): Expression {
  if (from === '') return EMPTY;
  if (isZero(from) && /^9+$/.test(to)) return repeat(digit(0, 9), from.length, from.length);
  const [low, high] = [Number(from[0]), Number(to[0])];
  const [fromRest, toRest] = [from.slice(1), to.slice(1)];
  if (low === high) return sequence(digit(low, low), sameLengthRange(fromRest, toRest));
  // A border digit whose rest is unrestricted belongs to the middle.
  const first = isZero(fromRest) ? low : low + 1;
  const last = /^9*$/.test(toRest) ? high : high - 1;
  return choice(
    first === low ? NEVER : sequence(digit(low, low), sameLengthRange(fromRest, '9'.repeat(fromRest.length))),
    first > last ? NEVER : sequence(digit(first, last), repeat(digit(0, 9), fromRest.length, fromRest.length)),
    last === high ? NEVER : sequence(digit(high, high), sameLengthRange('0'.repeat(toRest.length), toRest)),
  );
}

function isZero(digits: string): boolean {
  return /^0*$/.test(digits);
}

function digit(first: number, last: number): Expression {
  return first === last ? literal(String(first)) : characters([0x30 + first, 0x30 + last]);
}
