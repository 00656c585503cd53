/** Compressed sound by WebCodecs, and MP3 by LAME. Imported on demand. @module */
import {
  AdtsOutputFormat,
  type AudioCodec,
  AudioSample,
  AudioSampleSource,
  BufferTarget,
  canEncodeAudio,
  FlacOutputFormat,
  Mp3OutputFormat,
  OggOutputFormat,
  Output,
  type OutputFormat,
  NullTarget,
  StreamTarget,
} from 'mediabunny';
import { InferenceError } from '../core/errors/inference-error.js';
import { joinBytes } from '../core/media/pcm.js';
import { SPEECH_FORMATS, SPEECH_RATE, type SpeechFormat } from '../core/request/speech-request.js';
import type { SpeechEncoder } from './speech-encoder.js';

type Compressed = Exclude<SpeechFormat, 'pcm' | 'wav'>;

interface Kind {
  codec: AudioCodec;
  /** Bits per second; speech of one channel needs no more. */
  bitrate: number;
  /** @param onPage told of each page, of formats that have them */
  format: (onPage: (page: Uint8Array) => unknown) => OutputFormat;
  /** Nothing that was written is changed later, so it can be sent at once. */
  streams: boolean;
}

const KINDS: Record<Compressed, Kind> = {
  mp3: { codec: 'mp3', bitrate: 96_000, format: () => new Mp3OutputFormat({ xingHeader: false }), streams: true },
  opus: {
    codec: 'opus',
    bitrate: 64_000,
    format: (onPage) => new OggOutputFormat({ maximumPageDuration: 0.5, onPage }),
    streams: true,
  },
  aac: { codec: 'aac', bitrate: 96_000, format: () => new AdtsOutputFormat(), streams: true },
  // Its first block says how long it is.
  flac: { codec: 'flac', bitrate: 0, format: () => new FlacOutputFormat(), streams: false },
};

/** @throws InferenceError see `openSpeechEncoder` */
export async function openCodecEncoder(name: Compressed): Promise<SpeechEncoder> {
  if (!(await canEncode(name))) throw await cannotEncode();
  const { codec, bitrate, format, streams } = KINDS[name];
  const written: Uint8Array[] = [];
  const buffer = streams ? undefined : new BufferTarget();
  const write = ({ data }: { data: Uint8Array }): void => void written.push(data.slice());
  const target = buffer ?? (name === 'opus' ? new NullTarget() : new StreamTarget(new WritableStream({ write })));
  const onPage = (page: Uint8Array): void => void written.push(withFixedSerial(page));
  const output = new Output({ format: format(onPage), target });
  const source = new AudioSampleSource(bitrate > 0 ? { codec, bitrate } : { codec });
  output.addAudioTrack(source);
  await output.start();
  const take = (): Uint8Array<ArrayBuffer> => joinBytes(written.splice(0));
  let samplesSoFar = 0;
  return {
    async push(data) {
      if (data.length > 0) {
        const timestamp = samplesSoFar / SPEECH_RATE;
        samplesSoFar += data.length;
        const facts = { format: 'f32-planar', numberOfChannels: 1, sampleRate: SPEECH_RATE, timestamp } as const;
        const sample = new AudioSample({ data, ...facts });
        try {
          await source.add(sample);
        } catch (thrown) {
          throw name === 'mp3' ? noMp3(thrown) : thrown;
        } finally {
          sample.close();
        }
      }
      return take();
    },
    async end() {
      await output.finalize();
      if (buffer) written.push(new Uint8Array(buffer.buffer!));
      return take();
    },
    async close() {
      if (output.state === 'started') await output.cancel();
    },
  };
}

async function canEncode(name: Compressed): Promise<boolean> {
  if (name === 'mp3') await registerMp3();
  const { codec, bitrate } = KINDS[name];
  return canEncodeAudio(codec, {
    numberOfChannels: 1,
    sampleRate: SPEECH_RATE,
    ...(bitrate > 0 && { bitrate }),
  });
}

let registering: Promise<void> | undefined;

/** No browser encodes MP3 by itself. */
async function registerMp3(): Promise<void> {
  registering ??= import('@mediabunny/mp3-encoder').then(({ registerMp3Encoder }) => registerMp3Encoder());
  await registering;
}

/** LAME runs in a worker of its own. */
function noMp3(cause: unknown): InferenceError {
  const message =
    '`response_format`: the worker that encodes MP3 failed. A Content Security Policy must allow it in `worker-src`; ' +
    '`wav` and `pcm` need no worker.';
  return new InferenceError('invalid_request', message, { param: 'response_format' }, { cause });
}

async function cannotEncode(): Promise<InferenceError> {
  const able: string[] = [];
  for (const name of SPEECH_FORMATS)
    if (name === 'pcm' || name === 'wav' || (await canEncode(name))) able.push(`\`${name}\``);
  const message = `\`response_format\`: this browser cannot encode it. It can encode ${able.join(', ')}.`;
  return new InferenceError('invalid_request', message, { param: 'response_format' });
}

const SERIAL_AT = 14;
const CHECKSUM_AT = 22;

/** A copy of a page with serial number 1: muxers draw one, and equal requests must give equal bytes. */
function withFixedSerial(page: Uint8Array): Uint8Array<ArrayBuffer> {
  const fixed = Uint8Array.from(page);
  const view = new DataView(fixed.buffer);
  view.setUint32(SERIAL_AT, 1, true);
  view.setUint32(CHECKSUM_AT, 0, true);
  view.setUint32(CHECKSUM_AT, checksum(fixed), true);
  return fixed;
}

/** CRC-32 as Ogg has it: the polynomial 0x04c11db7, the highest bit first, nothing inverted. */
function checksum(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) sum = sum < 0 ? (sum << 1) ^ 0x04c11db7 : sum << 1;
  }
  return sum >>> 0;
}
