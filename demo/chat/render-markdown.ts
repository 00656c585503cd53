/** Markdown of an answer as HTML that can do nothing: a model's words are not to be trusted. Loaded when one needs it. */
import DOMPurify from 'dompurify';
import { Marked } from 'marked';

/** No images, frames or forms: not one request may leave the page because of what a model wrote. */
const TAGS =
  'a blockquote br code del em h1 h2 h3 h4 h5 h6 hr li ol p pre s strong sub sup table tbody td th thead tr ul'.split(
    ' ',
  );

DOMPurify.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName !== 'A') return;
  node.setAttribute('target', '_blank');
  node.setAttribute('rel', 'noopener noreferrer');
});

const marked = new Marked({
  gfm: true,
  breaks: true,
  // HTML in an answer is shown as what it is, not parsed: even a parser that is thrown away would report its handlers.
  renderer: { html: ({ text }) => escaped(text) },
});

/** @returns `TrustedHTML` where the browser has it: a page that requires Trusted Types shows no text as HTML */
export function renderMarkdown(text: string): string {
  const html = marked.parse(text, { async: false });
  const settings = { ALLOWED_TAGS: TAGS, ALLOWED_ATTR: ['href', 'align', 'start'], RETURN_TRUSTED_TYPE: true as const };
  return DOMPurify.sanitize(html, settings) as unknown as string;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
