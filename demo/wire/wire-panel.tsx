/** The request as it was sent, as code to take along, and the events as they come. */
import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { formatJson } from '../parts/format-json.js';
import { useFollowedEnd } from '../parts/use-followed-end.js';
import { clientSnippet, fetchSnippet } from './code-snippet.js';
import { type EventSummary, describeEvent } from './describe-event.js';
import { type WireEvent, type WireRequest, eventCount, events, request } from './wire-log.js';

const WELCOME: WireRequest = {
  path: '/chat/completions',
  isForm: false,
  body: { model: 'tiny-chat', messages: [{ role: 'user', content: 'Hello!' }], stream: true },
};

/** Pixels from the end that still count as the end. */
const NEAR = 8;

export function WirePanel() {
  const sent = request.value;
  return (
    <aside class="wire" aria-label="On the wire">
      <header>
        <h2>On the wire</h2>
        <CopyButton label="fetch" code={fetchSnippet(sent ?? WELCOME)} />
        <CopyButton label="SDK" code={clientSnippet(sent ?? WELCOME)} />
      </header>
      {sent ? (
        <>
          <p class="request-line">
            POST <b>/v1{sent.path}</b>
          </p>
          <pre tabIndex={0} aria-label="Request body">
            {formatJson(sent.body)}
          </pre>
          <EventList />
        </>
      ) : (
        <>
          <p class="quiet">Whatever the panels send shows up here. Any client works, for example the official one:</p>
          <pre class="tall">{clientSnippet(WELCOME)}</pre>
        </>
      )}
    </aside>
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

const copied = signal('');

function CopyButton({ label, code }: { label: string; code: string }) {
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(code);
    copied.value = label;
    setTimeout(() => (copied.value = ''), 1500);
  };
  return (
    <button type="button" class="small" title={`Copy this request as code (${label})`} onClick={() => void copy()}>
      {copied.value === label ? 'Copied' : `Copy ${label}`}
    </button>
  );
}

function formatted(data: string): string {
  try {
    return formatJson(JSON.parse(data));
  } catch {
    return data;
  }
}
