/** A stored file as the Response that engines expect. @module */
import type { StoredContent } from './download/file-contents.js';

/** Engines ask for the whole as a buffer: they get the one that was read, where a real body would be copied on the way. */
export class StoredResponse extends Response {
  readonly #content: StoredContent;

  constructor(content: StoredContent) {
    super(null, {
      headers: {
        'content-length': String(content.size),
        ...(content.contentType !== undefined && { 'content-type': content.contentType }),
      },
    });
    this.#content = content;
  }

  override async arrayBuffer(): Promise<ArrayBuffer> {
    const bytes = await this.#content.bytes();
    return bytes.byteLength === bytes.buffer.byteLength ? bytes.buffer : bytes.slice().buffer;
  }

  override async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return this.#content.bytes();
  }

  override async text(): Promise<string> {
    return new TextDecoder().decode(await this.#content.bytes());
  }

  override async json(): Promise<unknown> {
    try {
      return JSON.parse(await this.text()) as unknown;
    } catch (thrown) {
      if (thrown instanceof SyntaxError) await this.#content.onUnreadable?.();
      throw thrown;
    }
  }

  override async blob(): Promise<Blob> {
    return new Blob([await this.#content.bytes()]);
  }
}
