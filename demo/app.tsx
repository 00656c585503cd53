/** The frame: header, the chosen panel, and the wire. */
import type { ComponentType } from 'preact';
import { ChatPanel } from './chat/chat-panel.js';
import { CheckPanel } from './check/check-panel.js';
import { choosePanel, chosenPanel, showsWire } from './chosen-panel.js';
import { DecidePanel } from './decide/decide-panel.js';
import { decisionRequest } from './decide/decision-run.js';
import { FilesPanel } from './files/files-panel.js';
import { fileRequest } from './files/file-answer.js';
import { chatModel, inference, startError } from './inference.js';
import { JsonPanel } from './json/json-panel.js';
import { jsonRequest } from './json/json-run.js';
import { LoadBar } from './load-bar.js';
import { MetricsPanel } from './metrics/metrics-panel.js';
import { ModelsPanel } from './models/models-panel.js';
import { embedder } from './search/embedders.js';
import { SearchPanel } from './search/search-panel.js';
import { searchRequest } from './search/note-index.js';
import { SpeechPanel } from './speech/speech-panel.js';
import { SpeakPanel } from './voice/speak-panel.js';
import { speakRequest } from './voice/speak-run.js';
import { speaker } from './voice/speakers.js';
import { ear, transcriptionRequest } from './speech/transcription.js';
import { StatusPill } from './status-pill.js';
import { toolRequest, ToolsPanel } from './tools/tools-panel.js';
import type { WireRequest } from './wire/wire-log.js';
import { WirePanel } from './wire/wire-panel.js';

interface Panel {
  title: string;
  view: ComponentType;
  /** The model that it asks, for the status; absent: the chosen chat model. */
  model?: () => string | undefined;
  /** What it would send now; absent, or undefined: nothing to show. */
  request?: () => WireRequest | undefined;
}

const PANELS: Record<string, Panel> = {
  chat: { title: 'Chat', view: ChatPanel },
  tools: { title: 'Tools', view: ToolsPanel, request: toolRequest },
  json: { title: 'JSON', view: JsonPanel, request: jsonRequest },
  decide: { title: 'Decide', view: DecidePanel, request: decisionRequest },
  speech: { title: 'Transcribe', view: SpeechPanel, model: () => ear.value, request: transcriptionRequest },
  speak: { title: 'Read aloud', view: SpeakPanel, model: () => speaker.value?.id, request: speakRequest },
  search: { title: 'Search', view: SearchPanel, model: () => embedder.value, request: searchRequest },
  files: { title: 'Your files', view: FilesPanel, request: fileRequest },
  models: { title: 'Models', view: ModelsPanel },
  metrics: { title: 'Metrics', view: MetricsPanel },
  check: { title: 'Check', view: CheckPanel },
};

/** An address that names none is the chat's. */
const shownPanel = (): string => (chosenPanel.value in PANELS ? chosenPanel.value : 'chat');

export function App() {
  const { title, view: View, model, request } = PANELS[shownPanel()]!;
  return (
    <div class="frame">
      <header class="top">
        <h1>
          <span class="mark" aria-hidden="true">
            in
          </span>
          <span aria-hidden="true">page</span>
          <span class="hidden">Inpage</span>
        </h1>
        <Tabs />
        <StatusPill model={model?.() ?? chatModel.value} />
      </header>
      <LoadBar />
      {startError.value ? (
        <p class="alert banner" role="alert">
          {startError.value}{' '}
          <button type="button" class="small" onClick={() => choosePanel('check')}>
            Check this page
          </button>
        </p>
      ) : null}
      <main class="columns" data-shows={showsWire.value ? 'wire' : 'panel'} aria-busy={isStarting()}>
        <section class="panel" aria-label={title}>
          <View />
        </section>
        <WirePanel example={request?.()} />
      </main>
    </div>
  );
}

function Tabs() {
  const shown = shownPanel();
  return (
    <nav aria-label="Panels">
      {Object.entries(PANELS).map(([name, { title }]) => (
        <button
          key={name}
          type="button"
          class={name === shown ? 'tab wide-only chosen' : 'tab wide-only'}
          aria-current={name === shown ? 'page' : undefined}
          onClick={() => choosePanel(name)}
        >
          {title}
        </button>
      ))}
      <select
        class="narrow-only"
        aria-label="Panel"
        value={shown}
        onChange={(event) => choosePanel(event.currentTarget.value)}
      >
        {Object.entries(PANELS).map(([name, { title }]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
      <button
        type="button"
        class="tab narrow-only"
        aria-pressed={showsWire.value}
        onClick={() => (showsWire.value = !showsWire.value)}
      >
        Wire
      </button>
      <a class="tab" href="/docs/">
        Docs
      </a>
    </nav>
  );
}

function isStarting(): boolean {
  return !inference.value && !startError.value;
}
