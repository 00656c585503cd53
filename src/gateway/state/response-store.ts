/** Responses that clients may name in later requests. Bodies and items are JSON that nothing here looks into. @module */
import type { StoredResponses } from '../../core/models/stored-model.js';
import { ConversationStore } from './conversation-store.js';
import {
  addHome,
  bytesOf,
  type Chain,
  type ConversationRecord,
  deleteResponse,
  homesOf,
  nameOf,
  read,
  readConversationItems,
  type ResponseRecord,
  type StoredItem,
} from './records.js';
import { Room } from './room.js';
import type { Tables, Transaction } from './tables.js';

/** A response and what was sent for it. */
export interface KeptResponse {
  /** What was answered. */
  body: ResponseRecord['body'];
  /** The request's own items, without those of the responses before it; none where they are in a conversation. */
  input: readonly StoredItem[];
  /** Id of the response that it follows. */
  previous?: string | undefined;
  /** See {@link ResponseRecord}. */
  conversation?: ResponseRecord['conversation'];
}

/** What responses read before a new one. */
export interface History {
  /** In order: what each response was sent, and what it answered. */
  items: StoredItem[];
  /** False: a response of the chain, or the conversation that it was made in, was removed or forgotten. */
  complete: boolean;
}

export interface ResponseStoreOptions {
  /** Most bytes of everything together, as JSON in UTF-16. */
  maxBytes: number;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Services of other names have responses of their own. */
  service: string;
}

/** See the module. Ids are a caller's own: those of another caller are unknown. */
export class ResponseStore {
  /** The conversations of the same callers. */
  readonly conversations: ConversationStore;
  readonly #tables: Tables;
  readonly #room: Room;
  readonly #ownerOf: (caller: string) => string;

