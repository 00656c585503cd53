/** Types of the elements for Vue 3: `import type {} from 'inpage/elements/vue'`. @module */
import type { DefineComponent } from 'vue';
import type { InferenceChatElement, InferenceModelsElement } from './index.js';

declare module 'vue' {
  interface GlobalComponents {
    'inpage-models': DefineComponent<
      Partial<
        Pick<InferenceModelsElement, 'store' | 'inference' | 'value' | 'texts' | 'consentAbove' | 'name' | 'disabled'>
      > & { task?: string; recommended?: boolean }
    >;
    'inpage-chat': DefineComponent<
      Partial<
        Pick<InferenceChatElement, 'store' | 'inference' | 'model' | 'system' | 'messages' | 'texts' | 'renderMessage'>
      >
    >;
  }
}
