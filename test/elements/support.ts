/** A service for the elements, whose models change as a test says. */
import { vi } from 'vitest';
import type { ModelEstimate } from '../../src/core/models/model-estimate.js';
import type { ModelStatus } from '../../src/core/models/model-status.js';
import type { StoredModel } from '../../src/core/models/stored-model.js';
import type { ElementInference } from '../../src/elements/service-link.js';

export interface FakeModel {
  id: string;
  task?: ModelStatus['task'];
  bytes?: number | null;
  verdict?: ModelEstimate['verdict'];
  reasons?: ModelEstimate['reasons'];
  license?: string;
}

/** Milliseconds of a download. */
const PIECES = 4;

export class FakeService implements ElementInference {
  readonly baseURL = 'https://app.test/v1';
  readonly #models: readonly FakeModel[];
  readonly #listeners = new Set<() => void>();
  readonly #states = new Map<string, Partial<ModelStatus>>();
  readonly kept = new Map<string, { bytes: number; complete: boolean }>();
  /** Files of models that are in no catalog. */
  others: StoredModel[] = [];
  failWith: Error | undefined;
  /** Resolves one piece of a download each. */
  readonly pieces: (() => void)[] = [];
  readonly fetch = vi.fn<typeof fetch>();

  constructor(models: readonly FakeModel[]) {
    this.#models = models;
  }

  get listenerCount(): number {
    return this.#listeners.size;
  }

  status(): ModelStatus[] {
    return this.#models.map(({ id, task = 'chat' }) => ({
      id,
      task,
      backend: 'gguf',
      state: 'absent',
      queued: 0,
      ...this.#states.get(id),
    }));
  }

  set(id: string, state: Partial<ModelStatus>): void {
    this.#states.set(id, state);
    for (const listener of this.#listeners) listener();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  readonly load = vi.fn<(id: string) => Promise<void>>(async (id) => {
    if (this.failWith) throw this.failWith;
    this.set(id, { state: 'ready' });
  });

  readonly unload = vi.fn<(id: string) => Promise<void>>(async (id) => this.set(id, { state: 'absent' }));

  readonly estimate = vi.fn<(id: string) => Promise<ModelEstimate>>(async (id) => {
    const { bytes = 1000, verdict = 'fits', reasons = [], license } = this.#model(id);
    const missing = bytes === null ? null : bytes - (this.kept.get(id)?.bytes ?? 0);
    return {
      model: id,
      bytes,
      missingBytes: missing,
      source: 'https://hub.test/owner/name/',
      ...(license !== undefined && { license }),
      verdict,
      reasons,
    };
  });

  readonly download = vi.fn<(id: string, options?: { signal?: AbortSignal }) => Promise<void>>(async (id, options) => {
    const total = this.#model(id).bytes ?? 1000;
    while ((this.kept.get(id)?.bytes ?? 0) < total) {
      await new Promise<void>((resolve, reject) => {
        this.pieces.push(resolve);
        options?.signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError')));
      }).finally(() => this.set(id, {}));
      if (this.failWith) throw this.failWith;
      const bytes = Math.min(total, (this.kept.get(id)?.bytes ?? 0) + total / PIECES);
      this.kept.set(id, { bytes, complete: bytes === total });
      const progress = { model: id, file: 'model.gguf', loadedBytes: bytes, totalBytes: total, bytesPerSecond: 1e6 };
      this.set(id, { progress: { ...progress, remainingSeconds: 3, stage: 'download' } });
    }
    this.set(id, {});
  });

  async stored(): Promise<StoredModel[]> {
    const stored = [...this.kept].map(([id, { bytes, complete }]) => ({
      models: [id],
      source: `https://hub.test/${id}/`,
      files: [{ file: 'model.gguf', bytes, complete, verified: complete }],
      bytes,
      complete,
      verified: complete,
      lastUsed: 0,
    }));
    return [...stored, ...this.others];
  }

  readonly remove = vi.fn<(id: string) => Promise<void>>(async (id) => {
    this.kept.delete(id);
    this.others = this.others.filter(({ source }) => source !== id);
    this.set(id, { state: 'absent' });
  });

  #model(id: string): FakeModel {
    return this.#models.find((model) => model.id === id)!;
  }
}
