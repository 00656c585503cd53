/** The name, perhaps something between, and the arguments as JSON: `name[ARGS]{…}`. @module */
import type { ChannelPart } from '../../../../core/events/channel-part.js';
import type { CallReader, CallShape } from '../call-shape.js';
import { createJsonExtent } from '../json-extent.js';
import { type HeadPart, matchHead } from '../match-head.js';

/** @param head everything before the opening brace; its first word is the name */
export function namedCall(head: readonly HeadPart[]): CallShape {
  const whole: readonly HeadPart[] = [...head, { type: 'blanks' }, { type: 'text', options: ['{'] }];
  return {
    begins(text, final) {
      const found = matchHead(text, whole, final);
      return typeof found === 'string' ? found : 'yes';
    },
    createReader: () => createNamedReader(whole),
  };
}

function createNamedReader(head: readonly HeadPart[]): CallReader {
  const extent = createJsonExtent();
  let state: CallReader['state'] = 'undecided';

  const takeArguments = (text: string, parts: ChannelPart[]): number => {
    const taken = extent.take(text);
    if (taken > 0) parts.push({ type: 'tool-call-arguments', text: text.slice(0, taken) });
    if (extent.ended) {
      parts.push({ type: 'tool-call-end' });
      state = 'done';
    }
    return taken;
  };

  return {
    read(text, parts, final) {
      if (state === 'called') return takeArguments(text, parts);
      const found = matchHead(text, head, final);
      if (found === 'more') return undefined;
      if (found === 'no') {
        state = 'invalid';
        return undefined;
      }
      parts.push({ type: 'tool-call-start', name: found.words[0]! });
      state = 'called';
      // The brace that ends the head begins the arguments.
      const before = found.length - 1;
      return before + takeArguments(text.slice(before), parts);
    },
    get state() {
      return state;
    },
  };
}
