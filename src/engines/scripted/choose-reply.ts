/** Which reply of a script answers a request. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import { NO_REPLY_MATCHES, type Script, type ScriptedReply } from '../../core/models/script.js';
import type { Asked } from './asked.js';
import { type Miss, missOf } from './match-reply.js';

/** So many of the nearest replies are named. */
const NAMED = 3;

/** Characters of the last message that a message shows. */
const SHOWN = 200;

/** The replies of a script, and how often each has answered. */
export class Replies {
  readonly all: readonly ScriptedReply[];
  readonly #uses = new Map<ScriptedReply, number>();

  constructor(all: readonly ScriptedReply[]) {
    this.all = all;
  }

  /** The first whose `match` fits, else the first without `match`; those that have answered often enough are passed over. */
  find(asked: Asked): ScriptedReply | undefined {
    const fits = (reply: ScriptedReply): boolean => this.missOf(reply, asked) === undefined;
    return (
      this.all.find((reply) => reply.match !== undefined && fits(reply)) ??
      this.all.find((reply) => reply.match === undefined && fits(reply))
    );
  }

  /** Why a reply does not answer this request; undefined: it may. */
  missOf(reply: ScriptedReply, asked: Asked): Miss | undefined {
    const { match, times } = reply;
    const miss = match === undefined ? undefined : missOf(match, asked);
    if (miss || times === undefined || (this.#uses.get(reply) ?? 0) < times) return miss;
    const name = match === undefined ? 'no `match`' : JSON.stringify(match);
    return { match: name, reason: `has answered ${times === 1 ? 'once' : `${times} times`} already`, nearness: 1 };
  }

  /** Why none of them answers. */
  misses(asked: Asked): Miss[] {
    return this.all.flatMap((reply) => this.missOf(reply, asked) ?? []);
  }

  /** Counts an answer. */
  count(reply: ScriptedReply): void {
    this.#uses.set(reply, (this.#uses.get(reply) ?? 0) + 1);
  }
}

/**
 * What {@link Replies.find} gives; else an empty reply, which ends at once, where the script allows it.
 * @throws InferenceError `invalid_request` where no reply matches and `onUnmatched` is `error`
 */
export function chooseReply(script: Script, replies: Replies, asked: Asked): ScriptedReply {
  const found = replies.find(asked);
  if (found) return found;
  // A script without replies says nothing.
  return replies.all.length === 0 ? {} : emptyReply(script, replies.misses(asked), asked);
}

/** What answers a request that no reply matches. @throws InferenceError as {@link chooseReply} */
export function emptyReply(
  { onUnmatched = 'error', failWith }: Script,
  misses: readonly Miss[],
  asked: Asked,
): ScriptedReply {
  // A script that fails needs no replies.
  if (onUnmatched !== 'empty' && failWith === undefined) {
    const message = describeMiss(misses, asked);
    if (onUnmatched === 'error') throw new InferenceError('invalid_request', message);
    console.warn(message);
  }
  return {};
}

/** The first reply whose text is contained in this one, else the first without `match`. Conditions do not fit. */
export function replyForText(replies: readonly ScriptedReply[], text: string): ScriptedReply | undefined {
  return (
    replies.find(({ match }) => typeof match === 'string' && text.includes(match)) ??
    replies.find(({ match }) => match === undefined)
  );
}

function describeMiss(misses: readonly Miss[], { last }: Asked): string {
  const asked = JSON.stringify(last.length > SHOWN ? `${last.slice(0, SHOWN)}…` : last);
  const nearest = misses
    .toSorted((left, right) => right.nearness - left.nearness)
    .slice(0, NAMED)
    .map(({ match, reason }) => `${match} (${reason})`);
  const nearestReplies = nearest.length === 0 ? 'There are no replies.' : `The nearest: ${nearest.join(', ')}.`;
  return (
    `${NO_REPLY_MATCHES} Its last message is ${asked}. ${nearestReplies} ` +
    "Add a reply without `match` to answer everything else, or set the script's `onUnmatched` to 'warn' or 'empty'."
  );
}
