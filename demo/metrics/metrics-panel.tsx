/** Speed and waiting of the last requests, memory, and the queue. */
import { useEffect, useState } from 'preact/hooks';
import { inference, models, statusVersion } from '../inference.js';
import { formatBytes } from '../parts/format-bytes.js';
import { measureMemory } from './page-memory.js';
import { requestLog, type RequestRecord } from './request-log.js';

/** Milliseconds between two looks at the queue. */
const LOOK_INTERVAL = 500;

export function MetricsPanel() {
  const records = requestLog.value;
  return (
    <div class="tool metrics">
      <h2>Metrics</h2>
      <p class="quiet">Of this page’s last requests, as the page itself saw them.</p>
      <div class="charts">
        <Chart title="Tokens per second" records={records} value={({ tokensPerSecond }) => tokensPerSecond} unit="" />
        <Chart title="Time to first token" records={records} value={({ firstToken }) => firstToken} unit=" ms" />
      </div>
      <dl class="facts-list">
        <Memory />
        <Queue />
      </dl>
      {records.length === 0 ? (
        <p class="quiet">No request yet: ask something in one of the other panels.</p>
      ) : (
        <RequestTable records={records} />
      )}
    </div>
  );
}

interface ChartProps {
  title: string;
  records: readonly RequestRecord[];
  value: (record: RequestRecord) => number | undefined;
  unit: string;
}

/** A bar per request; the table below has the numbers. */
function Chart({ title, records, value, unit }: ChartProps) {
  const values = records.map(value);
  const most = Math.max(1, ...values.map((number) => number ?? 0));
  const last = values.findLast((number) => number !== undefined);
  return (
    <figure class="card chart">
      <figcaption>
        {title} <b>{last === undefined ? '–' : `${Math.round(last)}${unit}`}</b>
      </figcaption>
      <svg viewBox="0 0 240 60" preserveAspectRatio="none" aria-hidden="true">
        {values.map((number, index) => {
          const height = (56 * (number ?? 0)) / most;
          return <rect key={records[index]?.key} x={index * 10 + 1} y={60 - height} width={8} height={height} rx={1} />;
        })}
      </svg>
    </figure>
  );
}

function Memory() {
  const [text, setText] = useState('being measured');
  useEffect(() => {
    void measureMemory().then((bytes) =>
      setText(bytes === undefined ? 'this browser does not say' : `${formatBytes(bytes)}, workers included`),
    );
  }, []);
  return (
    <div>
      <dt>Memory</dt>
      <dd>{text}</dd>
    </div>
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

function RequestTable({ records }: { records: readonly RequestRecord[] }) {
  return (
    <div class="requests" role="region" aria-label="Last requests" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Request</th>
            <th scope="col">Model</th>
            <th scope="col">First token</th>
            <th scope="col">Tokens/s</th>
            <th scope="col">In all</th>
          </tr>
        </thead>
        <tbody>
          {records.toReversed().map(({ key, path, model, firstToken, tokensPerSecond, total }) => (
            <tr key={key}>
              <td>
                <code>{path}</code>
              </td>
              <td>{model}</td>
              <td>{firstToken === undefined ? '' : `${firstToken} ms`}</td>
              <td>{tokensPerSecond === undefined ? '' : Math.round(tokensPerSecond)}</td>
              <td>{total === undefined ? 'runs' : `${total} ms`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
