/** Reads PDF files in this process. @module */
import { createPdfReader } from '../../gateway/files/read/pdf.js';

/** pdf.js is loaded with the first file. */
export const readPdfInNode = createPdfReader(async () =>
  (await import('../../gateway/files/read/load-pdfjs.js')).loadPdfjs(),
);
