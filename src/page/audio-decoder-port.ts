/** The page decodes audio for its workers where WebCodecs cannot: `decodeAudioData` exists in pages only. @module */
import type { PageAudioDecoder } from '../model/media/page-audio-decoder.js';
import { move, openControlLine } from '../relay/control/control-line.js';

/** Hz; any will do, the caller resamples. */
const SAMPLE_RATE = 48_000;

/** A new worker's line to the page's decoder. */
export function decoderPort(): MessagePort {
  const { port1, port2 } = new MessageChannel();
  openControlLine(port1, { decode });
  return port2;
}

const decode: PageAudioDecoder = async (bytes) => {
  const context = new OfflineAudioContext(1, 1, SAMPLE_RATE);
  const audio = await context.decodeAudioData(bytes.slice().buffer);
  const channels = Array.from({ length: audio.numberOfChannels }, (_, index) => audio.getChannelData(index));
  return move(
    { channels, sampleRate: audio.sampleRate },
    channels.map((channel) => channel.buffer),
  );
};
