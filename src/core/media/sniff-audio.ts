/** Recognizes formats of recordings by their first bytes. @module */

/** The containers that can be decoded; `mp4` also holds M4A, `mpeg` MP3 and bare AAC. */
export type AudioContainer = 'wav' | 'mpeg' | 'aac' | 'flac' | 'ogg' | 'webm' | 'mp4';

/** The container of a recording; undefined for anything else. */
export function sniffAudio(bytes: Uint8Array): AudioContainer | undefined {
  const text = (start: number, end: number) => String.fromCharCode(...bytes.subarray(start, end));
  if (bytes.length < 12) return undefined;
  if (/^(RIFF|RF64|RIFX)$/.test(text(0, 4)) && text(8, 12) === 'WAVE') return 'wav';
  if (text(0, 4) === 'fLaC') return 'flac';
  if (text(0, 4) === 'OggS') return 'ogg';
  if (text(4, 8) === 'ftyp') return 'mp4';
  if (bytes[0] === 0x1a && bytes[1] === 0x45 && bytes[2] === 0xdf && bytes[3] === 0xa3) return 'webm';
  return sniffFrames(bytes, text(0, 3) === 'ID3' ? endOfId3(bytes) : 0);
}

/** Seconds that a FLAC file says it has; 0: it does not say. Undefined for anything else. */
export function flacSeconds(bytes: Uint8Array): number | undefined {
  if (sniffAudio(bytes) !== 'flac' || bytes.length < 26) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  // 20 bits of the rate, 3 of channels, 5 of bits, 36 of samples; demuxers read the last as a signed number of 32.
  const rate = view.getUint32(18) >>> 12;
  const samples = (bytes[21]! & 15) * 2 ** 32 + view.getUint32(22);
  return rate === 0 ? undefined : samples / rate;
}

/** Bytes of an ID3v2 tag at the start, its header included. */
function endOfId3(bytes: Uint8Array): number {
  let length = 0;
  for (let i = 6; i < 10; i++) length = length * 128 + (bytes[i]! & 0x7f);
  return length + 10;
}

/** MPEG audio and ADTS have no file header, only frames that each begin with eleven or twelve set bits. */
function sniffFrames(bytes: Uint8Array, tagEnd: number): AudioContainer | undefined {
  // Encoders leave zeros between the tag and the first frame.
  let start = tagEnd;
  while (start < bytes.length && bytes[start] === 0) start++;
  const [sync, kind, rates] = [bytes[start] ?? 0, bytes[start + 1] ?? 0, bytes[start + 2] ?? 0];
  if (sync !== 0xff || kind < 0xe0) return undefined;
  const layer = (kind >> 1) & 3;
  if (layer === 0) return (kind & 0xf0) === 0xf0 && ((rates >> 2) & 15) < 13 ? 'aac' : undefined;
  const version = (kind >> 3) & 3;
  const [bitrate, sampleRate] = [rates >> 4, (rates >> 2) & 3];
  return version !== 1 && bitrate !== 15 && sampleRate !== 3 ? 'mpeg' : undefined;
}
