import { prebuiltAppConfig } from '@mlc-ai/web-llm';
import { describe, expect, it } from 'vitest';
import { findModelRecord } from '../../../src/engines/web-llm/model-record.js';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';

const prebuilt = prebuiltAppConfig.model_list;
const LISTED = 'SmolLM2-360M-Instruct-q4f32_1-MLC';

function find(entry: Partial<ModelEntry>) {
  return findModelRecord({ id: 'mine', task: 'chat', backend: 'web-llm', ...entry }, prebuilt, {
    pageURL: 'https://app.example/x/',
  });
}

/** What WebLLM makes of a record's `model`. */
function asWebLlmReadsIt(model: string): string {
  const url = model.endsWith('/') ? model : `${model}/`;
  return new URL(/.+\/resolve\/.+\//.test(url) ? url : `${url}resolve/main/`).href;
}

describe('findModelRecord', () => {
  it('suggests models of the list for a name that is none of them', () => {
    expect(() => find({ source: 'qwen2 0.5b' })).toThrow(/Did you mean `Qwen2-0\.5B-Instruct/);
    expect(() => find({ source: 'zzz' })).toThrow(/list\. `listWebLlmModels\(\)`/);
  });

  it('finds listed models by id, or by source under another id', () => {
    const byId = find({ id: LISTED });
    expect(byId.record.model_lib).toMatch(/^https:\/\/raw\.githubusercontent\.com\/mlc-ai\//);
    expect(find({ id: 'small', source: LISTED }).record).toEqual(byId.record);
  });

  it.each([
    ['a relative folder', './models/mine', 'https://app.example/x/models/mine/'],
    ['a root folder', '/models/mine/', 'https://app.example/models/mine/'],
    ['another origin', 'https://cdn.example/a/b', 'https://cdn.example/a/b/'],
    ['a hub id', 'owner/name', 'https://huggingface.co/owner/name/resolve/main/'],
    ['a hub revision', 'https://huggingface.co/o/n/resolve/v2/', 'https://huggingface.co/o/n/resolve/v2/'],
  ])('%s is read where the entry says, by us and by WebLLM', (_, source, folder) => {
    const { record, folderURL } = find({ source, modelLibrary: 'lib.wasm' });
    expect(folderURL).toBe(folder);
    expect(asWebLlmReadsIt(record.model)).toBe(folder);
    expect(record.model_lib).toBe('https://app.example/x/lib.wasm');
  });

  it.each(prebuilt.slice(0, 20).map((record) => record.model_id))('reads %s where WebLLM does', (id) => {
    const { record, folderURL } = find({ id });
    expect(asWebLlmReadsIt(record.model)).toBe(folderURL);
  });
});
