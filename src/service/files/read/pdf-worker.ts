/** Entry of the worker that reads PDF files: each message has a port for the answer, because pdf.js has taken `self`. @module */
import { loadPdfjs } from './load-pdfjs.js';
import { createPdfReader } from './pdf.js';
import { invalid } from './unreadable.js';

/** What a page asks. */
export interface PdfQuestion {
  type: 'read-pdf';
  bytes: Uint8Array<ArrayBuffer>;
}

const read = createPdfReader(loadPdfjs);

globalThis.addEventListener('message', ({ data, ports: [port] }: MessageEvent<PdfQuestion | undefined>) => {
  if (data?.type !== 'read-pdf' || !port) return;
  void read(data.bytes)
    .catch(() => invalid('The PDF cannot be read.', true))
    .then((answer) => port.postMessage(answer));
});
globalThis.postMessage({ type: 'ready', lifeline: undefined });
