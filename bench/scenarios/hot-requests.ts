import { type HotRequest, makeHotScenario } from './hot-request.ts';

/** T1: the list of open boosts. */
export const boostsRequest: HotRequest = {
  name: 'boosts',
  target: 'T1',
  title: 'GET /purchase-boosts, 50 boosts',
  least: 0.55,
  path: '/purchase-boosts',
};

/** T2: the connection with its cursor. */
const connectionRequest: HotRequest = {
  name: 'connection',
  target: 'T2',
  title: 'GET /connection',
  least: 0.5,
  path: '/connection',
};

/** T3: a poll when nothing has changed, which is most of the real traffic. */
export const pollRequest: HotRequest = {
  name: 'poll',
  target: 'T3',
  title: 'GET /inventory/changes at the head',
  least: 0.45,
  path: (own) => {
    const cursor = /"cursor":"([A-Za-z0-9_-]+)"/.exec(own)?.[1];
    if (cursor === undefined) throw new Error(`no cursor in ${own}`);
    return `/inventory/changes?cursor=${cursor}`;
  },
};

export const boostsScenario = makeHotScenario(boostsRequest);
export const connectionScenario = makeHotScenario(connectionRequest);
export const pollScenario = makeHotScenario(pollRequest);
