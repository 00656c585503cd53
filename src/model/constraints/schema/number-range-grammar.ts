/** Decimal numbers between two bounds, digit by digit. @module */
import {
  EMPTY,
  type Expression,
  NEVER,
  characters,
  choice,
  literal,
  repeat,
  sequence,
} from '../../grammar/expression.js';

/**
 * The numbers from `low` to `high` (both included, in units of `10 ** -scale`), without exponents, leading zeros or a
 * negative zero. Zeros at the end of the fraction may be written or not.
 */
export function numberRange(low: bigint, high: bigint, scale: number): Expression {
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
  const digits = sequence(literal('.'), fractionDigits(from, to, true));
  return isZero(from) ? choice(digits, EMPTY) : digits;
}

function fractionDigits(from: string, to: string, first: boolean): Expression {
  if (from === '') return EMPTY;
  if (isZero(from) && /^9+$/.test(to)) return repeat(digit(0, 9), first ? 1 : 0, from.length);
  const [low, high] = [Number(from[0]), Number(to[0])];
  const [fromRest, toRest] = [from.slice(1), to.slice(1)];
  const stop = isZero(from) && !first ? EMPTY : NEVER;
  if (low === high) return choice(sequence(digit(low, low), fractionDigits(fromRest, toRest, false)), stop);
  return choice(
    sequence(digit(low, low), fractionDigits(fromRest, '9'.repeat(fromRest.length), false)),
    low + 1 > high - 1 ? NEVER : sequence(digit(low + 1, high - 1), repeat(digit(0, 9), 0, fromRest.length)),
    sequence(digit(high, high), fractionDigits('0'.repeat(toRest.length), toRest, false)),
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
