/**
 * Decoders of sound for realms without WebCodecs (Node), or with ones that end the page (WebKit's): compiled to WebAssembly, each
 * compiled when a recording needs it.
 * @module
 */
import { FLACDecoder } from '@wasm-audio-decoders/flac';
import { OggVorbisDecoder } from '@wasm-audio-decoders/ogg-vorbis';
import * as ogg from 'codec-parser';
import { type AudioCodec, AudioSample, CustomAudioDecoder, type EncodedPacket, registerDecoder } from 'mediabunny';
import { MPEGDecoder } from 'mpg123-decoder';
import { OpusDecoder } from 'opus-decoder';
import { openAacDecoder } from './aac/aac-decoder.js';

/** Sound as it comes out of a decoder. */
export interface DecodedSound {
  /** One array per channel, all of one length. */
  channelData: readonly Float32Array[];
  /** Hz. */
  sampleRate: number;
  /** What was wrong with the packet. */
  errors?: readonly { message: string }[];
}

/** Decodes the packets of a track in their order. */
export interface PacketDecoder {
  decode(packet: Uint8Array): DecodedSound | Promise<DecodedSound>;
  free(): void;
}

/** What the container says of a track. */
type TrackConfig = Pick<AudioDecoderConfig, 'description' | 'numberOfChannels' | 'sampleRate'>;

const OPENERS: Partial<Record<AudioCodec, (config: TrackConfig) => Promise<PacketDecoder>>> = {
  aac: async (config) => openAacDecoder(bytesOf(config.description), config),
  flac: async () => {
    const decoder = new FLACDecoder();
    await decoder.ready;
    return { decode: (packet) => decoder.decodeFrames([packet]), free: () => decoder.free() };
  },
  mp3: async () => {
    // As browsers decode it: with the silence that encoders put before the first sample.
    const decoder = new MPEGDecoder({ enableGapless: false });
    await decoder.ready;
    return { decode: (packet) => decoder.decode(packet), free: () => decoder.free() };
  },
  opus: async ({ description, numberOfChannels: channels }) => {
    const decoder = new OpusDecoder({ channels, ...streamsOf(bytesOf(description), channels) });
    await decoder.ready;
    return { decode: (packet) => decoder.decodeFrame(packet), free: () => decoder.free() };
  },
  vorbis: async ({ description }) => {
    const [identification, , setup] = vorbisHeaders(bytesOf(description));
    const decoder = new OggVorbisDecoder();
    await decoder.ready;
    // The library knows packets only in pages of Ogg, and others have none.
    const pageOf = (packet: Uint8Array): ogg.OggPage =>
      ({
        [ogg.data]: identification,
        [ogg.codecFrames]: [{ [ogg.data]: packet, [ogg.header]: { [ogg.vorbisSetup]: setup } }],
      }) as unknown as ogg.OggPage;
    return { decode: (packet) => decoder.decodeOggPages([pageOf(packet)]), free: () => decoder.free() };
  },
};

class SoftwareDecoder extends CustomAudioDecoder {
  #decoder: PacketDecoder | undefined;

  static override supports(codec: AudioCodec): boolean {
    return codec in OPENERS;
  }

  async init(): Promise<void> {
    this.#decoder = await OPENERS[this.codec]!(this.config);
  }

  async decode({ data, timestamp }: EncodedPacket): Promise<void> {
    const { channelData, sampleRate, errors = [] } = await this.#decoder!.decode(data);
    if (errors[0]) throw new Error(errors[0].message);
    const frames = channelData[0]?.length ?? 0;
    if (frames === 0) return;
    const planes = new Float32Array(frames * channelData.length);
    for (const [channel, samples] of channelData.entries()) planes.set(samples, channel * frames);
    const numberOfChannels = channelData.length;
    this.onSample(new AudioSample({ data: planes, format: 'f32-planar', numberOfChannels, sampleRate, timestamp }));
  }

  flush(): void {}

  close(): void {
    this.#decoder?.free();
    this.#decoder = undefined;
  }
}

let isRegistered = false;

/** From now on every known codec is decoded by software in this realm. */
export function useSoftwareDecoders(): void {
  if (!isRegistered) registerDecoder(SoftwareDecoder);
  isRegistered = true;
}

function bytesOf(description: AllowSharedBufferSource | undefined): Uint8Array {
  if (description === undefined) return new Uint8Array(0);
  return ArrayBuffer.isView(description)
    ? new Uint8Array(description.buffer, description.byteOffset, description.byteLength)
    : new Uint8Array(description);
}

/** How more than two channels are made of an Opus track's streams, by its `OpusHead`. */
function streamsOf(head: Uint8Array, channels: number): object {
  if (channels <= 2 || head.length < 21 + channels) return {};
  const channelMappingTable = Array.from(head.subarray(21, 21 + channels));
  return { streamCount: head[19], coupledStreamCount: head[20], channelMappingTable };
}

/** The three headers of a Vorbis track, which containers keep in one: their count less one, their lengths, then all of them. */
function vorbisHeaders(description: Uint8Array): Uint8Array[] {
  let at = 1;
  const lengths = Array.from({ length: description[0] ?? 0 }, () => {
    let length = 0;
    while (description[at] === 255) length += description[at++]!;
    return length + (description[at++] ?? 0);
  });
  if (lengths.length !== 2) throw new Error('The track has no Vorbis headers.');
  const headers = lengths.map((length) => description.subarray(at, (at += length)));
  return [...headers, description.subarray(at)];
}
