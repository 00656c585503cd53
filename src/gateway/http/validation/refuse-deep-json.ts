/** The depth of JSON that clients send, checked before anything parses it. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';

/** Deeper nesting than any request needs; beyond it, recursive readers further down would run out of stack. */
const MAX_DEPTH = 200;

/**
 * @param param dotted path of the field that holds the JSON text; absent: it is the body
 * @throws InferenceError `invalid_request` for JSON that is nested too deeply
 */
export function refuseDeepJson(json: string, param?: string): void {
  if (!isDeeperThan(json, MAX_DEPTH)) return;
  const subject = param === undefined ? 'The request body' : `\`${param}\``;
  const message = `${subject} is nested more than ${MAX_DEPTH} levels deep.`;
  throw new InferenceError('invalid_request', message, param === undefined ? {} : { param });
}

/** Looks at brackets outside strings, without building anything. */
function isDeeperThan(json: string, limit: number): boolean {
  let depth = 0;
  for (let index = 0; index < json.length; index += 1) {
    const character = json[index];
    if (character === '"') index = endOfString(json, index);
    else if (character === '{' || character === '[') {
      depth += 1;
      if (depth > limit) return true;
    } else if (character === '}' || character === ']') depth -= 1;
  }
  return false;
}

/** Index of the quote that ends the string starting at `start` (or the end of the text). */
function endOfString(json: string, start: number): number {
  for (let index = json.indexOf('"', start + 1); index !== -1; index = json.indexOf('"', index + 1)) {
    let backslashes = 0;
    while (json[index - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return index;
  }
  return json.length;
}
