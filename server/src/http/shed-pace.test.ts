import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { HeldLoop } from '../../test/held-loop.ts';
import { ShedPace } from './shed-pace.ts';

function makeSockets(count: number): Socket[] {
  return Array.from({ length: count }, () => new Socket());
}

describe('the pace of shedding (decision 0122)', () => {
  it('reads connections of shed requests on at once, 500 in one go', () => {
    const loop = new HeldLoop();
    const pace = new ShedPace(loop);
    const sockets = makeSockets(501);
    for (const socket of sockets) pace.note(socket);
    assert.equal(pace.held, 0, 'not before Node has seen the end of the request');
    loop.endRead();
    assert.equal(pace.held, 1);
    assert.deepEqual(
      sockets.map((socket) => socket.isPaused()),
      sockets.map((_, n) => n === 500),
    );
  });

  it('holds the others, and reads them on in their order, one a millisecond and one for four that were let in', () => {
    const loop = new HeldLoop();
    const pace = new ShedPace(loop);
    const sockets = makeSockets(600);
    for (const socket of sockets) pace.note(socket);
    loop.endRead();
    assert.equal(pace.held, 100);
    loop.pass(10);
    assert.equal(pace.held, 90);
    for (let n = 0; n < 160; n++) pace.earn();
    loop.pass(10);
    assert.equal(pace.held, 40);
    assert.ok(!sockets[559]?.isPaused());
    assert.ok(sockets[560]?.isPaused());
    for (let n = 0; n < 120; n++) pace.earn();
    loop.pass(10);
    assert.equal(pace.held, 0);
    assert.ok(sockets.every((socket) => !socket.isPaused()));
  });

  it('reads on a hundred at each look while the loop finds rest, since it can serve them', () => {
    const loop = new HeldLoop();
    const pace = new ShedPace(loop);
    for (const socket of makeSockets(1_000)) pace.note(socket);
    loop.endRead();
    assert.equal(pace.held, 500);
    loop.pass(10, 0.4);
    assert.equal(pace.held, 490, 'too little of it');
    loop.pass(10, 0.5);
    assert.equal(pace.held, 390);
    loop.pass(10);
    assert.equal(pace.held, 380);
  });

  it('holds none for longer than two seconds, and forgets those that have broken', () => {
    const loop = new HeldLoop();
    const pace = new ShedPace(loop);
    const sockets = makeSockets(4_000);
    for (const socket of sockets) pace.note(socket);
    sockets[3_999]?.destroy();
    loop.endRead();
    assert.equal(pace.held, 3_499);
    for (let n = 0; n < 199; n++) loop.pass(10);
    assert.equal(pace.held, 3_499 - 199 * 10);
    loop.pass(10);
    assert.equal(pace.held, 0);
    assert.ok(sockets.every((socket) => !socket.isPaused()));
  });
});
