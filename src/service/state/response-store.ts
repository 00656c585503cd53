/** Responses that clients may name in later requests. Bodies and items are JSON that nothing here looks into. @module */
import type { StoredResponses } from '../../core/models/stored-model.js';
import type { BackgroundRun } from './background-run.js';
import { ConversationStore } from './conversation-store.js';
import {
  bytesOf,
  type Chain,
  type ConversationRecord,
  nameOf,
  read,
  readConversationItem,
  readConversationItems,
  type ResponseRecord,
  type StoredItem,
} from './records.js';
import { Room } from './room.js';
import type { Tables, Transaction } from './tables.js';

/** A response and what was sent for it. */
export interface StoredResponse {
  /** What was answered. */
  body: ResponseRecord['body'];
  /** The request's own items, without those of the responses before it; none where they are in a conversation. */
  input: readonly StoredItem[];
  /** Id of the response that it follows. */
  previous?: string | undefined;
  /** See {@link ResponseRecord}. */
  conversation?: ResponseRecord['conversation'];
  /** It is on its way. */
  job?: ResponseRecord['job'];
}

/** What responses read before a new one. */
export interface History {
  /** In order: what each response was sent, and what it answered. */
  items: StoredItem[];
  /** False: a response of the chain, or the conversation that it was made in, was removed or forgotten. */
  complete: boolean;
  /** The last response is on its way: what it answers is not known. */
  pending?: boolean;
}

export interface ResponseStoreOptions {
  /** Most bytes of everything together, as JSON in UTF-16. */
  maxBytes: number;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Services of other names have responses of their own. */
  service: string;
  /** Keys that each have a share of it. @default all callers share */
  shares?: number | undefined;
}

/** Milliseconds for which the events of a response that was made in the background are stored after its end. */
const LATE_EVENTS_MS = 5 * 60 * 1000 + 10_000;

/** See the module. Ids are a caller's own: those of another caller are unknown. */
export class ResponseStore {
  /** The conversations of the same callers. */
  readonly conversations: ConversationStore;
  readonly #runs = new Map<string, BackgroundRun>();
  readonly #tables: Tables;
  readonly #room: Room;
  readonly #ownerOf: (caller: string) => string;

