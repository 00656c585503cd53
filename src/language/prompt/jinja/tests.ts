/** Jinja's tests: what may stand behind `is`. @module */
import { holds } from './operators.js';
import {
  Float,
  type Given,
  isDictionary,
  isEqual,
  isIn,
  isList,
  Namespace,
  numberOf,
  TemplateError,
  type Value,
} from './values.js';
import { textOf } from './write-values.js';

type Test = (value: Value, given: Given) => boolean;

const compared =
  (operator: string): Test =>
  (value, { positional: [other] }) =>
    holds(operator, value, other);

function remainder(value: Value, divisor: Value): number {
  const [a, b] = [numberOf(value), numberOf(divisor)];
  if (a === undefined || b === undefined) throw new TemplateError('only numbers can be divided');
  if (b === 0) throw new TemplateError('division by zero');
  const rest = a % b;
  return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest;
}

const isNumber: Test = (value) => numberOf(value) !== undefined;

const isSame: Test = (value, { positional: [other] }) =>
  value === other ||
  (typeof value === typeof other && typeof value === 'object' && value instanceof Float && isEqual(value, other));

/** Tests by name. */
export const TESTS: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['boolean', (value) => typeof value === 'boolean'],
  // What is undefined can be called, and raises then.
  ['callable', (value) => typeof value === 'function' || value === undefined],
  ['defined', (value) => value !== undefined],
  ['divisibleby', (value, { positional: [divisor] }) => remainder(value, divisor) === 0],
  ['eq', compared('==')],
  ['equalto', compared('==')],
  ['==', compared('==')],
  ['escaped', () => false],
  ['even', (value) => remainder(value, 2) === 0],
  ['false', (value) => value === false],
  ['float', (value) => value instanceof Float],
  ['ge', compared('>=')],
  ['>=', compared('>=')],
  ['greaterthan', compared('>')],
  ['gt', compared('>')],
  ['>', compared('>')],
  ['in', (value, { positional: [list] }) => isIn(value, list)],
  ['integer', (value) => typeof value === 'number'],
  ['iterable', (value) => value === undefined || typeof value === 'string' || isList(value) || isDictionary(value)],
  ['le', compared('<=')],
  ['<=', compared('<=')],
  ['lessthan', compared('<')],
  ['lt', compared('<')],
  ['<', compared('<')],
  ['lower', (value) => isCased(value, (text) => text.toLowerCase())],
  ['mapping', (value) => isDictionary(value)],
  ['ne', compared('!=')],
  ['!=', compared('!=')],
  ['none', (value) => value === null],
  ['number', isNumber],
  ['odd', (value) => remainder(value, 2) === 1],
  ['sameas', isSame],
  // Nothing of an undefined value can be asked for, but Python does not look.
  ['sequence', (value) => typeof value === 'string' || isList(value) || isDictionary(value) || value === undefined],
  ['string', (value) => typeof value === 'string'],
  ['true', (value) => value === true],
  ['undefined', (value) => value === undefined],
  ['upper', (value) => isCased(value, (text) => text.toUpperCase())],
]);

function isCased(value: Value, change: (text: string) => string): boolean {
  const text = textOf(value instanceof Namespace ? undefined : value);
  return text === change(text) && text.toLowerCase() !== text.toUpperCase();
}
