/** Items that requests name by their ids, and what becomes of them when they are removed. */
import { describe, expect, it } from 'vitest';
import type { App } from '../../../../src/service/http/app.js';
import { ResponseStorage } from '../../../../src/service/response-storage.js';
import { createMemoryTables } from '../../../../src/service/state/tables.js';
import { ResponseStore } from '../../../../src/service/state/response-store.js';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { postJson } from '../../../support/http-client.js';
import { create, post, send, type Settings, startHosted } from './stored-support.js';
import { valid } from './support.js';

describe('a removed text does not come back by a reference to its item', () => {
  /** The two apps that a gateway has: requests come by its own path, or by those of a hosted service. */
  const twoBases = async (store?: Settings['store']) => {
    const kept = new ResponseStorage(store, { now: Date.now, service: '/v1' });
    const app = async () =>
      (await buildApp({ models: [scriptedChat()], compatibility: 'hosted', ...kept.optionsFor('hosted') })).app;
    return { kept, one: await app(), other: await app() };
  };
  /** By a request that is not stored, and so does not have the item, too. */
  const refer = async (app: App, { output }: { output: [{ id: string }] }) => {
    const input = [
      { type: 'item_reference', id: output[0].id },
      { role: 'user', content: 'And?' },
    ];
    return (await postJson(app, '/responses', { ...valid, input, store: false })).status;
  };

  it('[H04] deleted by another base', async () => {
    const { one, other } = await twoBases('memory');
    const answer = await create(one);
    expect([await refer(one, answer), await refer(other, answer)]).toEqual([200, 200]);
    expect((await send(other, 'DELETE', `/responses/${answer.id}`)).status).toBe(200);
    expect([await refer(one, answer), await refer(other, answer)]).toEqual([400, 400]);
  });

  it('[H04] deleted by an engine elsewhere', async () => {
    const tables = createMemoryTables();
    const engine = async () => {
      const store = new ResponseStore(tables, { maxBytes: 1e6, now: Date.now, service: '/v1' });
      return (await buildApp({ compatibility: 'hosted', responses: () => Promise.resolve(store) })).app;
    };
    const [one, other] = await Promise.all([engine(), engine()]);
    const { id: conversation } = await post(one, '/conversations', {});
    const answers = [await create(one), await create(one, { conversation, store: false })] as const;
    for (const answer of answers) expect(await refer(one, answer)).toBe(200);
    await send(other, 'DELETE', `/responses/${answers[0].id}`);
    await send(other, 'DELETE', `/conversations/${conversation}`);
    for (const answer of answers) expect(await refer(one, answer)).toBe(400);
  });

  it.each([['memory'], [false]] as const)('removed altogether, with storeResponses %s', async (store) => {
    const { kept, one, other } = await twoBases(store);
    const answers = [await create(one), await create(one, { store: false })];
    for (const answer of answers) expect(await refer(other, answer)).toBe(200);
    await kept.clear();
    for (const app of [one, other]) for (const answer of answers) expect(await refer(app, answer)).toBe(400);
  });

  it('[H05] what a reference stands for is listed as it was', async () => {
    const app = await startHosted({ store: 'memory' });
    const { output } = await create(app);
    const { id } = await create(app, {
      input: [
        { type: 'item_reference', id: output[0].id },
        { role: 'user', content: 'And?' },
      ],
    });
    const { body } = await send(app, 'GET', `/responses/${id}/input_items?order=asc`);
    expect(body.data[0]).toEqual(output[0]);
  });
});
