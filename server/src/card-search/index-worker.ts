// The thread of a search index: builds the index from pages, then handles messages in order.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { CardIndex, type SearchableCard } from './card-index.ts';
import { LayeredIndex } from './layered-index.ts';
import type {
  MessageFromIndex,
  IndexWorkerData,
  PageMessage,
  MessageToIndex,
} from './thread-messages.ts';
import { readSearchableCards } from './searchable-cards.ts';
import { CardSample, WARMED_CARDS_MIN, warmUp } from './warm-up.ts';

/** The thread checks for pages at this interval, in case a notification is lost. */
const SIGNAL_WAIT_MS = 1_000;

const start = workerData as IndexWorkerData;
const port = parentPort;
if (port === null) throw new Error('this file is a worker');
const send = (message: MessageFromIndex): void => port.postMessage(message);

const sample = new CardSample();
const index = new LayeredIndex(CardIndex.build(sample.through(receiveCards(start))));
start.pages.close();
if (index.size.base >= WARMED_CARDS_MIN) {
  warmUp((text, limit) => index.find(text, limit), sample.cards);
}
collectGarbage();
port.on('message', (message: MessageToIndex) => {
  switch (message.kind) {
    case 'apply': {
      const ids = message.ids === '' ? [] : message.ids.split(',');
      index.apply(ids, readSearchableCards(message.text));
      send({ kind: 'applied', callId: message.callId, size: index.size });
      break;
    }
    case 'find': {
      const ids = index.find(message.text, message.limit);
      send({ kind: 'found', callId: message.callId, ids });
      break;
    }
  }
});
send({ kind: 'built', size: index.size });

/**
 * Collects the garbage of the build and returns its pages to the system. An ordinary collection
 * keeps them pooled until the thread is idle, which a busy thread never is (at 500,000 cards 360
 * MB).
 */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext("gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })");
}

function* receiveCards({ pages, pageSignal }: IndexWorkerData): Generator<SearchableCard> {
  const signal = new Int32Array(pageSignal);
  for (;;) {
    const signalCount = Atomics.load(signal, 0);
    const received = receiveMessageOnPort(pages);
    if (received === undefined) {
      Atomics.wait(signal, 0, signalCount, SIGNAL_WAIT_MS);
      continue;
    }
    const page = received.message as PageMessage;
    if (page === null) return;
    yield* readSearchableCards(page);
    send({ kind: 'taken' });
  }
}
