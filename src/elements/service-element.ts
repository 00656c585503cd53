/** What both elements have in common: the service that they show. @module */
import { ElementBase, upgrade } from './dom.js';
import { type ElementInference, type ElementStore, ServiceLink } from './service-link.js';

/** An element that shows a store or a running service, while it is in the document. */
export abstract class ServiceElement extends ElementBase {
  /** @internal */
  protected readonly link = new ServiceLink(() => this.serviceChanged());

  /** @internal Properties besides `store` and `inference` that an app may set before the element is defined. */
  protected abstract readonly settable: readonly string[];

  /** @internal Called after each change of what the service tells. */
  protected abstract serviceChanged(): void;

  connectedCallback(): void {
    upgrade(this, ['inference', 'store', ...this.settable]);
    this.link.open();
  }

  disconnectedCallback(): void {
    this.link.close();
  }

  /** A store of `createInferenceStore`, whose first subscriber starts inference. Of it and `inference`, the one that was set last is shown. */
  get store(): ElementStore | undefined {
    return this.link.store;
  }

  set store(store: ElementStore | undefined) {
    this.link.store = store ?? undefined;
    if (this.isConnected) this.link.open();
  }

  /** A running service. */
  get inference(): ElementInference | undefined {
    return this.link.inference;
  }

  set inference(inference: ElementInference | undefined) {
    this.link.inference = inference ?? undefined;
    if (this.isConnected) this.link.open();
  }
}
