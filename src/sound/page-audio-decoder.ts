/** The page's audio decoder, for formats that a worker's codecs cannot decode. @module */

/** A recording decoded by the page. */
interface DecodedAudio {
  /** One array per channel, all of one length. */
  channels: Float32Array[];
  /** Hz. */
  sampleRate: number;
}

/** What the page's `decodeAudioData` can do and a worker cannot. Rejects when the page cannot decode it either. */
export type PageAudioDecoder = (bytes: Uint8Array) => Promise<DecodedAudio>;

let provided: PageAudioDecoder | undefined;

/** Sets the page's decoder for this realm; undefined takes it away. */
export function providePageAudioDecoder(decoder: PageAudioDecoder | undefined): void {
  provided = decoder;
}

/** The page's decoder, where this realm has been given one. */
export function pageAudioDecoder(): PageAudioDecoder | undefined {
  return provided;
}
