import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import dns from 'dns-packet';

/** The records of a name: addresses of one or both families, or an alias. */
export interface DnsRecords {
  readonly a?: readonly string[];
  readonly aaaa?: readonly string[];
  readonly cname?: string;
}

/** A DNS server on 127.0.0.1 that answers from a table. */
export interface DnsServer extends AsyncDisposable {
  /** The server in the form `address:port`, which resolvers accept. */
  readonly address: string;
  /** All questions in order, `A name` or `AAAA name`. */
  readonly questions: readonly string[];
  /** Sets the records of a name. With `silence` the server sends no response. */
  set(name: string, records: DnsRecords | 'silence'): void;
}

/** Starts a DNS server. Unknown names do not exist (NXDOMAIN). */
export async function startDnsServer(): Promise<DnsServer> {
  const table = new Map<string, DnsRecords | 'silence'>();
  const questions: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (message, sender) => {
    const { id, questions: asked } = dns.decode(message);
    const [question] = asked ?? [];
    if (question === undefined) return;
    const name = question.name.toLowerCase();
    questions.push(`${question.type} ${name}`);
    const records = table.get(name);
    if (records === 'silence') return;
    const packet: dns.Packet = {
      type: 'response',
      ...(id === undefined ? {} : { id }),
      flags: dns.RECURSION_DESIRED | dns.RECURSION_AVAILABLE | (records === undefined ? 3 : 0),
      questions: [question],
      answers: answersOf(table, name, question.type),
    };
    socket.send(dns.encode(packet), sender.port, sender.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    set: (name, records) => {
      table.set(name, records);
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
}

function answersOf(
  table: ReadonlyMap<string, DnsRecords | 'silence'>,
  name: string,
  type: string,
): dns.Answer[] {
  const records = table.get(name);
  if (records === undefined || records === 'silence') return [];
  // A recursive resolver returns the whole chain of aliases in one response.
  if (records.cname !== undefined) {
    const alias: dns.Answer = { type: 'CNAME', name, ttl: 0, data: records.cname };
    return [alias, ...answersOf(table, records.cname, type)];
  }
  if (type === 'A') {
    return (records.a ?? []).map((data): dns.Answer => ({ type, name, ttl: 0, data }));
  }
  if (type !== 'AAAA') return [];
  return (records.aaaa ?? []).map((data): dns.Answer => ({ type, name, ttl: 0, data }));
}
