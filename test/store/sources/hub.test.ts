import { beforeEach, describe, expect, it } from 'vitest';
import { hubFolderURL, parseHubFolder } from '../../../src/store/sources/hub.js';
import { type FakeNetwork, fakeNetwork } from '../support/fake-network.js';
import { sha256Of, someBytes } from '../support/fault-server.js';
import { hubFiles } from '../support/hub-server.js';
import { contentOf, filesOf, testStore, type TestStore } from '../support/node-store.js';

const WEIGHTS = someBytes(9 * 2 ** 20);
const CONFIG = new TextEncoder().encode('{"model_type":"llama"}');
const RESOLVE = 'owner/model/resolve/main/';

let server: FakeNetwork;
let store: TestStore;

beforeEach(async () => {
  server = fakeNetwork(hubFiles('owner/model', { 'config.json': CONFIG, 'onnx/model.onnx': WEIGHTS }));

  store = testStore({ fetch: server.fetch });
});

const folder = (): string => hubFolderURL({ hubURL: server.url, id: 'owner/model', revision: 'main' });
const recordOf = async (file: string) => (await store.storage.find({ model: folder(), file }))?.metadata;

describe('a hub', () => {
  it('has its files where transformers.js looks for them', () => {
    const model = { hubURL: 'https://huggingface.co/', id: 'owner/my.model', revision: 'refs/pr/1' };
    const url = hubFolderURL(model);
    expect(url).toBe('https://huggingface.co/owner/my.model/resolve/refs%2Fpr%2F1/');
    expect(parseHubFolder(url)).toEqual(model);
    expect(parseHubFolder('https://mirror.example/hf/owner/m/resolve/main/')).toEqual({
      hubURL: 'https://mirror.example/hf/',
      id: 'owner/m',
      revision: 'main',
    });
    expect(parseHubFolder('https://app.example/models/tiny-chat/')).toBeUndefined();
  });

  it('states hashes of small and large files, and both are compared', async () => {
    const files = filesOf(store, folder());
    expect(await contentOf(files, 'config.json')).toEqual(CONFIG);
    expect((await contentOf(files, 'onnx/model.onnx'))?.length).toBe(WEIGHTS.length);
    expect(await recordOf('config.json')).toMatchObject({ verified: true });
    expect(await recordOf('onnx/model.onnx')).toMatchObject({ verified: true, sha256: sha256Of(WEIGHTS) });
  });

  it.each(['config.json', 'onnx/model.onnx'])('%s with another byte is refused', async (file) => {
    server.behaviour.lies = { file: RESOLVE + file, at: 3, times: Infinity };
    await expect(contentOf(filesOf(store, folder()), file)).rejects.toMatchObject({ code: 'unavailable' });
    server.behaviour.lies = { file: RESOLVE + file, at: 3, times: 1 };
    expect(await contentOf(filesOf(store, folder()), file)).toBeDefined();
  });

  it('that lists nothing is believed by the header of its redirect, where that can be read', async () => {
    server.files.delete('api/models/owner/model/tree/main');
    const linked = (etag: string): void => {
      store.fetch = async (url, init) => {
        const response = await server.fetch(url, init);
        const headers = new Headers(response.headers);
        headers.set('x-linked-etag', etag);
        return new Response(response.body, { status: response.status, headers });
      };
    };
    linked(`"${'0'.repeat(64)}"`);
    await expect(contentOf(filesOf(store, folder()), 'onnx/model.onnx')).rejects.toMatchObject({ code: 'unavailable' });
    linked(`"${sha256Of(WEIGHTS)}"`);
    await contentOf(filesOf(store, folder()), 'onnx/model.onnx');
    expect(await recordOf('onnx/model.onnx')).toMatchObject({ verified: true });
  });

  it('is not asked about what is kept', async () => {
    await contentOf(filesOf(store, folder()), 'config.json');
    expect(await contentOf(filesOf(store, folder()), 'absent.json')).toBeUndefined();
    const asked = server.requests.length;
    expect(await contentOf(filesOf(store, folder()), 'config.json')).toEqual(CONFIG);
    expect(await contentOf(filesOf(store, folder()), 'absent.json')).toBeUndefined();
    expect(server.requests.length).toBe(asked);
  });
});
