/** The microphone. */
import { signal } from '@preact/signals';

/** A take longer than this ends by itself. */
const LONGEST_TAKE = 60_000;

export const isRecording = signal(false);

let recorder: MediaRecorder | undefined;

/** Resolves with the take once {@link stopRecording} was called. Rejects when there is no microphone, or no permission. */
export async function record(): Promise<File> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  const current = (recorder = new MediaRecorder(stream));
  const chunks: Blob[] = [];
  const timer = setTimeout(stopRecording, LONGEST_TAKE);
  try {
    return await new Promise((resolve, reject) => {
      current.ondataavailable = ({ data }) => chunks.push(data);
      current.onerror = () => reject(new Error('The recording broke off.'));
      current.onstop = () => {
        const type = current.mimeType.split(';')[0] ?? '';
        resolve(new File(chunks, `microphone.${type.includes('mp4') ? 'mp4' : 'webm'}`, { type }));
      };
      current.start();
      isRecording.value = true;
    });
  } finally {
    clearTimeout(timer);
    isRecording.value = false;
    for (const track of stream.getTracks()) track.stop();
  }
}

export function stopRecording(): void {
  if (recorder?.state === 'recording') recorder.stop();
}
