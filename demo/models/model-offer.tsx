/** A model of the hub to get with one click: what it is for and what it weighs, before one byte of it is fetched. */
import type { ModelEntry } from 'inpage';
import { hub, inference, models, statusVersion } from '../inference.js';
import { CopyButton } from '../parts/copy-button.js';
import { formatBytes } from '../parts/format-bytes.js';
import { InlineCode } from '../parts/inline-code.js';
import { LoadProgress } from '../parts/load-progress.js';
import { getModel, gets, stopGetting } from './get-model.js';

interface ModelOfferProps {
  entry: ModelEntry;
  /** What getting it takes, see {@link downloadWords}. */
  needs: string;
  /** Heading for assistive technology. */
  label: string;
  /** What `startInference` takes, to copy. */
  entryText?: string;
  onReady?: () => void;
}

/** @param bytes of its weights */
export function downloadWords(bytes: number): string {
  const size = bytes < 1e9 ? `${Math.round(bytes / 1e6)} MB` : formatBytes(bytes);
  return `about ${size} from ${new URL(hub.value).host}, once`;
}

export function ModelOffer({ entry, needs, label, entryText, onReady }: ModelOfferProps) {
  void statusVersion.value;
  const state = gets.value[entry.id];
  const isRunning = state !== undefined && 'running' in state;
  const status = inference.value?.status().find(({ id }) => id === entry.id);
  if (!state && models.value.some(({ id }) => id === entry.id)) return null;
  const get = async (): Promise<void> => {
    if (await getModel(entry)) onReady?.();
  };
  return (
    <aside class="card offer" aria-label={label}>
      <header class="row">
        <span>
          <b>{entry.id}</b> · {needs}
        </span>
        <span class="push" />
        {entryText === undefined ? null : <CopyButton code={entryText} label="Copy entry" />}
        {isRunning ? (
          <button type="button" class="small" onClick={() => void stopGetting(entry.id)}>
            Stop<span class="hidden"> the download</span>
          </button>
        ) : (
          <button type="button" class="small" disabled={!inference.value} onClick={() => void get()}>
            {state && 'problem' in state ? 'Try again' : 'Get it'}
          </button>
        )}
      </header>
      <p class="quiet">
        <InlineCode text={entry.metadata?.overview ?? ''} />
        {entry.metadata?.license ? ` License: ${entry.metadata.license}.` : ''}
      </p>
      {isRunning ? <LoadProgress model={entry.id} report={status?.progress} /> : null}
      {state && 'problem' in state ? (
        <p class="alert" role="alert">
          {state.problem}
        </p>
      ) : null}
    </aside>
  );
}
