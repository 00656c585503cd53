/** Images and sound in all forms that pages have, as the service takes them. They are taken when the call is made. @module */
import { encodeBase64 } from '../core/media/base64.js';
import { joinBytes, toPcm, wavHeader } from '../core/media/pcm.js';

/** What speech models hear, in Hz. */
const SPEECH_RATE = 16_000;

/** Classes of what can be drawn. A realm without one of them has none of its objects. */
const DRAWABLE = [
  'ImageBitmap',
  'ImageData',
  'HTMLCanvasElement',
  'OffscreenCanvas',
  'HTMLImageElement',
  'SVGImageElement',
  'HTMLVideoElement',
  'VideoFrame',
] as const;

function isOf(value: unknown, name: string): boolean {
  const own = (globalThis as Record<string, unknown>)[name];
  return typeof own === 'function' && value instanceof own;
}

/** @throws TypeError for what is not an image; undecodable ones reject with InvalidStateError */
export function readImage(value: unknown): Promise<string> {
  const file = toFile(value);
  if (!file && !DRAWABLE.some((name) => isOf(value, name))) throw new TypeError('The `value` is not an image.');
  return handled(encodeImage(createImageBitmap(file ?? (value as ImageBitmapSource))));
}

/** @throws TypeError for what is not audio; undecodable ones reject with DataError */
export function readSound(value: unknown): Promise<Blob> {
  if (isOf(value, 'AudioBuffer')) return handled(resample(copyOf(value as AudioBuffer)));
  const file = toFile(value);
  if (!file) throw new TypeError('The `value` is not audio.');
  return handled(decodeSound(file));
}

/** Its failure is told where it is awaited, which may be later or never. */
function handled<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {});
  return promise;
}

/** A file, or a copy of its bytes. */
function toFile(value: unknown): Blob | undefined {
  if (value instanceof Blob) return value;
  if (value instanceof ArrayBuffer) return new Blob([value.slice(0)]);
  if (ArrayBuffer.isView(value))
    return new Blob([new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice()]);
  return undefined;
}

async function encodeImage(decoded: Promise<ImageBitmap>): Promise<string> {
  let bitmap: ImageBitmap;
  try {
    bitmap = await decoded;
  } catch {
    throw new DOMException('The image cannot be decoded.', 'InvalidStateError');
  }
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  canvas.getContext('2d')!.drawImage(bitmap, 0, 0);
  bitmap.close();
  const png = await canvas.convertToBlob({ type: 'image/png' });
  return `data:image/png;base64,${encodeBase64(new Uint8Array(await png.arrayBuffer()))}`;
}

async function decodeSound(file: Blob): Promise<Blob> {
  try {
    const context = new OfflineAudioContext(1, 1, SPEECH_RATE);
    return await resample(await context.decodeAudioData(await file.arrayBuffer()));
  } catch {
    throw new DOMException('The audio cannot be decoded.', 'DataError');
  }
}

function copyOf(buffer: AudioBuffer): AudioBuffer {
  const { numberOfChannels, length, sampleRate } = buffer;
  const copy = new AudioBuffer({ numberOfChannels, length, sampleRate });
  for (let channel = 0; channel < numberOfChannels; channel++)
    copy.copyToChannel(buffer.getChannelData(channel), channel);
  return copy;
}

/** One channel at the rate of speech, as a WAV file. */
async function resample(buffer: AudioBuffer): Promise<Blob> {
  const context = new OfflineAudioContext(1, Math.max(1, Math.ceil(buffer.duration * SPEECH_RATE)), SPEECH_RATE);
  const source = context.createBufferSource();
  source.buffer = buffer;
  source.connect(context.destination);
  source.start();
  const samples = toPcm((await context.startRendering()).getChannelData(0));
  return new Blob([joinBytes([wavHeader(SPEECH_RATE, samples.length), samples])], { type: 'audio/wav' });
}
