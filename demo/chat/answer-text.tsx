/** The text of an answer: markdown where it has any, else as it is. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** What only markdown would have. */
const MARKUP = /[*_`~|#]|^\s*([-+]|\d+\.)\s|^\s*>|\]\(/m;

const renderer = signal<((text: string) => string) | undefined>(undefined);
let loading: Promise<void> | undefined;

async function loadRenderer(): Promise<void> {
  const { renderMarkdown } = await import('./render-markdown.js');
  renderer.value = renderMarkdown;
}

export function AnswerText({ text }: { text: string }) {
  const hasMarkup = MARKUP.test(text);
  useEffect(() => {
    // Without it the text is shown as it is, which is not an error.
    if (hasMarkup) loading ??= loadRenderer().catch(() => {});
  }, [hasMarkup]);
  const render = renderer.value;
  if (!hasMarkup || !render) return <div class="answer plain">{text}</div>;
  return <div class="answer prose" dangerouslySetInnerHTML={{ __html: render(text) }} />;
}
