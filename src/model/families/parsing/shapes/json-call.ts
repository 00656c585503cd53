/** `{"name": …, "arguments": {…}}`. @module */
import type { Tool } from '../../../../core/request/tool.js';
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
  createReader: () => behindHead(LIST_HEAD, createReader(true)),
};

/** What may stand before a call that begins the answer. */
const FENCE = /^(?:```(?:json)?\s*)?(?=\{)/;
const FENCE_BEGINNING = /^(?:`{1,3}|```j?s?o?n?|```(?:json)?\s+)$/;

/** A call without any tag, of a function that the request offers: small models forget tags, and fence JSON. */
export const bareKnownCall: CallShape = {
  begins(text, _final, tools) {
    if (tools.length === 0) return 'no';
    return FENCE.test(text) ? 'yes' : FENCE_BEGINNING.test(text) ? 'more' : 'no';
  },
  createReader: (tools) => behindHead(FENCE, createReader(true, tools)),
};

function behindHead(head: RegExp, reader: CallReader): CallReader {
  return {
    read(text, parts, final) {
      const length = reader.state === 'undecided' ? (head.exec(text)?.[0].length ?? 0) : 0;
      const taken = reader.read(text.slice(length), parts, final);
      return taken === undefined ? undefined : length + taken;
    },
    get state() {
      return reader.state;
    },
  };
}

/** @param known set: only functions of these names are called, and objects with other keys are none */
function createReader(argumentsRequired: boolean, known?: readonly Tool[]): CallReader {
  const reader = createCallObjectReader({
    nameKeys: NAME_KEYS,
    argumentKeys: ARGUMENT_KEYS,
    argumentsRequired,
    ...(known && {
      isName: (name) => known.some((tool) => tool.name === name),
      onlyKeys: [...NAME_KEYS, ...ARGUMENT_KEYS, 'type', 'id'],
    }),
  });
  return {
    read(text, parts) {
      // What was read while undecided is still in the text.
      const before = reader.state === 'undecided' ? reader.raw.length : 0;
      const taken = reader.read(text.slice(before), parts);
      return reader.state === 'undecided' ? undefined : before + taken;
    },
    get state() {
      return reader.state;
    },
  };
}
