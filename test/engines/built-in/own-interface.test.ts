/** Whether `LanguageModel` is the browser's own. */
import { expect, it } from 'vitest';
import { createLanguageModel } from '../../support/language-model.js';
import { loadBrowserModel } from './load-browser-model.js';

it("what a script put in the browser's place is told as such", async () => {
  const standIn = createLanguageModel();
  expect((await loadBrowserModel(standIn)).info.warning).toContain("`LanguageModel` is not the browser's");
  // A bound function has no source that could be read, as the browser's own have none.
  standIn.factory.create = standIn.factory.create.bind(standIn.factory);
  expect((await loadBrowserModel(standIn)).info.warning).toMatch(/^The browser's built-in model chooses tokens/);
});
