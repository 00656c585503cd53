/** In every web page: a double click with Alt asks the model what the paragraph says. Pages that ask for the models may get them. */
import { bridgePage, connectInference } from 'inpage/extension';
import { ask } from './ask.js';

bridgePage();

let connected;

async function answerBelow(element) {
  const box = document.createElement('p');
  box.setAttribute('role', 'status');
  element.after(box);
  // When it is first needed: this script runs in every page.
  connected ??= connectInference();
  box.textContent = await ask(await connected, element.textContent);
}

addEventListener('dblclick', ({ altKey, target }) => {
  if (altKey) void answerBelow(target);
});
