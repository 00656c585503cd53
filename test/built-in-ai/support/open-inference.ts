/** What `startInference` gives, in Node: the service over scripted models, or over the bundled chat model. */
import { readFileSync } from 'node:fs';
import { onTestFinished, vi } from 'vitest';
import type { Backend } from '../../../src/core/models/backend.js';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import type { StoredModel } from '../../../src/core/models/stored-model.js';
import { assembleTextModel, planTextModel } from '../../../src/engines/gguf/assemble-text-model.js';
import { scriptedBackend } from '../../../src/engines/scripted/scripted-backend.js';
import type { Inference } from '../../../src/built-in-ai/service.js';
import { type BuiltInAIOptions, type InstalledBuiltInAI, installBuiltInAI } from '../../../src/built-in-ai/index.js';
import { headerOf, piecesOf } from '../../engines/gguf/support/tiny-model.js';
import { buildApp, type BuildAppOptions } from '../../support/build-app.js';

/** Node has no such event; pages do. */
class ProgressEventOfPages extends Event {
  readonly loaded: number;
  readonly total: number;
  readonly lengthComputable: boolean;

  constructor(type: string, { loaded, total, lengthComputable }: ProgressEventInit) {
    super(type);
    this.loaded = loaded ?? 0;
    this.total = total ?? 0;
    this.lengthComputable = lengthComputable ?? false;
  }
}

export const tinyChatEntry: ModelEntry = {
  id: 'tiny-chat',
  task: 'chat',
  backend: 'gguf',
  source: 'https://app.test/tiny-chat-Q8_0.gguf',
  contextLength: 2048,
};

/** The bundled model, read from its file. */
const tinyChatBackend: Backend = {
  async load(entry) {
    const file = new Uint8Array(readFileSync('public/models/tiny-chat/tiny-chat-Q8_0.gguf'));
    const header = await headerOf(file);
    const stream = piecesOf(file.subarray(header.dataStart), 1_000_000);
    return assembleTextModel(entry, planTextModel(entry, header), stream);
  },
};

export interface OpenInference {
  inference: Inference;
  /** Bodies of what was asked, by their paths. */
  sent: { path: string; body: any; headers: Headers; signal: AbortSignal }[];
  /** Loads that were asked for. */
  loads: string[];
  stored: StoredModel[];
}

export async function openInference(options: BuildAppOptions = {}): Promise<OpenInference> {
  vi.stubGlobal('ProgressEvent', ProgressEventOfPages);
  const backends = { scripted: scriptedBackend, gguf: tinyChatBackend, ...options.backends };
  const { app, inference: scheduler } = await buildApp({ ...options, backends });
  onTestFinished(() => scheduler.stop());
  const open: OpenInference = {
    sent: [],
    loads: [],
    stored: [],
    inference: {
      baseURL: 'https://app.test/v1',
      fetch: async (input, init) => {
        const request = new Request(input, init);
        const path = new URL(request.url).pathname.slice(3);
        const text = request.headers.get('content-type')?.includes('json') ? await request.clone().text() : '';
        const { signal, headers } = request;
        open.sent.push({ path, headers, signal, body: text === '' ? undefined : JSON.parse(text) });
        return app.fetch(request);
      },
      load: async (model) => {
        open.loads.push(model);
        await scheduler.load(model);
      },
      status: () => scheduler.status(),
      stored: async () => open.stored,
      subscribe: (listener) => scheduler.onChange(() => listener()),
    },
  };
  return open;
}

/** Installs on it, and removes all at the end of the test. */
export async function install(
  open: OpenInference,
  options?: BuiltInAIOptions,
): Promise<InstalledBuiltInAI & { window: Record<string, any> }> {
  const installed = await installBuiltInAI(open.inference, options);
  onTestFinished(() => installed.remove());
  return { ...installed, window: globalThis as unknown as Record<string, any> };
}

/** The bodies that were sent to an endpoint. */
export function sentTo({ sent }: OpenInference, path: string): any[] {
  return sent.filter((each) => each.path === path).map(({ body }) => body);
}

/** A chat model of fixed replies. */
export function replying(...replies: NonNullable<ModelEntry['script']>['replies']): { models: ModelEntry[] } {
  return { models: [{ id: 'scripted-chat', task: 'chat', backend: 'scripted', script: { replies } }] };
}

export async function collect<Piece>(stream: ReadableStream<Piece>): Promise<Piece[]> {
  const pieces: Piece[] = [];
  for await (const piece of stream as unknown as AsyncIterable<Piece>) pieces.push(piece);
  return pieces;
}

/** What a promise rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<any> {
  try {
    await promise;
  } catch (thrown) {
    return thrown;
  }
  throw new Error('It did not reject.');
}
