/**
 * Custom elements for every framework: a picker of models, and a chat. Importing it defines both; in Node it does nothing.
 * @module
 * @example
 * import 'inpage/elements';
 * import { createInferenceStore } from 'inpage';
 *
 * const store = createInferenceStore();
 * for (const element of document.querySelectorAll('inpage-models, inpage-chat')) element.store = store;
 */
import { InferenceChatElement } from './chat-element.js';
import { InferenceModelsElement } from './models-element.js';

export { InferenceChatElement } from './chat-element.js';
export type { ChatElementMessage } from './chat-element.js';
export { type ConsentDetail, InferenceModelsElement } from './models-element.js';
export type { ServiceElement } from './service-element.js';
export type { ElementInference, ElementStore } from './service-link.js';
export { type ChatTexts, DEFAULT_CHAT_TEXTS, DEFAULT_TEXTS, type ModelsTexts } from './texts.js';

if (typeof customElements !== 'undefined') {
  if (!customElements.get('inpage-models')) customElements.define('inpage-models', InferenceModelsElement);
  if (!customElements.get('inpage-chat')) customElements.define('inpage-chat', InferenceChatElement);
}

declare global {
  interface HTMLElementTagNameMap {
    'inpage-models': InferenceModelsElement;
    'inpage-chat': InferenceChatElement;
  }
}
