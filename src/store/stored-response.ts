/** A stored file as the Response that engines expect. @module */

/** What a response is made of. */
export interface StoredContent {
  size: number;
  contentType: string | undefined;
  /** The whole content, in one buffer that belongs to the caller. */
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  /** Told that it is not what its name says, and so perhaps not what its server has. */
  onUnreadable?: () => Promise<void>;
}

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
