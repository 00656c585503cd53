/** What stands where no conversation is yet: what can be asked, and of what. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { chatModel } from '../inference.js';
import { downloadWords, ModelOffer } from '../models/model-offer.js';
import { findRecommendation, hasGPU, recommendation } from '../models/recommendation.js';
import { focusComposer } from './composer.js';
import { send } from './conversation.js';

/** Of what the card of tiny-chat calls reliable. */
const RELIABLE = [
  'What is the capital of France?',
  'Who are you?',
  'Tell me a very short story.',
  'Make this more polite: Send me the file now.',
];

/** For a model that someone added, of which nothing is known here. */
const OPEN = ['What is the capital of France?', 'Explain tides to a child.', 'Write a haiku about rain.'];

const NOTE_KEY = 'inpage-demo-knows-tiny';
const knowsTiny = signal(localStorage.getItem(NOTE_KEY) !== null);

function putNoteAway(): void {
  localStorage.setItem(NOTE_KEY, 'yes');
  knowsTiny.value = true;
}

export function Welcome() {
  const isTiny = chatModel.value === 'tiny-chat';
  const ask = (text: string): void => {
    void send(text);
    focusComposer();
  };
  // A list that cannot be fetched is not an offer.
  useEffect(() => void findRecommendation().catch(() => {}), []);
  return (
    <div class="welcome">
      <h2>AI models that run inside this page</h2>
      <p>
        Inpage gives a web page its own <code>/v1</code>: an API like OpenAI's and Anthropic's, answered on your device,
        without a server or a key. Ask something, then switch the network off and ask again.{' '}
        <a href="/docs/">How it works</a>
      </p>
      {hasGPU.value ? <Recommended /> : null}
      <div class="suggestions">
        {(isTiny ? RELIABLE : OPEN).map((text) => (
          <button key={text} type="button" onClick={() => ask(text)}>
            {text}
          </button>
        ))}
      </div>
      {isTiny && !knowsTiny.value ? <TinyNote /> : null}
      {hasGPU.value ? null : <Recommended />}
    </div>
  );
}

/** Said once. */
function TinyNote() {
  return (
    <aside class="card tiny-note" aria-label="About tiny-chat">
      <p>
        tiny-chat has 6.8 million parameters and comes with the page. It handles the suggestions above well, and often
        gets anything else wrong.
      </p>
      <button type="button" class="small" onClick={putNoteAway}>
        Got it
      </button>
    </aside>
  );
}

/** A model that answers well, where this device can run one. */
function Recommended() {
  const found = recommendation.value;
  if (!found) return null;
  const { entry, bytes } = found;
  return (
    <ModelOffer
      entry={entry}
      needs={downloadWords(bytes)}
      label="Better answers"
      onReady={() => (chatModel.value = entry.id)}
    />
  );
}
