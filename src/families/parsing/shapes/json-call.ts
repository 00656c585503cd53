/** `{"name": …, "arguments": {…}}`. @module */
import { createCallObjectReader } from '../call-object.js';
import type { CallReader, CallShape } from '../call-shape.js';

/** Keys under which models write a call's name and its arguments. */
const NAME_KEYS = ['name', 'tool_name', 'function'];
const ARGUMENT_KEYS = ['arguments', 'parameters', 'args'];

/** An object with the name and the arguments, in any order. */
export const jsonCall: CallShape = {
  begins: (text) => (text.startsWith('{') ? 'yes' : 'no'),
  createReader: () => createReader(false),
};

/** What may stand before the first object of a list that begins the answer. */
const LIST_HEAD = /^(?:```(?:json)?\s*)?\[\s*(?=\{)/;
const LIST_BEGINNING = /^(?:`{0,3}|```j?s?o?n?|```(?:json)?\s+|(?:```(?:json)?\s*)?\[\s*)$/;

/** A list of such objects without any tag. Each has arguments, else it is no call. */
export const bareJsonCalls: CallShape = {
  begins: (text) => (LIST_HEAD.test(text) ? 'yes' : LIST_BEGINNING.test(text) ? 'more' : 'no'),
  createReader() {
    const reader = createReader(true);
    return {
      read(text, parts, final) {
        const head = reader.state === 'undecided' ? (LIST_HEAD.exec(text)?.[0].length ?? 0) : 0;
        const taken = reader.read(text.slice(head), parts, final);
        return taken === undefined ? undefined : head + taken;
      },
      get state() {
        return reader.state;
      },
    };
  },
};

function createReader(argumentsRequired: boolean): CallReader {
  const reader = createCallObjectReader({ nameKeys: NAME_KEYS, argumentKeys: ARGUMENT_KEYS, argumentsRequired });
  return {
    read(text, parts) {
      // What was read while undecided is still in the text.
      const known = reader.state === 'undecided' ? reader.raw.length : 0;
      const taken = reader.read(text.slice(known), parts);
      return reader.state === 'undecided' ? undefined : known + taken;
    },
    get state() {
      return reader.state;
    },
  };
}
