/**
 * pdf.js with its worker's half in the same realm. Imported in a worker that half takes the worker over: it says so on
 * `self` and listens there, so a worker that loads this must be made for it alone.
 * @module
 */
import type { PdfLibrary } from './pdf.js';

/** The build for older browsers: it brings what they lack. */
export async function loadPdfjs(): Promise<PdfLibrary> {
  // Where this is there, pdf.js makes no worker.
  const worker: unknown = await import('pdfjs-dist/legacy/build/pdf.worker.mjs');
  Object.assign(globalThis, { pdfjsWorker: worker });
  return import('pdfjs-dist/legacy/build/pdf.mjs');
}