  constructor(tables: Tables, { maxBytes, now, service, shares }: ResponseStoreOptions) {
    this.#tables = tables;
    this.#room = new Room({ maxBytes, now, shares });
    this.#ownerOf = (caller) => `${service} ${caller}`;
    this.conversations = new ConversationStore(tables, this.#room, this.#ownerOf);
  }

  /**
   * Keeps a response; the least recently used make room for it. Keeping it again changes nothing, unless it was on its way.
   * @returns false: it is larger than its caller's share, while others need theirs, or than everything may be together, or follows one that is not stored any more
   */
  save(caller: string, { body, input, previous, conversation, job }: StoredResponse): Promise<boolean> {
    const bytes = bytesOf([body, input, conversation?.read, job]);
    const owner = this.#ownerOf(caller);
    const name = nameOf(owner, body.id);
    return this.#tables.update(async (transaction) => {
      const responseOf = (id: string): Promise<ResponseRecord | undefined> =>
        read<ResponseRecord>(transaction, 'responses', nameOf(owner, id));
      const chainOf = (id: string): Promise<Chain | undefined> => read<Chain>(transaction, 'chains', nameOf(owner, id));
      const follows = previous !== undefined;
      // All at once: each wait for the browser's process costs as much as several reads.
      const [sum, before, made, begun] = await Promise.all([
        this.#room.sum(transaction),
        follows ? responseOf(previous) : undefined,
        follows ? responseOf(body.id) : undefined,
        follows ? undefined : chainOf(body.id),
      ]);
      // One that follows none has begun a chain of its name: where there is none, it is not known.
      const known = begun ? await responseOf(body.id) : made;
      if (known && !known.job) return true;
      if (known) await this.#delete(transaction, owner, known);
      if (follows && !before) return false;
      const root = before?.root ?? body.id;
      const chain = known || follows ? await chainOf(root) : begun;
      const total = (chain?.bytes ?? 0) + bytes;
      if (total > this.#room.maxBytes) return false;
      const itemNames = [...input, ...body.output].map(({ id }) => nameOf(owner, id));
      const record: ResponseRecord = { root, body, input, conversation, job, itemNames };
      transaction.put('responses', name, record);
      const members = { ...chain?.members, [body.id]: { previous, bytes, isPending: job !== undefined } };
      const grown = { used: this.#room.now(), bytes: total, members };
      transaction.put('chains', nameOf(owner, root), grown satisfies Chain);
      const stays = { table: 'chains', name: nameOf(owner, root) } as const;
      return this.#room.take(transaction, bytes, stays, known ? undefined : sum);
    });
  }

  /** What is stored of a response. */
  findStored(caller: string, id: string): Promise<StoredResponse | undefined> {
    const owner = this.#ownerOf(caller);
    return this.#tables.update(async (transaction) => {
      const found = await this.#use(transaction, owner, id);
      return found && { ...found.response, previous: found.chain.members[id]?.previous };
    });
  }

  /** What was answered. */
  find(caller: string, id: string): Promise<StoredResponse['body'] | undefined> {
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
      if (!found) return undefined;
      const history = await this.#readBack(transaction, owner, id, found.chain);
      return { ...history, pending: found.response.job !== undefined };
    });
  }

  /** Items of any responses and conversations. Those that are not known are missing. */
  findItems(caller: string, ids: readonly string[]): Promise<StoredItem[]> {
    const owner = this.#ownerOf(caller);
    return this.#tables.update(async (transaction) => {
      const found = await Promise.all([...new Set(ids)].map((id) => this.#findItem(transaction, owner, id)));
      return found.filter((item) => item !== undefined);
    });
  }

  /** @returns what was removed; undefined: there was none */
  remove(caller: string, id: string): Promise<StoredResponse['body'] | undefined> {
    const owner = this.#ownerOf(caller);
    return this.#tables.update(async (transaction) => {
      const response = await read<ResponseRecord>(transaction, 'responses', nameOf(owner, id));
      if (!response) return undefined;
      await this.#delete(transaction, owner, response);
      return response.body;
    });
  }

  /** Of all callers, without what was not used for too long. */
  usage(): Promise<StoredResponses> {
    return this.#tables.update(async (transaction) => {
      await this.#room.tidy(transaction);
      const chains = await readChains(transaction);
      const named = (await transaction.all('conversations')) as [string, ConversationRecord][];
      const conversations = named.map(([, record]) => record);
      const members = chains.flatMap((chain) => Object.values(chain.members));
      const bytes = [...chains, ...conversations].reduce((sum, stored) => sum + stored.bytes, 0);
      const responses = members.filter((member) => member.bytes > 0).length;
      return { responses, conversations: conversations.length, bytes };
    });
  }

  /** Ids of those that are on their way, of all callers and services. */
  pending(): Promise<string[]> {
    return this.#tables.update(async (transaction) => {
      const members = (await readChains(transaction)).flatMap((chain) => Object.entries(chain.members));
      return members.filter(([, { isPending }]) => isPending).map(([id]) => id);
    });
  }

  /** Removes everything, of all callers; what is on its way is ended first. */
  async clear(): Promise<void> {
    await Promise.all([...this.#runs.values()].map((run) => run.stop()));
    this.#runs.clear();
    await this.#tables.clear();
  }

  /** What is made in the background by this engine, or was lately. */
  runOf(caller: string, id: string): BackgroundRun | undefined {
    return this.#runs.get(nameOf(this.#ownerOf(caller), id));
  }

  /** Makes it known until it has been over for a while. */
  addRun(caller: string, id: string, run: BackgroundRun): void {
    const name = nameOf(this.#ownerOf(caller), id);
    this.#runs.set(name, run);
    void run.done.then(() => {
      const forget = (): void => void (this.#runs.get(name) === run && this.#runs.delete(name));
      const timer: unknown = setTimeout(forget, LATE_EVENTS_MS);
      // Node would not end before.
      if (typeof timer === 'object') (timer as { unref(): void }).unref();
    });
  }

  async #delete(transaction: Transaction, owner: string, response: ResponseRecord): Promise<void> {
    const { id } = response.body;
    const chainName = nameOf(owner, response.root);
    const chain = await read<Chain>(transaction, 'chains', chainName);
    transaction.delete('responses', nameOf(owner, id));
    const bytes = chain?.members[id]?.bytes ?? 0;
    await this.#room.giveBack(transaction, bytes);
    if (!chain) return;
    const members = { ...chain.members, [id]: { previous: chain.members[id]?.previous, bytes: 0 } };
    const isEmpty = Object.values(members).every((member) => member.bytes === 0);
    if (isEmpty) transaction.delete('chains', chainName);
    else transaction.put('chains', chainName, { ...chain, bytes: chain.bytes - bytes, members } satisfies Chain);
  }

  async #findItem(transaction: Transaction, owner: string, id: string): Promise<StoredItem | undefined> {
    const [inConversations, inResponses] = await Promise.all([
      transaction.holders('conversationItems', nameOf(owner, id)),
      transaction.holders('responses', nameOf(owner, id)),
    ]);
    for (const name of inConversations) {
      const conversationName = name.slice(0, -` ${id}`.length);
      const conversation = await read<ConversationRecord>(transaction, 'conversations', conversationName);
      if (conversation && !this.#room.isOld(conversation)) return readConversationItem(transaction, name);
    }
    for (const name of inResponses) {
      const found = await this.#use(transaction, owner, name.slice(`${owner} `.length));
      const item = found && [...found.response.body.output, ...found.response.input].find((each) => each.id === id);
      if (item) return item;
    }
    return undefined;
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
    const ids: string[] = [];
    for (let id = last; id !== undefined; id = members[id]?.previous) ids.push(id);
    const parts = await Promise.all(
      ids.toReversed().map(async (id) => {
        const response = await read<ResponseRecord>(transaction, 'responses', nameOf(owner, id));
        if (!response) return { items: [], complete: false };
        const input = await readInput(transaction, owner, response);
        return { items: [...input.items, ...response.body.output], complete: input.complete };
      }),
    );
    return { items: parts.flatMap(({ items }) => items), complete: parts.every(({ complete }) => complete) };
  }
}

async function readChains(transaction: Transaction): Promise<Chain[]> {
  return ((await transaction.all('chains')) as [string, Chain][]).map(([, chain]) => chain);
}

/** The own items of a response, after those that it read in its conversation. What was removed there is missing. */
async function readInput(
  transaction: Transaction,
  owner: string,
  { input, conversation }: ResponseRecord,
): Promise<History> {
  if (!conversation) return { items: [...input], complete: true };
  const { id, read: ids } = conversation;
  const inside = await readConversationItems(transaction, owner, { conversation: id, ids });
  const items = [...inside, ...input];
  const complete = (await transaction.get('conversations', nameOf(owner, id))) !== undefined;
  return { items, complete };
}
