/** Responses that clients may name in later requests. Bodies and items are JSON that nothing here looks into. @module */
import type { StoredResponses } from '../../core/models/stored-model.js';
import type { Tables, Transaction } from './tables.js';

/** An item of a conversation. */
export type StoredItem = Readonly<Record<string, unknown>> & { readonly id: string };

/** A response and what was sent for it. */
export interface KeptResponse {
  /** What was answered. */
  body: { readonly id: string; readonly output: readonly StoredItem[] };
  /** The request's own items, without those of the responses before it. */
  input: readonly StoredItem[];
  /** Id of the response that it follows. */
  previous?: string | undefined;
}

/** What responses read before a new one. */
export interface History {
  /** In order: what each response was sent, and what it answered. */
  items: StoredItem[];
  /** False: a response of the chain was removed or forgotten. */
  complete: boolean;
}

export interface ResponseStoreOptions {
  /** Most bytes of all responses together, as JSON in UTF-16. */
  maxBytes: number;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Services of other names have responses of their own. */
  service: string;
}

interface StoredResponse {
  /** First response of its chain. */
  root: string;
  body: KeptResponse['body'];
  input: readonly StoredItem[];
}

/** Responses that follow each other, branches included. They are used, and forgotten, as one. */
interface Chain {
  /** Milliseconds since 1970. */
  used: number;
  bytes: number;
  /** By id; `bytes` of one that was removed is 0. */
  members: Record<string, { previous?: string | undefined; bytes: number }>;
}

/** What was not used for so long is forgotten. */
const MAX_AGE_MS = 30 * 24 * 3600 * 1000;

/** Milliseconds between two looks for what is too old. */
const SWEEP_MS = 3600 * 1000;

/** See the module. Ids are a caller's own: those of another caller are unknown. */
export class ResponseStore {
  readonly #tables: Tables;
  readonly #maxBytes: number;
  readonly #now: () => number;
  readonly #service: string;
  #swept = -Infinity;

  constructor(tables: Tables, { maxBytes, now, service }: ResponseStoreOptions) {
    this.#tables = tables;
    this.#maxBytes = maxBytes;
    this.#now = now;
    this.#service = service;
  }

