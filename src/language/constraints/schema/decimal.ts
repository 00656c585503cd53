/** Exact decimal arithmetic for numbers in schemas. @module */

/** `units` times ten to the power of `-scale`. */
export interface Decimal {
  units: bigint;
  /** Digits after the point, at least 0. */
  scale: number;
}

/** The decimal that a number prints as. */
export function toDecimal(value: number): Decimal {
  const [mantissa = '0', exponent = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const units = BigInt(whole + fraction);
  const scale = fraction.length - Number(exponent);
  return scale >= 0 ? { units, scale } : { units: units * 10n ** BigInt(-scale), scale: 0 };
}

/** The largest multiple of `10 ** -scale` that is not above the decimal, in such units. */
export function floorTo(decimal: Decimal, scale: number): bigint {
  if (scale >= decimal.scale) return decimal.units * 10n ** BigInt(scale - decimal.scale);
  const divisor = 10n ** BigInt(decimal.scale - scale);
  const quotient = decimal.units / divisor;
  return decimal.units % divisor !== 0n && decimal.units < 0n ? quotient - 1n : quotient;
}

/** The smallest multiple of `10 ** -scale` that is not below the decimal, in such units. */
export function ceilTo(decimal: Decimal, scale: number): bigint {
  return -floorTo({ units: -decimal.units, scale: decimal.scale }, scale);
}

/** Digits of the whole part. */
export function wholeDigits(decimal: Decimal): number {
  const units = decimal.units < 0n ? -decimal.units : decimal.units;
  return Math.max(1, units.toString().length - decimal.scale);
}

/** `units` as JSON writes it, without needless zeros. */
export function printDecimal({ units, scale }: Decimal): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '');
  const whole = digits.slice(0, digits.length - scale);
  return `${units < 0n ? '-' : ''}${whole}${scale > 0 && fraction !== '' ? `.${fraction}` : ''}`;
}
