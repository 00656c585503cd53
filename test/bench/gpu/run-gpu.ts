/** `npm run bench -- --only gpu-engine [--size real]`: the GGUF engine on this machine's GPU, or on one in software, in Node. @module */
import { measureGpu, type MeasuredModel, type MeasureOptions } from '../../../demo/speed/measure-gpu.js';
import { gpuReport } from '../../../demo/speed/gpu-report.js';
import { ForwardPass } from '../../../src/engines/gguf/forward.js';
import { widestRow } from '../../../src/engines/gguf/forward-shape.js';
import { KvPages, KvSequence } from '../../../src/engines/gguf/kv-pages.js';
import { loadKernels } from '../../../src/engines/gguf/load-kernels.js';
import { loadWeights } from '../../../src/engines/gguf/load-weights.js';
import { SharedKernels } from '../../../src/engines/gguf/shared-kernels.js';
import { anyGpu } from '../../engines/gguf/support/software-gpu.js';

const REAL = ['SmolLM2-135M Q4_1', '0.5B Q4_0', '1.5B Q4_K_M', '3B Q4_K_M'] as const;
const SMALL = ['small Q4_0'] as const;

/** @param isReal models that people run, also where the processor plays GPU @returns the report */
export async function measureThisGpu(isReal: boolean): Promise<string> {
  const found = await anyGpu();
  if (!found) throw new Error('There is no GPU here, and no Chromium whose software could play one.');
  const { adapter } = found;
  const models: MeasureOptions['models'] = isReal || !adapter.info.isFallbackAdapter ? REAL : SMALL;
  const onStep = (what: string): void => void process.stderr.write(`${what} …\n`);
  const where = `Node ${process.versions.node}, npm webgpu`;
  const speeds = await measureGpu(adapter, { models, where, decodeOnWasm, onStep });
  return gpuReport(speeds);
}

async function decodeOnWasm({ header, plan, read }: MeasuredModel, steps: number): Promise<number> {
  const kernels = await loadKernels();
  const { weights } = await loadWeights(plan, header, { kernels }, read);
  const shape = { ...plan.shape, exact: false, precision: 16 as const };
  const shared = new SharedKernels(kernels, shape.contextLength, widestRow(shape), 1);
  const kv = new KvSequence(new KvPages(kernels.memory, shape, 2 ** 30));
  const pass = new ForwardPass(shared, shape, weights);
  const step = (): void => {
    kv.reserve(1);
    pass.run([{ kv, tokens: [1], keep: 1 }]);
  };
  step();
  const started = performance.now();
  for (let index = 0; index < steps; index++) step();
  return (1000 * steps) / (performance.now() - started);
}
