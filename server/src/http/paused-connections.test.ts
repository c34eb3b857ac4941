import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { beforeEach, describe, it } from 'node:test';
import { FakeEventLoop } from '../../test/fake-event-loop.ts';
import { PausedConnections } from './paused-connections.ts';

describe('connections of shed requests (decision 0122)', () => {
  let loop: FakeEventLoop;
  let connections: PausedConnections;
  beforeEach(() => {
    loop = new FakeEventLoop();
    connections = new PausedConnections(loop);
  });

  function hold(count: number): Socket[] {
    const sockets = Array.from({ length: count }, () => new Socket());
    for (const socket of sockets) connections.pause(socket);
    return sockets;
  }

  it('are paused only after Node has read the end of the request', () => {
    const [socket] = hold(1);
    assert.equal(socket?.isPaused(), false);
    loop.endRead();
    assert.equal(socket.isPaused(), true);
    assert.equal(connections.pausedCount, 1);
    loop.advance(10);
    assert.equal(socket.isPaused(), false);
    assert.equal(connections.pausedCount, 0);
  });

  it('are resumed in order, one per millisecond and one per four admitted requests', () => {
    for (let n = 0; n < 1_000; n++) connections.admit();
    const sockets = hold(100);
    loop.endRead();
    loop.advance(10);
    assert.equal(connections.pausedCount, 90, 'requests admitted before the pause do not count');
    for (let n = 0; n < 160; n++) connections.admit();
    loop.advance(10);
    assert.equal(connections.pausedCount, 40);
    assert.deepEqual(
      sockets.map((socket) => socket.isPaused()),
      sockets.map((_, n) => n >= 60),
    );
    loop.advance(40);
    assert.equal(connections.pausedCount, 0);
  });

  it('are resumed a hundred per check while the event loop is idle enough', () => {
    hold(1_000);
    loop.endRead();
    loop.advance(10, 0.4);
    assert.equal(connections.pausedCount, 990, 'not idle enough');
    loop.advance(10, 0.5);
    assert.equal(connections.pausedCount, 890);
    loop.advance(10);
    assert.equal(connections.pausedCount, 880);
  });

  it('are paused for at most two seconds, and dropped if they are closed', () => {
    const sockets = hold(4_000);
    sockets[3_999]?.destroy();
    loop.endRead();
    assert.equal(connections.pausedCount, 3_999);
    for (let n = 0; n < 199; n++) loop.advance(10);
    assert.equal(connections.pausedCount, 3_999 - 199 * 10);
    loop.advance(10);
    assert.equal(connections.pausedCount, 0);
    assert.ok(sockets.every((socket) => !socket.isPaused()));
  });
});