  /**
   * Keeps a response; the least recently used make room for it. Keeping it again changes nothing.
   * @returns false: it is larger than everything may be together, or follows one that is not kept any more
   */
  keep(caller: string, { body, input, previous }: KeptResponse): Promise<boolean> {
    const bytes = bytesOf([body, input]);
    const owner = this.#ownerOf(caller);
    const name = nameOf(owner, body.id);
    return this.#tables.update(async (transaction) => {
      if (await transaction.get('responses', name)) return true;
      const before = previous === undefined ? undefined : await readResponse(transaction, nameOf(owner, previous));
      if (previous !== undefined && !before) return false;
      const root = before?.root ?? body.id;
      const chain = (await readChain(transaction, nameOf(owner, root))) ?? { used: 0, bytes: 0, members: {} };
      if (chain.bytes + bytes > this.#maxBytes) return false;
      const stored: StoredResponse = { root, body, input };
      transaction.put('responses', name, stored);
      for (const { id } of [...input, ...body.output]) transaction.put('items', nameOf(owner, id), body.id);
      const members = { ...chain.members, [body.id]: { previous, bytes } };
      const grown = { used: this.#now(), bytes: chain.bytes + bytes, members };
      transaction.put('chains', nameOf(owner, root), grown satisfies Chain);
      await addToSum(transaction, bytes);
      await this.#makeRoom(transaction, nameOf(owner, root));
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
      return { items: [...before.items, ...found.response.input], complete: before.complete };
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

  /** An item of any response. */
  findItem(caller: string, id: string): Promise<StoredItem | undefined> {
    const owner = this.#ownerOf(caller);
    return this.#tables.update(async (transaction) => {
      const response = await transaction.get('items', nameOf(owner, id));
      const found = typeof response === 'string' ? await this.#use(transaction, owner, response) : undefined;
      return found && [...found.response.body.output, ...found.response.input].find((item) => item.id === id);
    });
  }

  /** @returns what was removed; undefined: there was none */
  remove(caller: string, id: string): Promise<KeptResponse['body'] | undefined> {
    const owner = this.#ownerOf(caller);
    return this.#tables.update(async (transaction) => {
      const response = await readResponse(transaction, nameOf(owner, id));
      if (!response) return undefined;
      const chainName = nameOf(owner, response.root);
      const chain = await readChain(transaction, chainName);
      deleteResponse(transaction, owner, response);
      const bytes = chain?.members[id]?.bytes ?? 0;
      await addToSum(transaction, -bytes);
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
      const members = chains.flatMap(([, chain]) => Object.values(chain.members));
      const bytes = members.reduce((sum, member) => sum + member.bytes, 0);
      return { responses: members.filter((member) => member.bytes > 0).length, conversations: 0, bytes };
    });
  }

  /** Removes everything, of all callers. */
  clear(): Promise<void> {
    return this.#tables.clear();
  }

  #ownerOf(caller: string): string {
    return `${this.#service} ${caller}`;
  }

  /** Undefined: unknown, or not used for too long. */
  async #use(
    transaction: Transaction,
    owner: string,
    id: string,
  ): Promise<{ response: StoredResponse; chain: Chain } | undefined> {
    const response = await readResponse(transaction, nameOf(owner, id));
    const chain = response && (await readChain(transaction, nameOf(owner, response.root)));
    if (!response || !chain || chain.used < this.#now() - MAX_AGE_MS) return undefined;
    const used = { ...chain, used: this.#now() };
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
      const response = await readResponse(transaction, nameOf(owner, id));
      if (response) parts.push([...response.input, ...response.body.output]);
      else complete = false;
    }
    return { items: parts.toReversed().flat(), complete };
  }

  /** @param kept name of the chain that stays */
  async #makeRoom(transaction: Transaction, kept: string): Promise<void> {
    const sum = Number((await transaction.get('sums', 'bytes')) ?? 0);
    const isDue = this.#now() - this.#swept > SWEEP_MS;
    if (sum <= this.#maxBytes && !isDue) return;
    this.#swept = this.#now();
    const chains = (await transaction.all('chains')) as [string, Chain][];
    let left = chains.reduce((total, [, chain]) => total + chain.bytes, 0);
    for (const [name, chain] of chains.toSorted(([, a], [, b]) => a.used - b.used)) {
      const isOld = chain.used < this.#now() - MAX_AGE_MS;
      if (name === kept || (left <= this.#maxBytes && !isOld)) continue;
      left -= chain.bytes;
      const owner = name.slice(0, name.lastIndexOf(' '));
      for (const id of Object.keys(chain.members)) {
        const response = await readResponse(transaction, nameOf(owner, id));
        if (response) deleteResponse(transaction, owner, response);
      }
      transaction.delete('chains', name);
    }
    transaction.put('sums', 'bytes', left);
  }
}

/** Ids have no blanks. */
function nameOf(owner: string, id: string): string {
  return `${owner} ${id}`;
}

function bytesOf(value: unknown): number {
  return 2 * JSON.stringify(value).length;
}

async function readResponse(transaction: Transaction, name: string): Promise<StoredResponse | undefined> {
  return (await transaction.get('responses', name)) as StoredResponse | undefined;
}

async function readChain(transaction: Transaction, name: string): Promise<Chain | undefined> {
  return (await transaction.get('chains', name)) as Chain | undefined;
}

async function addToSum(transaction: Transaction, bytes: number): Promise<void> {
  transaction.put('sums', 'bytes', Number((await transaction.get('sums', 'bytes')) ?? 0) + bytes);
}

function deleteResponse(transaction: Transaction, owner: string, { body, input }: StoredResponse): void {
  transaction.delete('responses', nameOf(owner, body.id));
  for (const { id } of [...input, ...body.output]) transaction.delete('items', nameOf(owner, id));
}
