/** Text to speech: what to say, in which voice, how fast; and the sound, to be heard and kept. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { inference } from '../inference.js';
import { gets } from '../models/get-model.js';
import { downloadWords, ModelOffer } from '../models/model-offer.js';
import { Problem } from '../parts/problem.js';
import { Waveform } from '../speech/waveform.js';
import { problem, running, sound, speak, speed, stop, text, voice } from './speak-run.js';
import { chooseSpeaker, HUB_SPEAKER, HUB_SPEAKER_BYTES, speaker, speakers, voices } from './speakers.js';

export function SpeakPanel() {
  return (
    <div class="tool speech">
      <h2>Read aloud</h2>
      <p class="quiet">
        <code>POST /v1/audio/speech</code>. No voice is bundled. After you add one, the chat can read answers aloud, and
        you can hold its microphone button to talk to it.
      </p>
      {!speaker.value || gets.value[HUB_SPEAKER.id] ? (
        <ModelOffer entry={HUB_SPEAKER} needs={downloadWords(HUB_SPEAKER_BYTES)} label="A voice" />
      ) : null}
      {speaker.value ? <SpeakForm model={speaker.value.id} /> : null}
      {sound.value ? <Sound file={sound.value} /> : null}
    </div>
  );
}

function SpeakForm({ model }: { model: string }) {
  const submit = (event: Event): void => {
    event.preventDefault();
    void speak();
  };
  return (
    <form class="speak-form" onSubmit={submit}>
      <textarea
        class="query"
        rows={3}
        maxLength={4096}
        aria-label="Text to speak"
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      <div class="row">
        <SpeechChoices model={model} />
        <span class="push" />
        {running.value ? (
          <button type="button" class="primary stop" onClick={stop}>
            Stop
          </button>
        ) : (
          <button type="submit" class="primary" disabled={!inference.value || !text.value.trim()}>
            Speak
          </button>
        )}
      </div>
      <Problem message={problem.value} />
    </form>
  );
}

function SpeechChoices({ model }: { model: string }) {
  return (
    <>
      <select aria-label="Speaker" value={model} onChange={(event) => chooseSpeaker(event.currentTarget.value)}>
        {speakers.value.map(({ id }) => (
          <option key={id} value={id}>
            {id}
          </option>
        ))}
      </select>
      <label class="quiet">
        Voice{' '}
        <select aria-label="Voice" value={voice.value} onChange={(event) => (voice.value = event.currentTarget.value)}>
          {voices.value.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label class="quiet speak-speed">
        Speed{' '}
        <input
          type="range"
          min={0.5}
          max={2}
          step={0.05}
          value={speed.value}
          onInput={(event) => (speed.value = event.currentTarget.valueAsNumber)}
        />{' '}
        {speed.value.toFixed(2)} ×
      </label>
    </>
  );
}

function Sound({ file }: { file: File }) {
  const url = useMemo(() => URL.createObjectURL(file), [file]);
  const [played, setPlayed] = useState(0);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  useEffect(() => setPlayed(0), [file]);
  return (
    <section class="card transcript" aria-label="Spoken">
      <Waveform file={file} played={played} />
      <audio
        controls
        autoPlay
        src={url}
        onTimeUpdate={({ currentTarget: { currentTime, duration } }) =>
          setPlayed(duration > 0 ? currentTime / duration : 0)
        }
      />
      <footer class="row">
        <a href={url} download={file.name}>
          Download
        </a>
      </footer>
    </section>
  );
}
