import { connectInference } from 'inpage/extension';
import { ask } from './ask.js';

const inference = await connectInference();
const button = document.getElementById('ask');
button.disabled = false;
button.onclick = async ({ target }) => {
  document.querySelector('[role=status]').textContent = await ask(inference, target.textContent);
};
