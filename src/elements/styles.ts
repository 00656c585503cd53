/**
 * The look of both elements: one sheet, which no `style-src` governs. Custom properties and parts change it from outside; colors
 * are the system's, which follow the `color-scheme` of the page.
 * @module
 */

const CSS = `
:host {
  --_accent: var(--inpage-accent, LinkText);
  --_background: var(--inpage-background, Canvas);
  --_surface: var(--inpage-surface, color-mix(in srgb, CanvasText 5%, Canvas));
  --_text: var(--inpage-text, CanvasText);
  --_muted: var(--inpage-muted, color-mix(in srgb, CanvasText 75%, Canvas));
  --_border: var(--inpage-border, color-mix(in srgb, CanvasText 55%, Canvas));
  --_danger: var(--inpage-danger, color-mix(in srgb, red 60%, CanvasText));
  --_radius: var(--inpage-radius, 8px);
  --_gap: var(--inpage-gap, 12px);
  display: block;
  color: var(--_text);
  background: var(--_background);
  font: var(--inpage-font, 1em/1.5 system-ui, sans-serif);
  overflow-wrap: anywhere;
}
:host([hidden]), [hidden] { display: none !important; }
* { box-sizing: border-box; }
[part~='list'], [part~='kept-list'], [part~='log'] { display: flex; flex-direction: column; gap: var(--_gap); }
[part~='model'], [part~='kept'] {
  display: flex; flex-direction: column; gap: calc(var(--_gap) / 2);
  padding: var(--_gap); border: 1px solid var(--_border); border-radius: var(--_radius); background: var(--_surface);
}
label { display: flex; gap: calc(var(--_gap) / 2); align-items: center; min-block-size: 24px; font-weight: 600; }
input[type='radio'] { inline-size: 24px; block-size: 24px; flex: none; margin: 0; accent-color: var(--_accent); }
p, h2, ul { margin: 0; }
h2 { font-size: 1.1em; }
[part~='facts'], [part~='buttons'] { display: flex; flex-wrap: wrap; gap: calc(var(--_gap) / 2) var(--_gap); }
[part~='facts'], [part~='reasons'], [part~='detail'], [part~='role'] { color: var(--_muted); font-size: 0.9em; }
[part~='error'] { color: var(--_danger); border-inline-start: 3px solid currentColor; padding-inline-start: var(--_gap); }
[part~='mark'] { border: 1px solid var(--_border); border-radius: var(--_radius); padding-inline: 6px; font-size: 0.8em; font-weight: 400; }
button {
  min-block-size: 32px; min-inline-size: 32px; padding: 4px 12px; font: inherit; color: var(--_accent); background: var(--_background);
  border: 1px solid var(--_border); border-radius: var(--_radius); cursor: pointer;
}
button:disabled { color: var(--_muted); cursor: not-allowed; }
:focus-visible { outline: 3px solid var(--_accent); outline-offset: 2px; }
[part~='progress'] { inline-size: 100%; block-size: 12px; accent-color: var(--_accent); }
dialog {
  max-inline-size: min(30em, 92vw); color: var(--_text); background: var(--_background);
  border: 1px solid var(--_border); border-radius: var(--_radius); padding: calc(var(--_gap) * 2);
}
dialog[open] { display: flex; flex-direction: column; gap: var(--_gap); }
dialog::backdrop { background: rgb(0 0 0 / 50%); }
[part~='status'] { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
[part~='log'] { max-block-size: 60vh; overflow-y: auto; padding: 3px; }
[part~='message'] { padding: var(--_gap); border-radius: var(--_radius); border: 1px solid var(--_border); }
[part~='message'][data-role='assistant'] { background: var(--_surface); }
[part~='text'] { white-space: pre-wrap; }
[part~='form'] { display: flex; flex-wrap: wrap; gap: var(--_gap); margin-block-start: var(--_gap); align-items: end; }
textarea {
  flex: 1 1 12em; min-inline-size: 0; font: inherit; color: var(--_text); background: var(--_background);
  border: 1px solid var(--_border); border-radius: var(--_radius); padding: 8px;
}
@media (prefers-reduced-motion: reduce) {
  * { transition: none; animation: none; scroll-behavior: auto; }
  /* A bar without a value moves by itself. */
  progress:indeterminate { appearance: none; border: 1px solid var(--_border); border-radius: var(--_radius); background: var(--_surface); }
  progress:indeterminate::-webkit-progress-bar { background: none; }
  progress:indeterminate::-moz-progress-bar { inline-size: 0; }
}
`;

let sheet: CSSStyleSheet | undefined;

/** The shadow root of an element, with its styles. */
export function createRoot(element: HTMLElement): ShadowRoot {
  const root = element.attachShadow({ mode: 'open', delegatesFocus: false });
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(CSS);
  }
  root.adoptedStyleSheets = [sheet];
  return root;
}
