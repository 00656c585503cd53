import { afterEach, vi } from 'vitest';
import { loadEmbeddingModel } from '../../../../src/engines/transformers/embeddings/load-embedding-model.js';
import { loadRankingModel } from '../../../../src/engines/transformers/ranking/load-ranking-model.js';
import { LOAD, modelServer } from '../support/web-build.js';
import { describeTextEncoders } from './describe-text-encoders.js';

afterEach(() => void vi.unstubAllGlobals());

describeTextEncoders(async (task, name, files) => {
  vi.stubGlobal('fetch', modelServer({ [name]: Object.fromEntries(files) }).fetch);
  const source = `http://localhost/models/${name}`;
  const entry = { id: name, task, backend: 'transformers', source, device: 'wasm', dtype: 'fp32' } as const;
  return (task === 'rerank' ? loadRankingModel : loadEmbeddingModel)(entry, LOAD);
});
