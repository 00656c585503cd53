/** Arguments of a call as an object, also when the token cap cut them. @module */
import { mendBeginning } from '../../../core/json/mend-json.js';

/**
 * The parsed object; of a cut text, the object that its complete members and elements make. Anything that is not the
 * beginning of an object gives `{}`.
 * @example completeObject('{"city":"Paris","unit":"cel') // { city: 'Paris' }
 */
export function completeObject(json: string): Record<string, unknown> {
  return readObject(json) ?? readObject(lastCompletePrefix(mendBeginning(json))) ?? {};
}

/** Undefined: the text is no object. */
export function readObject(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** The text up to the last bracket or comma outside strings, with every open bracket closed. */
function lastCompletePrefix(json: string): string {
  const closers: string[] = [];
  let prefix = '';
  let inString = false;
  for (let index = 0; index < json.length; index += 1) {
    const character = json[index];
    if (inString) {
      if (character === '\\') index += 1;
      else if (character === '"') inString = false;
      continue;
    }
    if (character === '"') inString = true;
    else if (character === '{' || character === '[') closers.unshift(character === '{' ? '}' : ']');
    else if (character === '}' || character === ']') closers.shift();
    else if (character !== ',') continue;
    if (!inString) prefix = json.slice(0, character === ',' ? index : index + 1) + closers.join('');
  }
  return prefix;
}
