/** How files become vectors: by one model of the catalog, or by none. @module */
import { isInferenceError } from '../../core/errors/inference-error.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import { settledWithin } from '../../core/platform/settled-within.js';
import type { Inference } from '../scheduler/inference.js';
import { countCharacters, type CountTokens } from './chunk-text.js';
import type { Chunking } from './records.js';

/** What the hosted service cuts files into where nothing is said. */
const USUAL: Chunking = { max: 800, overlap: 400 };

/** How a text is cut for a model. */
export interface Reading {
  /** Tokens of a text that it reads at once. */
  readable: number;
  count: CountTokens;
}

/** Vectors of length 1, and what has made them: those of two models are never compared. */
export interface Embedded {
  vectors: Float32Array[];
  model: string;
}

/** See the module. */
export class Embedding {
  readonly #inference: Inference;
  readonly #entry: ModelEntry | undefined;
  #reading: Promise<Reading> | undefined;

  /** @param model id of the catalog; absent: its first one that embeds */
  constructor(inference: Inference, model: string | undefined) {
    this.#inference = inference;
    const { catalog } = inference;
    this.#entry =
      model === undefined ? catalog.usable().find(({ task }) => task === 'embeddings') : catalog.find(model);
  }

  /** False: files have only words. */
  get isThere(): boolean {
    return this.#entry !== undefined;
  }

  /** What the vectors of its model are called; empty: there is none. */
  get model(): string {
    return this.#entry ? keyOf(this.#entry) : '';
  }

  /** How many tokens the model reads, and how they are counted. Loads it. @throws InferenceError */
  reading(signal: AbortSignal): Promise<Reading> {
    this.#reading ??= this.#read(signal);
    this.#reading.catch(() => (this.#reading = undefined));
    return this.#reading;
  }

  /** What `auto` is for this model. */
  usual({ readable }: Pick<Reading, 'readable'>): Chunking {
    return readable >= USUAL.max ? USUAL : { max: readable, overlap: Math.floor(readable / 2) };
  }

  /** The same as far as it is known soon: a model that has to be loaded first may read less. */
  async usualSoon(milliseconds: number): Promise<Chunking> {
    const reading = this.reading(new AbortController().signal);
    const known = await settledWithin(reading, milliseconds).catch(() => undefined);
    return known ? this.usual(known) : USUAL;
  }

  /** @throws InferenceError */
  async embed(texts: readonly string[], kind: 'query' | 'document', signal: AbortSignal): Promise<Embedded> {
    const request = { model: this.#entry?.id ?? '', inputs: [...texts], inputType: kind };
    const options = { signal, deadline: 'result' } as const;
    const { vectors, model } = await this.#inference.embed(request, options).catch((thrown: unknown) => {
      if (!isInferenceError(thrown) || thrown.code !== 'invalid_request') throw thrown;
      // Its tokens are not quite those that were counted, or a query is longer than it reads.
      return this.#inference.embed({ ...request, truncate: { side: 'end', fields: { truncate: true } } }, options);
    });
    return { vectors, model: keyOf(this.#inference.catalog.find(model) ?? { id: model }) };
  }

  async #read(signal: AbortSignal): Promise<Reading> {
    const entry = this.#entry;
    if (!entry) return { readable: Infinity, count: countCharacters };
    const { id: model } = entry;
    const options = { signal, deadline: 'result' } as const;
    const measure = (texts: readonly string[]) =>
      this.#inference.measure({ model, texts, inputType: 'document' }, options);
    try {
      const { frame } = await measure([]);
      const length = this.#inference.contextLength(model) ?? Infinity;
      return { readable: Math.max(1, length - frame), count: async (texts) => (await measure(texts)).tokens };
    } catch (thrown) {
      if (!isInferenceError(thrown) || thrown.code !== 'model_not_supported') throw thrown;
      const length = this.#inference.isContextLengthKnown(model) ? this.#inference.contextLength(model) : undefined;
      return { readable: length ?? Infinity, count: countCharacters };
    }
  }
}

/** Another model under the same id has other vectors. */
function keyOf({ id, backend, source, file, dtype, pooling, prompts, revision }: Partial<ModelEntry>): string {
  return JSON.stringify([id, backend, source, file, dtype, pooling, prompts, revision]);
}
