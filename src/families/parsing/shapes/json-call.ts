/** `{"name": …, "arguments": {…}}`. @module */
import { createCallObjectReader } from '../call-object.js';
import type { CallShape } from '../call-shape.js';

/** Keys under which models write a call's name and its arguments. */
const NAME_KEYS = ['name', 'tool_name', 'function'];
const ARGUMENT_KEYS = ['arguments', 'parameters', 'args'];

/** An object with the name and the arguments, in any order. */
export const jsonCall: CallShape = {
  begins: (text) => (text.startsWith('{') ? 'yes' : 'no'),
  createReader() {
    const reader = createCallObjectReader({
      nameKeys: NAME_KEYS,
      argumentKeys: ARGUMENT_KEYS,
      argumentsRequired: false,
    });
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
  },
};
