/** Responses that are made in a conversation: one after the other, and each adds what it read and made. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { HttpContext } from '../endpoint/http-context.js';
import { RequestFiles } from '../fields/file-text.js';
import { RequestImages } from '../fields/request-images.js';
import { holdLock } from './hold-lock.js';
import { type StoredInput, storingBeforeEnd, storeResponse } from './store-response.js';
import type { ReadBody } from './read-body.js';
import type { ResponseEvent } from './response-object.js';

/** One response, and its conversation. */
export interface Turn extends StoredInput {
  /** Its id. */
  response: string;
  /** What was read of it before its turn came. */
  read: ReadBody;
  isStored: boolean;
  signal: AbortSignal;
  /** Whose images are remembered. */
  partition: string | undefined;
  createId: (prefix: string) => string;
}

/**
 * Waits for its turn, reads what the conversation holds then, and adds to it when the answer ends well. Who holds the
 * conversation in a tab that ends lets go of it.
 * @param generate begins the answer
 * @throws InferenceError also where the conversation was removed meanwhile
 */
export async function* inConversation(
  turn: Turn,
  generate: (read: ReadBody) => AsyncIterable<readonly ResponseEvent[]>,
  context: HttpContext,
): AsyncGenerator<readonly ResponseEvent[], void, undefined> {
  const id = turn.read.conversation?.id;
  if (id === undefined) throw new InferenceError('internal', 'The response has no conversation.');
  const release = await holdLock(`inpage:conversation:${id}`, turn.signal, context.requestTimeout);
  try {
    const read = await readLatest(turn, id, context);
    yield* storingBeforeEnd(generate(read), async (response) => {
      const state = await context.responses?.();
      const items = [...turn.input, ...response.output.map((item) => ({ ...item }))];
      const addition = { items, response: response.id, createId: () => turn.createId('item') };
      const added = await state?.conversations.add(turn.owner, id, addition);
      if (!added || added === 'too-large') {
        response.conversation = null;
        response.store = false;
        return;
      }
      context.recentItems.forget(turn.caller, response.output);
      if (turn.isStored) {
        const own = added.slice(0, turn.input.length).map((item) => item.id);
        const conversation = { id, read: [...(read.conversation?.ids ?? []), ...own] };
        await storeResponse(response, { owner: turn.owner, caller: turn.caller, input: [], conversation }, context);
      }
    });
  } finally {
    release();
  }
}

/** The body with what the conversation holds now. */
async function readLatest(turn: Turn, id: string, context: HttpContext): Promise<ReadBody> {
  const { read, owner, response, signal, partition } = turn;
  const state = await context.responses?.();
  const now = await state?.conversations.itemsOf(owner, id, response);
  if (now && now.revision === read.conversation?.revision) return read;
  const images = new RequestImages(new RequestFiles(context, partition));
  const latest = await read.again(response, images);
  await images.files.readAll();
  await images.decodeAll(context.inference.takesImages(latest.request.model), signal, partition);
  return latest;
}
