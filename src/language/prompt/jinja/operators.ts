/** Python's operators. @module */
import type { Budget } from './budget.js';
import { formatPercent } from './format-text.js';
import {
  compare,
  Float,
  isEqual,
  isIn,
  isList,
  numberOf,
  TemplateError,
  Tuple,
  typeName,
  type Value,
} from './values.js';

/** `+ - * / // % **` @throws TemplateError for types that the operator does not take */
export function calculate(operator: string, left: Value, right: Value, budget: Budget): Value {
  if (operator === '%' && typeof left === 'string') return formatPercent(left, right, budget);
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a !== undefined && b !== undefined) {
    const isFloat = left instanceof Float || right instanceof Float || operator === '/' || (operator === '**' && b < 0);
    const result = arithmetic(operator, a, b);
    return isFloat ? new Float(result) : result;
  }
  if (operator === '+') {
    if (typeof left === 'string' && typeof right === 'string') {
      budget.characters(left.length + right.length);
      return left + right;
    }
    if (isList(left) && isList(right) && left instanceof Tuple === right instanceof Tuple) {
      budget.items(left.length + right.length);
      return left instanceof Tuple ? Tuple.from([...left, ...right]) : [...left, ...right];
    }
  }
  if (operator === '*') {
    if (typeof right === 'number' || typeof right === 'boolean') return repeated(left, Number(right), budget);
    if (typeof left === 'number' || typeof left === 'boolean') return repeated(right, Number(left), budget);
  }
  if (left === undefined || right === undefined) throw new TemplateError('a value is undefined');
  throw new TemplateError(`unsupported operand type(s) for ${operator}: '${typeName(left)}' and '${typeName(right)}'`);
}

function arithmetic(operator: string, a: number, b: number): number {
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '**':
      return power(a, b);
    default:
  }
  if (b === 0) throw new TemplateError('division by zero');
  if (operator === '/') return a / b;
  const rest = a % b;
  const isOther = rest !== 0 && rest < 0 !== b < 0;
  // A rest of nothing has the sign of the divisor.
  if (operator === '%') return isOther ? rest + b : rest === 0 ? zeroOf(b) : rest;
  const quotient = (a - rest) / b - (isOther ? 1 : 0);
  const floor = Math.floor(quotient);
  return quotient === 0 ? zeroOf(a / b) : quotient - floor > 0.5 ? floor + 1 : floor;
}

/** Zero with the sign of a number. */
const zeroOf = (number: number): number => (number < 0 ? -0 : 0);

function power(base: number, exponent: number): number {
  if (base === 0 && exponent < 0) throw new TemplateError('0.0 cannot be raised to a negative power');
  const result = base ** exponent;
  if (Number.isNaN(result) && !Number.isNaN(base) && !Number.isNaN(exponent))
    throw new TemplateError('complex numbers are not supported');
  if (!Number.isFinite(result) && Number.isFinite(base) && Number.isFinite(exponent))
    throw new TemplateError('the result is too large');
  return result;
}

function repeated(value: Value, times: number, budget: Budget): Value {
  const count = Math.max(0, times);
  if (typeof value === 'string') {
    budget.characters(value.length * count);
    return value.repeat(count);
  }
  if (!isList(value)) throw new TemplateError(`a '${typeName(value)}' cannot be repeated`);
  budget.items(value.length * count);
  const items = Array.from({ length: count }, () => [...value]).flat();
  return value instanceof Tuple ? Tuple.from(items) : items;
}

/** `== != < <= > >= in` and `not in` @throws TemplateError for values that have no order */
export function holds(operator: string, left: Value, right: Value): boolean {
  switch (operator) {
    case '==':
      return isEqual(left, right);
    case '!=':
      return !isEqual(left, right);
    case 'in':
      return isIn(left, right);
    case 'not in':
      return !isIn(left, right);
    case '<':
      return compare(left, right) < 0;
    case '<=':
      return compare(left, right) <= 0;
    case '>':
      return compare(left, right) > 0;
    default:
      return compare(left, right) >= 0;
  }
}
