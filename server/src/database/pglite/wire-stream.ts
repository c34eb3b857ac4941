import { Duplex } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';

/** A stream that `pg` takes for a socket; at the other end of the port is the embedded engine's worker. */
export class WireStream extends Duplex {
  readonly #port: MessagePort;

  constructor(port: MessagePort) {
    super();
    this.#port = port;
    port.on('message', (bytes: Uint8Array) => {
      this.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    });
    port.on('close', () => {
      this.push(null);
      this.destroy();
    });
  }

  // What `pg` calls on a socket besides the stream's own methods.

  connect(): this {
    queueMicrotask(() => this.emit('connect'));
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    this.#port.ref();
    return this;
  }

  unref(): this {
    this.#port.unref();
    return this;
  }

  override _read(): void {
    // Answers are pushed when they come: `pg` reads everything, and a client waits for what it asked.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    // A copy of its own: a small Buffer is a view of a pool, and posting it would copy the whole pool.
    const bytes = new Uint8Array(chunk);
    this.#port.postMessage(bytes, [bytes.buffer]);
    done();
  }

  override _final(done: () => void): void {
    this.#port.close();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#port.close();
    done(error);
  }
}
