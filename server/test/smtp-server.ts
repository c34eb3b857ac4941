import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Header and body, without SMTP's dot stuffing. */
  readonly source: string;
}

/** A mail server on loopback that accepts every mail. */
export interface SmtpServer extends AsyncDisposable {
  readonly url: string;
  readonly mails: readonly ReceivedMail[];
  /** The highest number of connections that were open concurrently. */
  readonly openMax: number;
}

export interface SmtpServerOptions {
  /** The reply to `RCPT`. Defaults to `250 ok`. */
  readonly recipientAnswer?: string;
  /** Awaited before a mail is accepted. */
  readonly gate?: Promise<void>;
}

/**
 * Starts a mail server on a free port of 127.0.0.1, with the parts of RFC 5321 that a client needs.
 */
export async function startSmtpServer(options: SmtpServerOptions = {}): Promise<SmtpServer> {
  const mails: ReceivedMail[] = [];
  const sockets = new Set<Socket>();
  let openMax = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    openMax = Math.max(openMax, sockets.size);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    void converse(socket, mails, options);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    get openMax() {
      return openMax;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function converse(
  socket: Socket,
  mails: ReceivedMail[],
  { recipientAnswer = '250 ok', gate }: SmtpServerOptions,
): Promise<void> {
  const say = (line: string): void => void socket.write(`${line}\r\n`);
  say('220 test');
  let from = '';
  let to: string[] = [];
  let data: string[] | null = null;
  for await (const line of createInterface({ input: socket })) {
    if (data !== null) {
      if (line !== '.') {
        data.push(line.startsWith('.') ? line.slice(1) : line);
        continue;
      }
      await gate;
      mails.push({ from, to, source: data.join('\n') });
      data = null;
      say('250 taken');
      continue;
    }
    const word = line.slice(0, 4).toUpperCase();
    if (word === 'MAIL') {
      from = line.slice('MAIL FROM:'.length);
      to = [];
    }
    if (word === 'RCPT') {
      if (recipientAnswer.startsWith('250')) to.push(line.slice('RCPT TO:'.length));
      say(recipientAnswer);
    } else if (word === 'DATA') {
      data = [];
      say('354 go on');
    } else {
      say(word === 'QUIT' ? '221 bye' : '250 ok');
    }
  }
}
