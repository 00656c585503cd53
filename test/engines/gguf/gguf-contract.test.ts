import { describeBackend } from '../../contract/backend-contract.js';
import { tinyModel } from './support/tiny-model.js';

describeBackend('gguf llama', { load: () => tinyModel() });
describeBackend('gguf qwen2', { load: () => tinyModel({ architecture: 'qwen2' }) });
describeBackend('gguf qwen3', { load: () => tinyModel({ architecture: 'qwen3', kind: 'Q4_0' }) });
describeBackend('gguf llama in 32 bits', { load: () => tinyModel({ kind: 'F16' }, { dtype: 'fp32' }) });
