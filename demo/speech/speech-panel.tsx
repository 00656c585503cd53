/** Speech to text: from the microphone, a file or a bundled clip, shown as it is understood. */
import { useEffect, useMemo } from 'preact/hooks';
import { inference } from '../inference.js';
import { Segmented } from '../parts/segmented.js';
import { problemOf } from '../parts/problem-of.js';
import { Problem } from '../parts/problem.js';
import { Clips } from './clips.js';
import { endLive, isLive } from './live.js';
import { isRecording, levels, record, stopRecording } from './recorder.js';
import {
  language,
  listen,
  listenLive,
  note,
  problem,
  recording,
  running,
  speechTask,
  stop,
  transcribe,
  transcript,
} from './transcription.js';
import { Bars, Waveform } from './waveform.js';

const TASKS = [
  ['transcriptions', 'Transcribe'],
  ['translations', 'Translate to English'],
] as const;

const LANGUAGES = { '': 'find the language', en: 'English', de: 'German', fr: 'French', es: 'Spanish' };

export function SpeechPanel() {
  return (
    <div class="tool speech">
      <h2>Transcribe</h2>
      <p class="quiet">
        <code>POST /v1/audio/transcriptions</code> with <code>stream: true</code>. The bundled model was trained on
        synthetic voices and everyday sentences. It transcribes the sample clips well, but gets most human speech wrong.
      </p>
      <Sources />
      <Options />
      {recording.value ? <Transcript file={recording.value} /> : <LiveTranscript />}
    </div>
  );
}

function Sources() {
  const isReady = inference.value !== undefined;
  const recordTake = (): Promise<void> => attempt(async () => listen(await record()));
  return (
    <fieldset class="sources" disabled={!isReady}>
      <legend class="hidden">Recording</legend>
      <div class="row">
        {isRecording.value ? (
          <button type="button" class="primary stop" onClick={stopRecording}>
            Stop recording
          </button>
        ) : (
          <button type="button" class="primary" disabled={isLive.value} onClick={() => void recordTake()}>
            Record
          </button>
        )}
        {isLive.value ? (
          <button type="button" class="primary stop" onClick={endLive}>
            Stop listening
          </button>
        ) : (
          <button
            type="button"
            disabled={isRecording.value}
            title="Writes each phrase down when you pause"
            onClick={() => void attempt(listenLive)}
          >
            Listen live
          </button>
        )}
        <label class="button">
          Choose a file
          <input
            class="hidden"
            type="file"
            accept="audio/*,video/mp4,video/webm"
            onChange={({ currentTarget: { files } }) => {
              if (files?.[0]) void listen(files[0]);
            }}
          />
        </label>
        <span class="quiet">or a clip:</span>
      </div>
      {isRecording.value || isLive.value ? <Bars label="Level" levels={levels.value} /> : null}
      <Clips chosen={recording.value?.name} onChoose={(file) => void listen(file)} />
      {problem.value && !recording.value ? (
        <p class="alert" role="alert">
          {problem.value}
        </p>
      ) : null}
    </fieldset>
  );
}

/** A browser without a microphone, or a visitor who refuses it, is told so. */
async function attempt(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    problem.value = problemOf(error);
  }
}

function Options() {
  return (
    <div class="row">
      <Segmented
        label="Task"
        choices={TASKS}
        value={speechTask.value}
        onChange={(task) => {
          speechTask.value = task;
          void transcribe();
        }}
      />
      <select
        aria-label="Spoken language"
        value={language.value}
        onChange={(event) => {
          language.value = event.currentTarget.value;
          void transcribe();
        }}
      >
        {Object.entries(LANGUAGES).map(([code, name]) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

/** What is said into the microphone, phrase by phrase. */
function LiveTranscript() {
  if (!isLive.value && !running.value && !transcript.value && !note.value) return null;
  return (
    <section class="card transcript" aria-label="Transcript" aria-busy={running.value}>
      <Written />
      <p class="quiet">{note.value}</p>
    </section>
  );
}

function Written() {
  return (
    <p role="status" data-testid="transcript">
      {transcript.value}
      {running.value ? <span class="waiting" aria-label="listening" /> : null}
    </p>
  );
}

function Transcript({ file }: { file: File }) {
  const url = useMemo(() => URL.createObjectURL(file), [file]);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  return (
    <section class="card transcript" aria-label="Transcript" aria-busy={running.value}>
      <Waveform file={file} />
      <audio controls src={url} />
      <Written />
      <Problem message={problem.value} />
      <footer class="row">
        <span class="quiet">{[file.name, note.value].filter(Boolean).join(' · ')}</span>
        {running.value ? (
          <button type="button" class="small" onClick={stop}>
            Stop
          </button>
        ) : (
          <button type="button" class="small" onClick={() => void transcribe()}>
            Again
          </button>
        )}
      </footer>
    </section>
  );
}
