/** The request as it was sent, as code to take along, and the events as they come. */
import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { chosenPanel } from '../chosen-panel.js';
import { formatJson } from '../parts/format-json.js';
import { Segmented } from '../parts/segmented.js';
import { useFollowedEnd } from '../parts/use-followed-end.js';
import { SNIPPETS } from './code-snippet.js';
import { type EventSummary, describeEvent } from './describe-event.js';
import { newestTurn } from './newest-turn.js';
import { type WireEvent, type WireRequest, eventCount, events, request, sentFrom } from './wire-log.js';
import { CopyButton } from '../parts/copy-button.js';

const WELCOME: WireRequest = {
  path: '/chat/completions',
  sentAs: 'json',
  body: { model: 'tiny-chat', messages: [{ role: 'user', content: 'Hello!' }], stream: true },
};

/** Pixels from the end that still count as the end. */
const NEAR = 8;

/** @param example what the panel would send now, shown until it has sent something */
export function WirePanel({ example }: { example: WireRequest | undefined }) {
  const isOwn = !example || sentFrom.value === chosenPanel.value;
  const sent = isOwn ? request.value : undefined;
  return (
    <aside class="wire" aria-label="On the wire">
      <header>
        <h2>On the wire</h2>
      </header>
      {sent ? (
        <>
          <p class="request-line">
            POST <b>/v1{sent.path}</b>
          </p>
          <RequestBody body={sent.body} />
          <Code key="sent" request={sent} isOpen={false} />
          <EventList />
        </>
      ) : example ? (
        <>
          <p class="request-line">
            POST <b>/v1{example.path}</b>
          </p>
          <RequestBody body={example.body} />
          <Code key="example" request={example} isOpen={false} />
          <p class="quiet">Not sent yet.</p>
        </>
      ) : (
        <>
          <p class="quiet">Whatever the panels send shows up here. Any client works, for example the official one:</p>
          <Code key="welcome" request={WELCOME} isOpen />
        </>
      )}
    </aside>
  );
}

/** The newest turn, whose words are new on the wire; those before it on demand. */
function RequestBody({ body }: { body: WireRequest['body'] }) {
  const [showsAll, setShowsAll] = useState(false);
  const { shown, left } = newestTurn(body);
  return (
    <>
      <pre class="body" tabIndex={0} aria-label="Request body">
        {formatJson(showsAll ? body : shown)}
      </pre>
      {left > 0 ? (
        <button type="button" class="small earlier" aria-pressed={showsAll} onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? 'Newest turn only' : `Show ${left} earlier ${left === 1 ? 'turn' : 'turns'}`}
        </button>
      ) : null}
    </>
  );
}

function EventList() {
  const shown = events.value;
  const list = useFollowedEnd<HTMLOListElement>(shown, NEAR);
  return (
    <>
      <p class="request-line">
        {eventCount.value} {eventCount.value === 1 ? 'event' : 'events'}
      </p>
      <ol ref={list} class="events" tabIndex={0} aria-label="Events">
        {shown.map((event) => (
          <EventLine key={event.key} event={event} />
        ))}
      </ol>
    </>
  );
}

/** What it says first; the whole event when it is opened. */
function EventLine({ event }: { event: WireEvent }) {
  const { label, text, tone }: EventSummary = describeEvent(event.data);
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <details onToggle={(toggled) => setOpen(toggled.currentTarget.open)}>
        <summary>
          <b data-tone={tone}>{label}</b>
          <span>{text}</span>
          <time>{event.at} ms</time>
        </summary>
        {isOpen ? <pre>{formatted(event.data)}</pre> : null}
      </details>
    </li>
  );
}

/** Which of the snippets is shown. */
const chosen = signal('openai');

/** The request as code, a tab for each way to write it. */
function Code({ request: shown, isOpen }: { request: WireRequest; isOpen: boolean }) {
  const [showsCode, setShowsCode] = useState(isOpen);
  const fitting = Object.entries(SNIPPETS).filter(([, { fits }]) => fits(shown));
  const [name, kind] = fitting.find(([candidate]) => candidate === chosen.value) ?? fitting[0]!;
  const code = kind.write(shown);
  return (
    <details class="code" open={showsCode} onToggle={(toggled) => setShowsCode(toggled.currentTarget.open)}>
      <summary>As code</summary>
      {showsCode ? (
        <>
          <div class="row">
            <Segmented
              label="Written for"
              choices={fitting.map(([value, { title }]) => [value, title] as const)}
              value={name}
              onChange={(value) => (chosen.value = value)}
            />
            <span class="push" />
            <CopyButton code={code} />
          </div>
          <pre tabIndex={0} aria-label="Code">
            {code}
          </pre>
        </>
      ) : null}
    </details>
  );
}

function formatted(data: string): string {
  try {
    return formatJson(JSON.parse(data));
  } catch {
    return data;
  }
}
