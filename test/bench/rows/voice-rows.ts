/** Sentences spoken per second over the pipeline, and how soon the first bytes of ten sentences come. */
import { askWorker } from '../ask-worker.js';
import { type BenchRow, compare, median } from '../bench-row.js';
import type { VoiceAnswer, VoiceOrder } from '../voice-worker.js';

const ROUNDS = 5;

export async function voiceRows(): Promise<BenchRow[]> {
  const worker = new Worker(new URL('../voice-worker.ts', import.meta.url), { type: 'module' });
  const speak = (kind: VoiceOrder['kind']): Promise<VoiceAnswer> => {
    const order: VoiceOrder = { kind, origin: location.origin };
    return askWorker<VoiceAnswer>(worker, order);
  };
  const pace = (kind: VoiceOrder['kind']) => async (): Promise<number> => {
    const { sentences, whole } = await speak(kind);
    return sentences / whole;
  };
  // Not seconds of sound: pauses between sentences cost us nothing.
  const name = 'voice: sentences per second over the pipeline';
  const rows = [await compare({ name, goal: 0.95, unit: 'sentences/s' }, pace('ours'), pace('pipeline'), ROUNDS)];
  // Both numbers are ours, so they come from the same run.
  const answers: VoiceAnswer[] = [];
  for (let round = 0; round < ROUNDS; round++) answers.push(await speak('ours'));
  const [ours, peer] = [median(answers.map(({ first }) => first)), median(answers.map(({ whole }) => whole))];
  const first = { name: 'voice: first bytes over the whole of ten sentences', goal: 0.2, unit: 's', lower: true };
  worker.terminate();
  return [...rows, { ...first, ours, peer, ratio: ours / peer }];
}
