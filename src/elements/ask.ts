/** A question in a modal dialog. @module */
import { make } from './dom.js';

/** What a dialog asks. */
export interface Question {
  part: 'consent' | 'confirm';
  title: string;
  lines: readonly string[];
  agree: string;
  decline: string;
}

let count = 0;

/** Resolves with whether the person agreed; Escape, closing and the end of the element decline. The focus returns by itself. */
export function ask(root: ShadowRoot, { part, title, lines, agree, decline }: Question): Promise<boolean> {
  // What was asked before this is not answered yet, or the element has gone: there is nobody to ask.
  if (!root.host.isConnected || root.querySelector('dialog')) return Promise.resolve(false);
  const id = `inpage-question-${(count += 1)}`;
  const yes = make('button', { part: 'button', type: 'button', 'data-action': 'agree', text: agree });
  const no = make('button', { part: 'button', type: 'button', 'data-action': 'decline', text: decline });
  const dialog = make(
    'dialog',
    { part, 'aria-labelledby': id },
    make('h2', { id, text: title }),
    make('div', { part: 'detail' }, ...lines.map((text) => make('p', { text }))),
    make('div', { part: 'buttons' }, yes, no),
  );
  return new Promise((resolve) => {
    let isAgreed = false;
    yes.addEventListener('click', () => {
      isAgreed = true;
      dialog.close();
    });
    no.addEventListener('click', () => dialog.close());
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(isAgreed);
    });
    root.append(dialog);
    dialog.showModal();
  });
}

/** Declines what is asked: the element leaves the document, or what it asks about is gone. */
export function withdrawQuestion(root: ShadowRoot): void {
  root.querySelector('dialog')?.close();
}
