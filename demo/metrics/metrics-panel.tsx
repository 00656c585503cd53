/** Speed and waiting of the last requests by kind of model, memory, and the queue. */
import { useEffect, useState } from 'preact/hooks';
import { inference, models, statusVersion } from '../inference.js';
import { Chart, shortNumber } from './chart.js';
import { type Kind, type KindName, KINDS } from './kinds.js';
import { Memory } from './memory.js';
import { requestLog, type RequestRecord } from './request-log.js';

/** Milliseconds between two looks at the queue. */
const LOOK_INTERVAL = 500;

/** Rows of a table. */
const ROWS = 12;

export function MetricsPanel() {
  const records = requestLog.value;
  const kinds = (Object.keys(KINDS) as KindName[]).filter((kind) => records.some((record) => record.kind === kind));
  return (
    <div class="tool metrics">
      <h2>Metrics</h2>
      <p class="quiet">The most recent requests, measured in this page. Waiting time includes loading the model.</p>
      <dl class="facts-list">
        <Memory />
        <Queue />
      </dl>
      {kinds.length === 0 ? <p class="quiet">No requests yet. Send one in another panel.</p> : null}
      {kinds.map((kind) => (
        <KindView key={kind} kind={KINDS[kind]} records={records.filter((record) => record.kind === kind)} />
      ))}
    </div>
  );
}

function KindView({ kind, records }: { kind: Kind; records: readonly RequestRecord[] }) {
  const { title, first, counted } = kind;
  return (
    <section aria-label={title}>
      <h3 class="section">{title}</h3>
      <div class="charts">
        {first ? <Chart title={first} unit="ms" values={records.map((record) => record.first)} /> : null}
        <Chart title="Total time" unit="ms" values={records.map(({ total }) => total)} />
        {counted ? <Chart title={`${counted} per second`} unit="/s" values={records.map(({ rate }) => rate)} /> : null}
      </div>
      <RequestTable kind={kind} records={records.toReversed().slice(0, ROWS)} />
    </section>
  );
}

function Queue() {
  const [, look] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => look((count) => count + 1), LOOK_INTERVAL);
    return () => clearInterval(timer);
  }, []);
  void statusVersion.value;
  const waiting = inference.value?.status().filter(({ queued, state }) => queued > 0 || state === 'busy') ?? [];
  const words = waiting.map(({ id, queued }) => `${id}: ${queued > 0 ? `${queued} waiting` : 'at work'}`);
  return (
    <div>
      <dt>Queue</dt>
      <dd>{words.length > 0 ? words.join(', ') : `empty, of ${models.value.length} models`}</dd>
    </div>
  );
}

function RequestTable({ kind, records }: { kind: Kind; records: readonly RequestRecord[] }) {
  const { title, first, counted } = kind;
  return (
    <div class="requests" role="region" aria-label={`Last requests: ${title}`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Request</th>
            <th scope="col">Model</th>
            {first ? <th scope="col">{first} (ms)</th> : null}
            <th scope="col">Total (ms)</th>
            {counted ? <th scope="col">{counted}/s</th> : null}
          </tr>
        </thead>
        <tbody>
          {records.map(({ key, path, model, first: wait, rate, total }) => (
            <tr key={key}>
              <td>
                <code>{path}</code>
              </td>
              <td>{model}</td>
              {first ? <td>{wait}</td> : null}
              <td>{total ?? 'runs'}</td>
              {counted ? <td>{rate === undefined ? '' : shortNumber(rate)}</td> : null}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
