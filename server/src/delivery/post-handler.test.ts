import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { startRawReceiver } from '../../test/receiver.ts';
import { classifyExchangeError } from './attempt-fault.ts';
import { senderLimits } from './guarded-sender.ts';
import { type Exchange, PostHandler } from './post-handler.ts';
import { type EstablishedConnection, ReceiverAgent } from './receiver-agent.ts';

async function post(
  port: number,
  open: () => Promise<EstablishedConnection>,
  untilMs: number,
): Promise<Exchange> {
  const agent = new ReceiverAgent(open, senderLimits);
  const one = new PostHandler(senderLimits, untilMs);
  const origin = `http://127.0.0.1:${port}`;
  agent.dispatch({ origin, path: '/', headers: {}, body: Buffer.from('{}') }, one);
  const exchange = await one.exchange;
  agent.close(new Error('the test is over'));
  return exchange;
}

async function connectTo(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket.on('error', () => undefined);
}

function faultOf(exchange: Exchange): string {
  return exchange.kind === 'broken' ? classifyExchangeError(exchange.error) : exchange.kind;
}

describe('the POST of an event', () => {
  it('a POST fails if too many bytes arrive before the headers end, counted below TLS', async () => {
    await using silent = await startRawReceiver(() => undefined);
    await using flooding = await startRawReceiver((socket) => {
      // Twice the number of bytes that are allowed before the end of the headers.
      socket.write(Buffer.alloc(2 * 4 * senderLimits.headerBytes));
    });
    const tcpSocket = await connectTo(flooding.port);
    tcpSocket.resume();
    const open = async (): Promise<EstablishedConnection> => {
      const socket = await connectTo(silent.port);
      setImmediate(() => tcpSocket.write('begin'));
      return { socket, tcpSocket };
    };
    const exchange = await post(silent.port, open, Number.POSITIVE_INFINITY);
    assert.equal(faultOf(exchange), 'protocol');
    assert.match(exchange.kind === 'broken' ? String(exchange.error) : '', /headers are too large/);
    tcpSocket.destroy();
  });

  it('a POST sends no byte after its deadline', async () => {
    let bytes = 0;
    await using receiver = await startRawReceiver(() => {
      bytes++;
    });
    const open = async (): Promise<EstablishedConnection> => {
      const socket = await connectTo(receiver.port);
      return { socket, tcpSocket: socket };
    };
    assert.equal(faultOf(await post(receiver.port, open, performance.now() - 1)), 'timeout');
    assert.equal(bytes, 0);
    assert.equal(receiver.connections, 1);
  });
});
