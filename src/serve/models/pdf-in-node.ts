/** Reads PDF files in this process. @module */
import { createPdfReader, type PdfLibrary } from '../../service/files/read/pdf.js';

/** pdf.js is loaded with the first file. */
export const readPdfInNode = createPdfReader(loadForText);

/** What pdf.js draws with. It asks for them when it is loaded; texts need none. */
const DRAWING = ['DOMMatrix', 'ImageData', 'Path2D'] as const;

/** Loads pdf.js where nothing can be drawn, and without its warnings about that. */
async function loadForText(): Promise<PdfLibrary> {
  const missing = DRAWING.filter((name) => !(name in globalThis));
  for (const name of missing)
    Object.defineProperty(globalThis, name, { value: function Unused() {}, configurable: true });
  const { warn } = console;
  console.warn = (...said: unknown[]) => {
    if (!/^Warning: Cannot (load|access|polyfill)/.test(String(said[0]))) warn(...said);
  };
  try {
    return await (await import('../../service/files/read/load-pdfjs.js')).loadPdfjs();
  } finally {
    console.warn = warn;
    for (const name of missing) Reflect.deleteProperty(globalThis, name);
  }
}
