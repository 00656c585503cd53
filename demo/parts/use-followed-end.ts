/** Keeps a list that grows at its end, unless the reader has scrolled away. */
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * Follows the end of an element whenever `content` changes, if the reader was at most `near` pixels from it. A change of
 * `jump` goes there in any case. The place is read when it is needed: a scroll event comes a frame too late for a list
 * that grows with every token.
 */
export function useFollowedEnd<E extends HTMLElement>(
  content: unknown,
  near: number,
  jump?: unknown,
): RefObject<E | null> {
  const element = useRef<E>(null);
  const before = useRef({ height: 0, jump });
  useLayoutEffect(() => {
    const list = element.current;
    if (!list) return;
    const end = Math.min(before.current.height, list.scrollHeight);
    const wasNear = end - list.scrollTop - list.clientHeight < near;
    if (wasNear || jump !== before.current.jump) list.scrollTop = list.scrollHeight;
    before.current = { height: list.scrollHeight, jump };
  }, [content]);
  return element;
}
