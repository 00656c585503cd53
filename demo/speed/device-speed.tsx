/** "How fast is this device?": measures its GPU, and gives a text that can be pasted into an issue. */
import { signal } from '@preact/signals';
import { CopyButton } from '../parts/copy-button.js';
import { problemOf } from '../parts/problem-of.js';
import { Problem } from '../parts/problem.js';
import type { ModelName } from './model-sizes.js';

/** From the smallest one on: who waits for the largest chooses it. */
const CHOICES: Readonly<Record<string, readonly ModelName[]>> = {
  '135 million weights': ['SmolLM2-135M Q4_1'],
  '500 million': ['SmolLM2-135M Q4_1', '0.5B Q4_0'],
  '1.5 billion (1 GB)': ['SmolLM2-135M Q4_1', '0.5B Q4_0', '1.5B Q4_K_M'],
  '3 billion (2 GB)': ['SmolLM2-135M Q4_1', '0.5B Q4_0', '1.5B Q4_K_M', '3B Q4_K_M'],
};
const SMALL: readonly ModelName[] = ['small Q4_0'];

const chosen = signal(Object.keys(CHOICES)[0]!);
const step = signal('');
const report = signal('');
const problem = signal('');

async function measure(): Promise<void> {
  step.value = 'code';
  report.value = '';
  problem.value = '';
  try {
    const adapter = await navigator.gpu?.requestAdapter({ powerPreference: 'high-performance' });
    if (!adapter) throw new Error('This browser offers no GPU here: GGUF models run on the processor.');
    const [{ measureGpu }, { gpuReport }] = await Promise.all([import('./measure-gpu.js'), import('./gpu-report.js')]);
    const models = adapter.info.isFallbackAdapter ? SMALL : CHOICES[chosen.value]!;
    const onStep = (what: string): void => void (step.value = what);
    report.value = gpuReport(await measureGpu(adapter, { models, where: navigator.userAgent, onStep }));
  } catch (error) {
    problem.value = problemOf(error);
  } finally {
    step.value = '';
  }
}

export function DeviceSpeed() {
  const isMeasuring = step.value !== '';
  return (
    <section aria-label="How fast is this device?" class="speed">
      <h3 class="section">How fast is this device?</h3>
      <p class="quiet">
        Measures the memory of this device's GPU, and then what the GGUF engine makes of it with made models: nothing is
        downloaded but code. Large ones take a minute.
      </p>
      <div class="row">
        <label>
          Up to{' '}
          <select value={chosen.value} onChange={(event) => (chosen.value = event.currentTarget.value)}>
            {Object.keys(CHOICES).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <button type="button" class="small" disabled={isMeasuring} onClick={() => void measure()}>
          Measure
        </button>
        {report.value ? <CopyButton code={report.value} label="Copy for an issue" /> : null}
      </div>
      {isMeasuring ? <p role="status">Measuring: {step.value} …</p> : null}
      <Problem message={problem.value} />
      {report.value ? (
        <pre tabIndex={0} aria-label="Speeds">
          {report.value}
        </pre>
      ) : null}
    </section>
  );
}
