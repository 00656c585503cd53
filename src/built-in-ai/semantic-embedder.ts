/** `SemanticEmbedder` on an embedding model of the page. @module */
import { decodeBase64 } from '../core/media/base64.js';
import { isIterable, oneOf, textOf } from './idl.js';
import { quotaExceeded, TooLong } from './interface-error.js';
import { checkConstructor, type Lifetime } from './lifetime.js';
import type { Availability, Service } from './service.js';

const TASK_TYPES = [
  'retrieval-query',
  'retrieval-document',
  'semantic-similarity',
  'clustering',
  'classification',
] as const;

/** The `input_type` of the request; the others are names of prompts that a model may have. */
const INPUT_TYPES: Record<string, string> = { 'retrieval-query': 'query', 'retrieval-document': 'document' };

/** As many as one request takes. */
const MOST_INPUTS = 2048;

interface Embeddings {
  data: { embedding: string }[];
}

interface SemanticEmbedding {
  values: Float32Array;
}

export function createSemanticEmbedder(service: Service, model: string): object {
  const request = async (body: object, signal: AbortSignal): Promise<Embeddings> =>
    service.post('/embeddings', { model, encoding_format: 'base64', ...body }, signal);

  /** With the task's prompt; a model without one embeds the text alone, but for searches, which every model knows. */
  async function embed(input: string[], taskType: string | undefined, signal: AbortSignal): Promise<Embeddings> {
    if (taskType === undefined) return request({ input }, signal);
    const input_type = INPUT_TYPES[taskType];
    if (input_type !== undefined) return request({ input, input_type }, signal);
    try {
      return await request({ input, input_type: taskType }, signal);
    } catch (thrown) {
      if ((thrown as Error).name !== 'NotSupportedError') throw thrown;
      return request({ input }, signal);
    }
  }

  return class SemanticEmbedder {
    readonly #lifetime: Lifetime;

    constructor(key?: unknown, lifetime?: Lifetime) {
      checkConstructor(key);
      this.#lifetime = lifetime!;
    }

    static async availability(): Promise<Availability> {
      return service.availability(model);
    }

    static async create(options: Record<string, unknown> = {}): Promise<SemanticEmbedder> {
      return service.create(model, options, (lifetime, key) => new SemanticEmbedder(key, lifetime));
    }

    async embed(
      input: unknown,
      options: { taskType?: unknown; signal?: AbortSignal } = {},
    ): Promise<{ embeddings: SemanticEmbedding[] }> {
      const taskType = options.taskType === undefined ? undefined : oneOf(options.taskType, TASK_TYPES, 'taskType');
      const signal = this.#lifetime.during(options);
      const inputs = isIterable(input) ? [...input].map(textOf) : [textOf(input)];
      const embeddings: SemanticEmbedding[] = [];
      try {
        for (let from = 0; from < inputs.length; from += MOST_INPUTS) {
          const { data } = await embed(inputs.slice(from, from + MOST_INPUTS), taskType, signal);
          for (const { embedding } of data) embeddings.push({ values: toValues(embedding) });
        }
      } catch (thrown) {
        const quota = service.statusOf(model)?.contextLength ?? 0;
        throw thrown instanceof TooLong ? quotaExceeded(quota + 1, quota) : thrown;
      }
      return { embeddings };
    }

    destroy(): void {
      this.#lifetime.end();
    }
  };
}

/** Little-endian, as every machine with a browser has them. */
function toValues(base64: string): Float32Array {
  return new Float32Array(decodeBase64(base64)!.buffer);
}
