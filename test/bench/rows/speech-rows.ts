/** Seconds heard per second over the pipeline, and how soon the first words of a long recording come. */
import { askWorker } from '../ask-worker.js';
import { type BenchRow, compare, median } from '../bench-row.js';
import type { SpeechAnswer, SpeechOrder } from '../speech-worker.js';

const LONG = { file: 'en-long.wav', language: 'en' };
const ROUNDS = 5;

interface Clip {
  file: string;
  language: string;
}

export async function speechRows(): Promise<BenchRow[]> {
  const worker = new Worker(new URL('../speech-worker.ts', import.meta.url), { type: 'module' });
  const hear = (kind: SpeechOrder['kind'], { file, language }: Clip): Promise<SpeechAnswer> => {
    const order: SpeechOrder = { kind, origin: location.origin, clip: file, language };
    return askWorker<SpeechAnswer>(worker, order);
  };
  const clips = ((await (await fetch('/models/tiny-whisper/clips/clips.json')).json()) as Clip[]).filter(
    ({ file }) => file !== 'silence.wav',
  );
  const realTimeFactor = (kind: SpeechOrder['kind']) => async (): Promise<number> => {
    let [length, spent] = [0, 0];
    for (const clip of clips) {
      const answer = await hear(kind, clip);
      length += answer.length;
      spent += answer.whole;
    }
    return length / spent;
  };
  const rows = [
    await compare(
      { name: 'speech: seconds heard per second over the pipeline', goal: 1.2, unit: 's/s' },
      realTimeFactor('ours'),
      realTimeFactor('pipeline'),
      ROUNDS,
    ),
    await firstWords(() => hear('ours', LONG)),
  ];
  worker.terminate();
  return rows;
}

/** Both numbers are ours, so they come from the same run. */
async function firstWords(hear: () => Promise<SpeechAnswer>): Promise<BenchRow> {
  const answers: SpeechAnswer[] = [];
  for (let round = 0; round < ROUNDS; round++) answers.push(await hear());
  const [ours, peer] = [median(answers.map(({ first }) => first)), median(answers.map(({ whole }) => whole))];
  return {
    name: 'speech: first words over the whole of 35 s',
    ours,
    peer,
    ratio: ours / peer,
    goal: 0.25,
    unit: 's',
    lower: true,
  };
}
