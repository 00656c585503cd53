/** The text of PDF files, by pdf.js as the realm has loaded it. @module */
import type * as PdfJs from 'pdfjs-dist';
import { type PdfReader } from './read-file.js';
import { invalid } from './unreadable.js';

/** What is used of pdf.js. */
export type PdfLibrary = Pick<typeof PdfJs, 'getDocument'>;

/** An item of a page's text. */
interface TextPiece {
  str: string;
  /** A line ends behind it. */
  hasEOL: boolean;
}

/** Nothing is drawn, run or fetched: fonts, images, scripts and XFA forms are left alone. */
const SETTINGS = {
  useWorkerFetch: false,
  useWasm: false,
  useSystemFonts: false,
  disableFontFace: true,
  isEvalSupported: false,
  isOffscreenCanvasSupported: false,
  stopAtErrors: false,
  enableXfa: false,
  verbosity: 0,
};

export function createPdfReader(load: () => Promise<PdfLibrary>): PdfReader {
  return async (bytes) => {
    const { getDocument } = await load();
    // pdf.js takes the buffer for itself.
    const task = getDocument({ ...SETTINGS, data: bytes.slice() });
    try {
      const file = await task.promise;
      const pages: string[] = [];
      for (let number = 1; number <= file.numPages; number++) {
        const page = await file.getPage(number);
        pages.push(pageText((await page.getTextContent()).items as TextPiece[]));
        page.cleanup();
      }
      return pages.some((page) => /\S/.test(page)) ? pages : invalid('The PDF has no text, only images.', true);
    } catch (thrown) {
      const isLocked = (thrown as Error).name === 'PasswordException';
      return invalid(isLocked ? 'The PDF is encrypted.' : 'The PDF cannot be read: it is cut or damaged.', true);
    } finally {
      await task.destroy();
    }
  };
}

function pageText(pieces: readonly TextPiece[]): string {
  return pieces
    .map(({ str, hasEOL }) => (hasEOL ? `${str}\n` : str))
    .join('')
    .trim();
}