  constructor(tables: Tables, { maxBytes, now, service }: ResponseStoreOptions) {
    this.#tables = tables;
    this.#room = new Room({ maxBytes, now });
    this.#ownerOf = (caller) => `${service} ${caller}`;
    this.conversations = new ConversationStore(tables, this.#room, this.#ownerOf);
  }

  /**
   * Keeps a response; the least recently used make room for it. Keeping it again changes nothing.
   * @returns false: it is larger than everything may be together, or follows one that is not kept any more
   */
  keep(caller: string, { body, input, previous, conversation }: KeptResponse): Promise<boolean> {
    const bytes = bytesOf([body, input, conversation?.read]);
    const owner = this.#ownerOf(caller);
    const name = nameOf(owner, body.id);
    return this.#tables.update(async (transaction) => {
      if (await transaction.get('responses', name)) return true;
      const before =
        previous === undefined
          ? undefined
          : await read<ResponseRecord>(transaction, 'responses', nameOf(owner, previous));
      if (previous !== undefined && !before) return false;
      const root = before?.root ?? body.id;
      const chain = (await read<Chain>(transaction, 'chains', nameOf(owner, root))) ?? {
        used: 0,
        bytes: 0,
        members: {},
      };
      if (chain.bytes + bytes > this.#room.maxBytes) return false;
      transaction.put('responses', name, { root, body, input, conversation } satisfies ResponseRecord);
      for (const { id } of [...input, ...body.output]) await addHome(transaction, nameOf(owner, id), body.id);
      const members = { ...chain.members, [body.id]: { previous, bytes } };
      const grown = { used: this.#room.now(), bytes: chain.bytes + bytes, members };
      transaction.put('chains', nameOf(owner, root), grown satisfies Chain);
      await this.#room.take(transaction, bytes, { table: 'chains', name: nameOf(owner, root) });
      return true;
    });
  }

  /** What was answered. */
  find(caller: string, id: string): Promise<KeptResponse['body'] | undefined> {
    const owner = this.#ownerOf(caller);
    return this.#tables.update(async (transaction) => {
      const found = await this.#use(transaction, owner, id);
      return found?.response.body;
    });
  }

  /** What a response was sent, after all that it follows; undefined: there is no such response. */
  inputOf(caller: string, id: string): Promise<History | undefined> {
    const owner = this.#ownerOf(caller);
    return this.#tables.update(async (transaction) => {
      const found = await this.#use(transaction, owner, id);
      if (!found) return undefined;
      const before = await this.#readBack(transaction, owner, found.chain.members[id]?.previous, found.chain);
      const own = await readInput(transaction, owner, found.response);
      return { items: [...before.items, ...own.items], complete: before.complete && own.complete };
    });
  }

  /** The same with what it answered: what a response that follows it reads. */
  historyOf(caller: string, id: string): Promise<History | undefined> {
    const owner = this.#ownerOf(caller);
    return this.#tables.update(async (transaction) => {
      const found = await this.#use(transaction, owner, id);
      return found && this.#readBack(transaction, owner, id, found.chain);
    });
  }

  /** An item of any response or conversation. */
  findItem(caller: string, id: string): Promise<StoredItem | undefined> {
    const owner = this.#ownerOf(caller);
    return this.#tables.update(async (transaction) => {
      for (const home of (await homesOf(transaction, nameOf(owner, id))).toReversed()) {
        const conversation = await read<ConversationRecord>(transaction, 'conversations', nameOf(owner, home));
        const isThere = conversation !== undefined && !this.#room.isOld(conversation);
        if (isThere) return read<StoredItem>(transaction, 'conversationItems', nameOf(owner, home, id));
        const found = await this.#use(transaction, owner, home);
        const item = found && [...found.response.body.output, ...found.response.input].find((each) => each.id === id);
        if (item) return item;
      }
      return undefined;
    });
  }

  /** @returns what was removed; undefined: there was none */
  remove(caller: string, id: string): Promise<KeptResponse['body'] | undefined> {
    const owner = this.#ownerOf(caller);
    return this.#tables.update(async (transaction) => {
      const response = await read<ResponseRecord>(transaction, 'responses', nameOf(owner, id));
      if (!response) return undefined;
      const chainName = nameOf(owner, response.root);
      const chain = await read<Chain>(transaction, 'chains', chainName);
      await deleteResponse(transaction, owner, response);
      const bytes = chain?.members[id]?.bytes ?? 0;
      await this.#room.giveBack(transaction, bytes);
      if (!chain) return response.body;
      const members = { ...chain.members, [id]: { ...chain.members[id], bytes: 0 } };
      const isEmpty = Object.values(members).every((member) => member.bytes === 0);
      if (isEmpty) transaction.delete('chains', chainName);
      else transaction.put('chains', chainName, { ...chain, bytes: chain.bytes - bytes, members } satisfies Chain);
      return response.body;
    });
  }

  usage(): Promise<StoredResponses> {
    return this.#tables.update(async (transaction) => {
      const chains = (await transaction.all('chains')) as [string, Chain][];
      const conversations = (await transaction.all('conversations')) as [string, ConversationRecord][];
      const members = chains.flatMap(([, chain]) => Object.values(chain.members));
      const bytes = [...chains, ...conversations].reduce((sum, [, kept]) => sum + kept.bytes, 0);
      const responses = members.filter((member) => member.bytes > 0).length;
      return { responses, conversations: conversations.length, bytes };
    });
  }

  /** Removes everything, of all callers. */
  clear(): Promise<void> {
    return this.#tables.clear();
  }

  /** Undefined: unknown, or not used for too long. */
  async #use(
    transaction: Transaction,
    owner: string,
    id: string,
  ): Promise<{ response: ResponseRecord; chain: Chain } | undefined> {
    const response = await read<ResponseRecord>(transaction, 'responses', nameOf(owner, id));
    const chain = response && (await read<Chain>(transaction, 'chains', nameOf(owner, response.root)));
    if (!response || !chain || this.#room.isOld(chain)) return undefined;
    const used = { ...chain, used: this.#room.now() };
    transaction.put('chains', nameOf(owner, response.root), used);
    return { response, chain: used };
  }

  /** @param last id of the last response that is read */
  async #readBack(
    transaction: Transaction,
    owner: string,
    last: string | undefined,
    { members }: Chain,
  ): Promise<History> {
    const parts: StoredItem[][] = [];
    let complete = true;
    for (let id = last; id !== undefined; id = members[id]?.previous) {
      const response = await read<ResponseRecord>(transaction, 'responses', nameOf(owner, id));
      const input = response && (await readInput(transaction, owner, response));
      if (response && input) parts.push([...input.items, ...response.body.output]);
      complete &&= input?.complete ?? false;
    }
    return { items: parts.toReversed().flat(), complete };
  }
}

/** The own items of a response, after those that it read in its conversation. What was removed there is missing. */
async function readInput(
  transaction: Transaction,
  owner: string,
  { input, conversation }: ResponseRecord,
): Promise<History> {
  if (!conversation) return { items: [...input], complete: true };
  const { id, read: ids } = conversation;
  const items = await readConversationItems(transaction, owner, { conversation: id, ids });
  const complete = (await transaction.get('conversations', nameOf(owner, id))) !== undefined;
  return { items, complete };
}
