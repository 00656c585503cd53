/** The request as it was sent and the events as they come. */
import { useEffect, useRef } from 'preact/hooks';
import { events, request } from './wire-log.js';

export function WirePanel() {
  const log = useRef<HTMLOListElement>(null);
  const shown = events.value;
  useEffect(() => {
    if (log.current) log.current.scrollTop = log.current.scrollHeight;
  }, [shown]);
  return (
    <aside class="wire" aria-label="On the wire">
      <h2>On the wire</h2>
      {request.value ? (
        <>
          <p class="request-line">{request.value.line}</p>
          <pre>{JSON.stringify(request.value.body, null, 2)}</pre>
          <ol ref={log} class="events">
            {shown.map((data, index) => (
              <li key={index}>{data}</li>
            ))}
          </ol>
        </>
      ) : (
        <>
          <p>Any client works. For example the official one:</p>
          <pre>{EXAMPLE}</pre>
        </>
      )}
    </aside>
  );
}

const EXAMPLE = `const inference = await startInference();

const openai = new OpenAI({
  baseURL: inference.baseURL,
  apiKey: 'none',
  dangerouslyAllowBrowser: true,
});

const stream = await openai.chat.completions.create({
  model: 'tiny-chat',
  messages: [{ role: 'user', content: 'Hello!' }],
  stream: true,
});`;
