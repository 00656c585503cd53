/** The option `storeResponses`: what it takes, and what a service does that keeps nothing. */
import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../../../src/page/resolve-options.js';
import { chooseStoragePolicy } from '../../../../src/service/state/storage-policy.js';
import { postJson } from '../../../support/http-client.js';
import { create, send, start, startHosted } from './stored-support.js';
import { valid } from './support.js';

const PAGE = { origin: 'https://app.test', pageURL: 'https://app.test/' };
const resolved = (options: object) => resolveOptions(options, PAGE).gateway.storeResponses;

describe('[H01] the option', () => {
  it.each<[unknown, unknown]>([
    [true, 64e6],
    ['64MB', 64e6],
    [1_000_000, 1_000_000],
    ['8kB', 8e3],
    ['1 GB', 1e9],
    ['memory', 'memory'],
    [false, false],
  ])('takes %s', (storeResponses, expected) => {
    expect(resolved({ storeResponses })).toBe(expected);
  });

  it.each([0, -1, Number.NaN, 'always', '0MB', '5', null, {}])('refuses %s by name', (storeResponses) => {
    const refusal = expect.objectContaining({ code: 'invalid_request', details: { param: 'storeResponses' } });
    expect(() => resolved({ storeResponses })).toThrow(refusal);
  });

  it('[G15] is on in `hosted` and off in `service` where the app says nothing', () => {
    expect(chooseStoragePolicy(undefined, 'hosted')).toMatchObject({ where: 'device' });
    expect(chooseStoragePolicy(undefined, 'service')).toBeUndefined();
    expect(chooseStoragePolicy(false, 'hosted')).toBeUndefined();
    expect(chooseStoragePolicy('memory', 'service')).toMatchObject({ where: 'memory' });
  });
});

describe('[H01] [G15] a hosted service that keeps nothing', () => {
  it.each([true, false, undefined])('answers `store: %s` with false', async (store) => {
    const app = await startHosted({ store: false });
    expect(await create(app, store === undefined ? {} : { store })).toMatchObject({ store: false });
  });

  it.each([
    [{ previous_response_id: 'resp_1' }, 'previous_response_id'],
    [{ conversation: 'conv_1' }, 'conversation'],
    [{ background: true }, 'background'],
  ])('refuses %j', async (field, param) => {
    const app = await startHosted({ store: false });
    const { status, body } = await postJson(app, '/responses', { ...valid, ...field });
    expect([status, body.error.param]).toEqual([400, param]);
  });

  it.each([
    ['GET', '/responses/resp_1'],
    ['DELETE', '/responses/resp_1'],
    ['GET', '/responses/resp_1/input_items'],
    ['POST', '/responses/resp_1/cancel'],
    ['POST', '/conversations'],
    ['GET', '/conversations/conv_1'],
    ['POST', '/conversations/conv_1'],
    ['DELETE', '/conversations/conv_1'],
    ['GET', '/conversations/conv_1/items'],
    ['POST', '/conversations/conv_1/items'],
    ['GET', '/conversations/conv_1/items/item_1'],
    ['DELETE', '/conversations/conv_1/items/item_1'],
  ])('has no %s %s', async (method, path) => {
    for (const app of [await startHosted({ store: false }), await start()]) {
      const { status, body } = await send(app, method, path);
      const unknown = await send(app, method, '/nowhere');
      expect([status, body.error.type, body.error.code]).toEqual([404, unknown.body.error.type, null]);
      expect(body.error.message).toMatch(/^This path does not exist/);
    }
  });
});
