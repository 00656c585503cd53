/** Whether streams can be sent between realms, which Safari cannot before 27. @module */

let moves: boolean | undefined;

export function movesStreams(): boolean {
  return (moves ??= canMove());
}

/** Notes that this realm's connections carry no streams. */
export function moveNoStreams(): void {
  moves = false;
}

function canMove(): boolean {
  try {
    const stream = new ReadableStream();
    structuredClone(stream, { transfer: [stream] });
    return true;
  } catch {
    return false;
  }
}
