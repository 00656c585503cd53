/** The frame: header, the chosen panel, and the wire. */
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { ChatPanel } from './chat/chat-panel.js';
import { inference, startError } from './inference.js';
import { LoadBar } from './load-bar.js';
import { ModelsPanel } from './models/models-panel.js';
import { StatusPill } from './status-pill.js';
import { WirePanel } from './wire/wire-panel.js';

interface Panel {
  title: string;
  view: ComponentType;
}

const PANELS: Record<string, Panel> = {
  chat: { title: 'Chat', view: ChatPanel },
  models: { title: 'Models', view: ModelsPanel },
};

const chosen = signal('chat');

export function App() {
  const { view: View } = PANELS[chosen.value] ?? { view: ChatPanel };
  return (
    <div class="frame">
      <header class="top">
        <h1>
          <span class="mark" aria-hidden="true">
            in
          </span>
          page
        </h1>
        <nav aria-label="Panels">
          {Object.entries(PANELS).map(([name, panel]) => (
            <button
              key={name}
              type="button"
              class={name === chosen.value ? 'tab chosen' : 'tab'}
              aria-current={name === chosen.value ? 'page' : undefined}
              onClick={() => (chosen.value = name)}
            >
              {panel.title}
            </button>
          ))}
        </nav>
        <StatusPill />
      </header>
      <LoadBar />
      {startError.value ? (
        <p class="alert" role="alert">
          {startError.value}
        </p>
      ) : null}
      <main class="columns" aria-busy={!inference.value && !startError.value}>
        <section class="panel">
          <View />
        </section>
        <WirePanel />
      </main>
    </div>
  );
}
