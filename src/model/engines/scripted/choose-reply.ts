/** Which reply of a script answers a request. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { Script, ScriptedReply } from '../../../core/models/script.js';

/** So many of the most similar replies are named. */
const NAMED = 3;
/** Characters of a `match` that a message shows. */
const SHOWN = 60;

/**
 * The first reply whose `match` is contained in the text; else the first without `match`; else an empty reply, which ends
 * at once, where the script allows it.
 * @param asked of the last message, whatever its role; of a raw prompt the whole, as the model reads it
 * @throws InferenceError `invalid_request` where no reply matches and `onUnmatched` is `error`
 */
export function chooseReply({ replies, onUnmatched = 'error', failWith }: Script, asked: string): ScriptedReply {
  const found = findReply(replies, asked);
  if (found) return found;
  // A script that fails needs no replies, and one without replies says nothing.
  if (replies.length > 0 && onUnmatched !== 'empty' && failWith === undefined) {
    const message = describeMiss(replies, asked);
    if (onUnmatched === 'error') throw new InferenceError('invalid_request', message);
    console.warn(message);
  }
  return {};
}

/** The first whose `match` is contained in the text, else the first without `match`. */
export function findReply(replies: readonly ScriptedReply[], asked: string): ScriptedReply | undefined {
  return (
    replies.find(({ match }) => match !== undefined && asked.includes(match)) ??
    replies.find(({ match }) => match === undefined)
  );
}

function describeMiss(replies: readonly ScriptedReply[], message: string): string {
  const wanted = trigrams(message);
  const similar = replies
    .flatMap(({ match }) => (match === undefined ? [] : [{ match, share: shareOf(trigrams(match), wanted) }]))
    .toSorted((left, right) => right.share - left.share)
    .slice(0, NAMED)
    .map(({ match }) => JSON.stringify(match.length > SHOWN ? `${match.slice(0, SHOWN)}…` : match));
  return (
    `No reply of the script matches the last message. The most similar \`match\`: ${similar.join(', ')}. ` +
    "Add a reply without `match` to answer everything else, or set the script's `onUnmatched` to 'warn' or 'empty'."
  );
}

/** All runs of three characters, in lower case: what two texts share says how similar they are. */
function trigrams(text: string): Set<string> {
  const lower = ` ${text.toLowerCase()} `;
  return new Set(Array.from({ length: lower.length - 2 }, (_, at) => lower.slice(at, at + 3)));
}

/** From 0 to 1. */
function shareOf(part: ReadonlySet<string>, whole: ReadonlySet<string>): number {
  return [...part].filter((run) => whole.has(run)).length / part.size;
}
