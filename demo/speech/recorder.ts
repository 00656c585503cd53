/** The microphone. */
import { signal } from '@preact/signals';

/** A take longer than this ends by itself. */
const MAX_TAKE_MS = 60_000;

export const isRecording = signal(false);
/** Loudness of the take so far, 0 to 1, the newest last. */
export const levels = signal<number[]>([]);

/** Levels kept in view, and milliseconds between two. */
const KEPT_LEVELS = 80;
const LEVEL_INTERVAL = 60;

let recorder: MediaRecorder | undefined;

/** Resolves with the take once {@link stopRecording} was called. Rejects when there is no microphone, or no permission. */
export async function record(): Promise<File> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  const current = (recorder = new MediaRecorder(stream));
  const chunks: Blob[] = [];
  const timer = setTimeout(stopRecording, MAX_TAKE_MS);
  const stopMeter = measureLevels(stream);
  try {
    return await new Promise((resolve, reject) => {
      current.ondataavailable = ({ data }) => chunks.push(data);
      current.onerror = () => reject(new Error('The recording stopped unexpectedly.'));
      current.onstop = () => {
        const type = current.mimeType.split(';')[0] ?? '';
        resolve(new File(chunks, `microphone.${type.includes('mp4') ? 'mp4' : 'webm'}`, { type }));
      };
      current.start();
      isRecording.value = true;
    });
  } finally {
    clearTimeout(timer);
    stopMeter();
    isRecording.value = false;
    for (const track of stream.getTracks()) track.stop();
  }
}

export function stopRecording(): void {
  if (recorder?.state === 'recording') recorder.stop();
}

/** Fills {@link levels} until the returned function is called. */
export function measureLevels(stream: MediaStream): () => void {
  const context = new AudioContext();
  const analyser = new AnalyserNode(context, { fftSize: 1024 });
  context.createMediaStreamSource(stream).connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  levels.value = [];
  const timer = setInterval(() => {
    analyser.getFloatTimeDomainData(samples);
    const level = Math.max(...samples.map(Math.abs));
    levels.value = [...levels.value, Math.min(1, level)].slice(-KEPT_LEVELS);
  }, LEVEL_INTERVAL);
  return () => {
    clearInterval(timer);
    void context.close();
  };
}
