import type { CommandInput } from './command.ts';
import { InputFault } from './input.ts';

/** The bytes of a command's input until the user aborts. Read errors are thrown as `InputFault`. */
export async function* readUntilAborted({
  bytes,
  signal,
}: Pick<CommandInput, 'bytes' | 'signal'>): AsyncGenerator<Buffer, void> {
  try {
    for await (const chunk of bytes) {
      signal.throwIfAborted();
      const body: Buffer = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
      yield body;
    }
  } catch (error) {
    throw signal.aborted ? error : new InputFault(error);
  }
  signal.throwIfAborted();
}
