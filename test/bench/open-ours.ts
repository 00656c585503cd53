/** Page open to first token through the library: milliseconds since navigation, left in `window.bench`. */
import { startInference } from 'inpage';

const inference = await startInference();
const response = await fetch(`${inference.baseURL}/chat/completions`, {
  method: 'POST',
  body: JSON.stringify({ model: 'tiny-chat', stream: true, messages: [{ role: 'user', content: 'Hello!' }] }),
});
if (!response.ok) throw new Error(await response.text());
const decoder = new TextDecoder();
const reader = response.body?.getReader();
for (;;) {
  const piece = await reader?.read();
  if (!piece || piece.done || /"content":"[^"]/.test(decoder.decode(piece.value))) break;
}
(window as unknown as { bench: number }).bench = performance.now();
