/** Kernels on a memory that threads share. @module */

const MEMORY = 2;
const IMPORTS = 2;
/** Bit of a memory's limits. */
const SHARED = 2;

/**
 * The same program with its imported memory declared as shared. The instructions are the same, so there is one file for both.
 * @param wasm of the kernels, whose only import is the memory
 */
export function withSharedMemory(wasm: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const program = wasm.slice();
  let at = 8;
  const number = (): number => {
    let [value, shift] = [0, 0];
    for (;;) {
      const byte = program[at++]!;
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
      shift += 7;
    }
  };
  while (at < program.length) {
    const section = program[at++];
    const end = number() + at;
    if (section === IMPORTS && number() === 1) {
      // Names of the module and of what is imported.
      for (let name = 0; name < 2; name++) at = number() + at;
      if (program[at++] === MEMORY) {
        program[at]! |= SHARED;
        return program;
      }
      break;
    }
    at = end;
  }
  throw new TypeError('The kernels import something else than one memory.');
}
