import { describe, expect, it } from 'vitest';
import { ask, formOf, get, start, upload } from './support.js';

const purpose = 'assistants';

describe('files', () => {
  it('[F01] [F02] keeps a file as it came', async () => {
    const app = await start({ now: () => 1_700_000_000_500 });
    const name = 'Grüße "neu"/..\\x.txt';
    const { status, body, headers } = await ask(app, 'POST', '/files', formOf('Hello.', name));
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^file-\w+$/),
      object: 'file',
      bytes: 6,
      created_at: 1_700_000_000,
      filename: name,
      purpose,
      status: 'processed',
    });
    expect(headers.get('x-ratelimit-limit-requests')).toBe('600');
    expect(await get(app, 'GET', `/files/${body.id}`)).toEqual(body);
    expect((await ask(app, 'GET', `/files/${body.id}/content`)).body).toBe('Hello.');
    expect(await get(app, 'DELETE', `/files/${body.id}`)).toEqual({ id: body.id, object: 'file', deleted: true });
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/content'],
      ['DELETE', ''],
    ] as const) {
      const gone = await ask(app, method, `/files/${body.id}${path}`);
      expect([gone.status, gone.body.error.param, gone.body.error.type]).toEqual([404, 'file_id', 'not_found_error']);
    }
  });

  it.each([
    [{ purpose: 'other' }, 'purpose'],
    [{}, 'purpose'],
    [{ purpose, 'expires_after[seconds]': '3600' }, 'expires_after.anchor'],
    [{ purpose, 'expires_after[anchor]': 'created_at' }, 'expires_after.seconds'],
    [{ purpose, 'expires_after[anchor]': 'created_at', 'expires_after[seconds]': '3599' }, 'expires_after.seconds'],
    [{ purpose, 'expires_after[anchor]': 'created_at', 'expires_after[seconds]': '2592001' }, 'expires_after.seconds'],
    [{ purpose, 'expires_after[anchor]': 'created_at', 'expires_after[seconds]': '1e4' }, 'expires_after.seconds'],
    [{ purpose, 'expires_after[anchor]': 'now', 'expires_after[seconds]': '3600' }, 'expires_after.anchor'],
  ])('[F01] refuses %j', async (fields, param) => {
    const app = await start();
    const { status, body } = await ask(app, 'POST', '/files', formOf('x', 'a.txt', fields));
    expect([status, body.error.param]).toEqual([400, param]);
  });

  it('[F01] refuses an empty file, a text in its place and no file', async () => {
    const app = await start();
    const text = new FormData();
    text.set('file', 'Hello.');
    text.set('purpose', purpose);
    const none = new FormData();
    none.set('purpose', purpose);
    for (const form of [formOf('', 'a.txt'), text, none])
      expect((await ask(app, 'POST', '/files', form)).body.error.param).toBe('file');
  });

  it.each(['service', 'hosted'] as const)('[F01] [F24] what is no form is General: %s', async (compatibility) => {
    const app = await start({ compatibility });
    for (const [type, body] of [
      ['application/json', '{}'],
      ['multipart/form-data; boundary=x', '--x\r\nbroken'],
      ['multipart/form-data', ''],
    ] as const) {
      const response = await app.request('/v1/files', { method: 'POST', headers: { 'content-type': type }, body });
      expect(response.status).toBe(400);
      expect(Object.keys((await response.json()) as object)).toEqual(['error', 'request_id']);
    }
  });

  it('[F02] lists in pages, the newest first', async () => {
    const app = await start();
    expect(await get(app, 'GET', '/files')).toEqual({
      object: 'list',
      data: [],
      first_id: null,
      last_id: null,
      has_more: false,
    });
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c', 'd']) ids.push(await upload(app, name, name));
    await get(app, 'POST', '/files', formOf('e', 'e', { purpose: 'evals' }));
    const listed = async (query: string) => {
      const { data, has_more } = await get(app, 'GET', `/files?purpose=assistants&${query}`);
      return [data.map(({ id }: any) => ids.indexOf(id)), has_more];
    };
    expect(await listed('')).toEqual([[3, 2, 1, 0], false]);
    expect(await listed('limit=2')).toEqual([[3, 2], true]);
    expect(await listed(`limit=2&after=${ids[2]}`)).toEqual([[1, 0], false]);
    expect(await listed(`order=asc&after=${ids[0]}`)).toEqual([[1, 2, 3], false]);
    for (const [query, param] of [
      ['limit=0', 'limit'],
      ['limit=10001', 'limit'],
      ['limit=1.5', 'limit'],
      ['order=up', 'order'],
      ['after=file-x', 'after'],
      ['purpose=x', 'purpose'],
    ])
      expect([query, (await ask(app, 'GET', `/files?${query}`)).body.error.param]).toEqual([query, param]);
  });

  it('[F03] content is never a page', async () => {
    const app = await start();
    const id = await upload(app, '<script>alert(1)</script>', 'Ä"\r\nx: y.html');
    const { headers } = await ask(app, 'GET', `/files/${id}/content`);
    expect(headers.get('content-type')).toBe('application/octet-stream');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename\*=UTF-8''[\w%.-]+$/);
  });

  it('[F04] each key has files of its own', async () => {
    const app = await start({ apiKeys: ['one', 'two'] });
    const [one, two] = ['one', 'two'].map((key) => ({ authorization: `Bearer ${key}` }));
    const id = await upload(app, 'secret', 'a', one);
    expect((await ask(app, 'GET', `/files/${id}`, undefined, two)).status).toBe(404);
    expect((await ask(app, 'DELETE', `/files/${id}`, undefined, two)).status).toBe(404);
    expect((await get(app, 'GET', '/files', undefined, two)).data).toEqual([]);
    expect((await get(app, 'GET', '/files', undefined, one)).data).toHaveLength(1);
    expect((await ask(app, 'GET', '/files')).status).toBe(401);
  });

  it('[F06] keeps nothing that finds no room', async () => {
    const app = await start({ files: { maxBytes: 5000 } });
    const kept = await upload(app, 'x'.repeat(3000));
    const { status, body, headers } = await ask(app, 'POST', '/files', formOf('x'.repeat(3000), 'b'));
    expect([status, body.error.code, headers.get('x-should-retry')]).toEqual([413, 'storage_full', 'false']);
    expect((await get(app, 'GET', '/files')).data.map(({ id }: any) => id)).toEqual([kept]);
    await get(app, 'DELETE', `/files/${kept}`);
    await upload(app, 'x'.repeat(3000));
  });

  it('[F10] a file is gone from its end on', async () => {
    let now = 1e12;
    const app = await start({ now: () => now });
    const fields = { purpose, 'expires_after[anchor]': 'created_at', 'expires_after[seconds]': '3600' };
    const { id, expires_at: end } = await get(app, 'POST', '/files', formOf('x', 'a', fields));
    expect(end).toBe(1e9 + 3600);
    now += 3_599_999;
    await get(app, 'GET', `/files/${id}`);
    now += 1;
    expect((await ask(app, 'GET', `/files/${id}`)).status).toBe(404);
    expect((await get(app, 'GET', '/files')).data).toEqual([]);
  });

  it('[F24] polling counts nothing, and methods are told', async () => {
    const app = await start();
    const { headers } = await ask(app, 'GET', '/files');
    expect(headers.has('x-ratelimit-limit-requests')).toBe(false);
    const wrong = await ask(app, 'PUT', '/files', {});
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST, GET, HEAD']);
  });
});
