/** One model of the catalog: what it is, where it runs, and the way in and out of memory. */
import type { ModelEntry, ModelStatus } from 'inpage';
import { useRef, useState } from 'preact/hooks';
import { inference, isAdded, removeModel, statusVersion } from '../inference.js';
import { LoadProgress } from '../parts/load-progress.js';
import { problemOf } from '../parts/problem-of.js';
import { Problem } from '../parts/problem.js';

export function ModelCard({ model }: { model: ModelEntry }) {
  void statusVersion.value;
  const [problem, setProblem] = useState('');
  /** The visitor ended the loading, so that it failed is no news. */
  const isStopped = useRef(false);
  const service = inference.value;
  const status = service?.status().find(({ id }) => id === model.id);
  const state = status?.state ?? 'absent';
  const reason = problem || (state === 'failed' && status?.error?.message);
  const isLoaded = state === 'ready' || state === 'busy';
  const act = (action: 'load' | 'unload'): void => {
    setProblem('');
    isStopped.current = false;
    const done = service?.[action](model.id);
    statusVersion.value++;
    done
      ?.catch((error: unknown) => setProblem(isStopped.current ? '' : problemOf(error)))
      .finally(() => statusVersion.value++);
  };
  const stop = (): void => {
    isStopped.current = true;
    void service?.unload(model.id).catch((error: unknown) => setProblem(problemOf(error)));
  };
  return (
    <li class="card" data-state={state} aria-label={model.id}>
      <header class="row">
        <span class="dot" aria-hidden="true" />
        <h3>{model.id}</h3>
        <span class="quiet">{state === 'absent' ? 'not loaded' : state}</span>
        <span class="push" />
        {isAdded(model.id) ? (
          <button type="button" class="small" onClick={() => void removeModel(model.id)}>
            Remove
          </button>
        ) : null}
        <button
          type="button"
          class="small"
          disabled={!service}
          onClick={() => (state === 'loading' ? stop() : act(isLoaded ? 'unload' : 'load'))}
        >
          {state === 'loading' ? 'Stop' : isLoaded ? 'Unload' : 'Load'}
        </button>
      </header>
      {model.metadata?.overview ? <p>{model.metadata.overview}</p> : null}
      <p class="quiet">{factsOf(model, status).join(' · ')}</p>
      {status?.state === 'loading' ? <LoadProgress model={model.id} report={status.progress} /> : null}
      <Problem message={reason} />
    </li>
  );
}

function factsOf(model: ModelEntry, status: ModelStatus | undefined): string[] {
  const facts: string[] = [model.task, model.backend];
  if (status?.device === 'wasm') facts.push(`WASM, ${status.threads} thread${status.threads === 1 ? '' : 's'}`);
  else if (status?.device === 'webgpu') facts.push('WebGPU');
  const dtype = status?.dtype ?? ('dtype' in model && typeof model.dtype === 'string' ? model.dtype : undefined);
  if (dtype) facts.push(dtype);
  const context = status?.contextLength ?? model.contextLength;
  if (context) facts.push(`${context} tokens of context`);
  if (status?.deviceReason) facts.push(status.deviceReason);
  if (status?.warning) facts.push(status.warning);
  if (status?.queued) facts.push(`${status.queued} waiting`);
  return facts;
}
