/** Types of the elements for JSX in React 19: `import type {} from 'inpage/elements/react'`. @module */
import type { DetailedHTMLProps, HTMLAttributes } from 'react';
import type { InferenceChatElement, InferenceModelsElement } from './index.js';

type Settable<Element, Names extends keyof Element> = Partial<Pick<Element, Names>>;

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'inpage-models': DetailedHTMLProps<HTMLAttributes<InferenceModelsElement>, InferenceModelsElement> &
        Settable<
          InferenceModelsElement,
          'store' | 'inference' | 'value' | 'texts' | 'consentAbove' | 'name' | 'disabled'
        > & {
          task?: string;
          recommended?: boolean;
          'consent-above'?: number | string;
          onchange?: (event: Event) => void;
          onconsent?: (event: CustomEvent) => void;
          onadd?: (event: CustomEvent) => void;
        };
      'inpage-chat': DetailedHTMLProps<HTMLAttributes<InferenceChatElement>, InferenceChatElement> &
        Settable<
          InferenceChatElement,
          'store' | 'inference' | 'model' | 'system' | 'messages' | 'texts' | 'renderMessage'
        > & {
          onmessage?: (event: CustomEvent) => void;
          onerror?: (event: CustomEvent) => void;
        };
    }
  }
}
