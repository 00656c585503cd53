/** Names images by what they show. @module */
import type { ImagePart } from '../../core/request/message.js';

/** 48 bits of the SHA-256 of the bytes, and how closely they are looked at, as a negative number. */
export async function imageKey({ bytes, detail }: ImagePart): Promise<number> {
  const digest = new DataView(await crypto.subtle.digest('SHA-256', bytes as BufferSource));
  return -1 - (digest.getUint32(0) * 2 ** 16 + digest.getUint16(4)) * 2 - (detail === 'low' ? 1 : 0);
}
