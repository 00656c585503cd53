/** Sixteen clients at once, through the scheduler, on an engine whose session is made up: in which order things happen. */
import { describe, expect, it } from 'vitest';
import { Catalog } from '../../../../src/core/models/catalog.js';
import { plainGenerationRequest } from '../../../../src/core/request/generation-request.js';
import { Scheduler } from '../../../../src/service/scheduler/scheduler.js';
import { createTextModel } from '../../../../src/language/decoding/create-text-model.js';
import { ForwardPass } from '../../../../src/engines/transformers/text/forward-pass.js';
import {
  createTensor,
  type OnnxSession,
  type OnnxTensor,
} from '../../../../src/engines/transformers/ort/onnx-session.js';
import { SequenceState } from '../../../../src/engines/transformers/cache/sequence-state.js';
import { TransformersTextEngine } from '../../../../src/engines/transformers/text/transformers-text-engine.js';
import { byteTokenizer } from '../../../language/decoding/fake-text-engine.js';

const CLIENTS = 16;
/** More than there are clients: each token of an answer lets one prompt be read. */
const TOKENS = 24;
const PAST = 'past_key_values.0.key';

/** Says `a` after everything. Notes tokens and rows of each pass. */
function madeUpSession(passes: { rows: number; tokens: number }[]): OnnxSession {
  return {
    inputNames: ['input_ids', PAST],
    outputNames: ['logits', 'present.0.key'],
    inputMetadata: [{ name: PAST, type: 'float32', shape: ['batch', 1, 'past', 1] }],
    async run(feeds: Readonly<Record<string, OnnxTensor>>) {
      const [rows = 0, tokens = 0] = feeds['input_ids']!.dims;
      passes.push({ rows, tokens });
      const past = feeds[PAST]!.dims[2]!;
      const { vocabularySize } = byteTokenizer;
      const logits = new Float32Array(rows * tokens * vocabularySize);
      for (let place = 0; place < rows * tokens; place++) logits[place * vocabularySize + 97] = 1;
      return {
        logits: createTensor('float32', logits, [rows, tokens, vocabularySize]),
        'present.0.key': createTensor('float32', new Float32Array(rows * (past + tokens)), [rows, 1, past + tokens, 1]),
      };
    },
  };
}

/** What happens while all ask at once. @param roomBytes for keys and values */
async function askAll(roomBytes?: number) {
  const passes: { rows: number; tokens: number }[] = [];
  const session = madeUpSession(passes);
  const engine = new TransformersTextEngine({
    forward: new ForwardPass(session, { firstPosition: 0, vocabularySize: byteTokenizer.vocabularySize }),
    emptyState: () => SequenceState.empty(session),
    tokenizer: byteTokenizer,
    contextLength: 500,
    toolFormat: 'hermes',
    reasoningFormat: 'none',
    blocks: true,
    supportsRaggedBatch: true,
    blockLength: 64,
    roomBytes,
  });
  const model = createTextModel(engine, {
    info: { device: 'none', threads: 1 },
    unload: async () => engine.dispose(),
  });
  const catalog = new Catalog([{ id: 'm', task: 'chat', backend: 'scripted' }]);
  const scheduler = new Scheduler({ catalog, host: { start: async () => model }, requestTimeout: 60 });
  const order: { client: number; what: 'first' | 'end' }[] = [];
  const ask = async (client: number): Promise<void> => {
    const text = `${client} `.repeat(20);
    const request = { ...plainGenerationRequest('m', { type: 'raw', text }), maxTokens: TOKENS };
    let isFirst = true;
    const { signal } = new AbortController();
    for await (const events of scheduler.generate(request, { signal, deadline: 'first-token' })) {
      if (isFirst && events.some(({ type }) => type === 'text-delta')) {
        isFirst = false;
        order.push({ client, what: 'first' });
      }
    }
    order.push({ client, what: 'end' });
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, client) => ask(client)));
  await scheduler.stop();
  return { order, passes };
}

describe('sixteen clients at once', () => {
  it('all get their first token before anybody gets the last one', async () => {
    const { order, passes } = await askAll();
    expect(order.slice(0, CLIENTS).map(({ what }) => what)).toEqual(Array.from({ length: CLIENTS }, () => 'first'));
    expect(order.slice(0, CLIENTS).map(({ client }) => client)).toEqual([...Array(CLIENTS).keys()]);
    expect(Math.max(...passes.map(({ rows }) => rows))).toBe(CLIENTS);
    // Those who decode get a token between two prompts.
    const kinds = passes.map(({ tokens }) => (tokens > 1 ? 'p' : 'a')).join('');
    expect(kinds.replace(/^p+/, '')).not.toContain('pp');
  });

  it('wait for room where memory bears no more, in the order in which they came', async () => {
    const { order, passes } = await askAll(1);
    expect(Math.max(...passes.map(({ rows }) => rows))).toBe(8);
    const firsts = order.flatMap(({ client, what }) => (what === 'first' ? [client] : []));
    expect(firsts).toEqual([...Array(CLIENTS).keys()]);
    expect(order.findIndex(({ what }) => what === 'end')).toBe(8);
  });
});
