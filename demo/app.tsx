/** The frame: header, the chosen panel, and the wire. */
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { ChatPanel } from './chat/chat-panel.js';
import { CheckPanel } from './check/check-panel.js';
import { DecidePanel } from './decide/decide-panel.js';
import { chatModel, inference, startError } from './inference.js';
import { JsonPanel } from './json/json-panel.js';
import { LoadBar } from './load-bar.js';
import { MetricsPanel } from './metrics/metrics-panel.js';
import { ModelsPanel } from './models/models-panel.js';
import { embedder } from './search/embedders.js';
import { SearchPanel } from './search/search-panel.js';
import { SpeechPanel } from './speech/speech-panel.js';
import { SpeakPanel } from './voice/speak-panel.js';
import { speaker } from './voice/speakers.js';
import { ear } from './speech/transcription.js';
import { StatusPill } from './status-pill.js';
import { ToolsPanel } from './tools/tools-panel.js';
import { WirePanel } from './wire/wire-panel.js';

interface Panel {
  title: string;
  view: ComponentType;
  /** The model that it asks, for the status; absent: the chosen chat model. */
  model?: () => string | undefined;
}

const PANELS: Record<string, Panel> = {
  chat: { title: 'Chat', view: ChatPanel },
  tools: { title: 'Tools', view: ToolsPanel },
  json: { title: 'JSON', view: JsonPanel },
  decide: { title: 'Decide', view: DecidePanel },
  speech: { title: 'Speech', view: SpeechPanel, model: () => ear.value },
  speak: { title: 'Speak', view: SpeakPanel, model: () => speaker.value?.id },
  search: { title: 'Search', view: SearchPanel, model: () => embedder.value },
  models: { title: 'Models', view: ModelsPanel },
  metrics: { title: 'Metrics', view: MetricsPanel },
  check: { title: 'Check', view: CheckPanel },
};

/** In the address too, so that a panel has a link. */
const chosen = signal(location.hash.slice(1) in PANELS ? location.hash.slice(1) : 'chat');
/** On narrow screens the wire takes the panel's place. */
const showsWire = signal(false);

function choose(name: string): void {
  chosen.value = name;
  showsWire.value = false;
  history.replaceState(null, '', `#${name}`);
}

export function App() {
  const { view: View, model } = PANELS[chosen.value] ?? PANELS['chat']!;
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
          <button type="button" class="small" onClick={() => choose('check')}>
            Check this page
          </button>
        </p>
      ) : null}
      <main class="columns" data-shows={showsWire.value ? 'wire' : 'panel'} aria-busy={isStarting()}>
        <section class="panel" aria-label={PANELS[chosen.value]?.title}>
          <View />
        </section>
        <WirePanel />
      </main>
    </div>
  );
}

function Tabs() {
  return (
    <nav aria-label="Panels">
      {Object.entries(PANELS).map(([name, { title }]) => {
        const isCurrent = name === chosen.value && !showsWire.value;
        return (
          <button
            key={name}
            type="button"
            class={name === chosen.value ? 'tab chosen' : 'tab'}
            aria-current={isCurrent ? 'page' : undefined}
            onClick={() => choose(name)}
          >
            {title}
          </button>
        );
      })}
      <button
        type="button"
        class="tab narrow-only"
        aria-current={showsWire.value ? 'page' : undefined}
        onClick={() => (showsWire.value = true)}
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
