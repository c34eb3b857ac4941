import { consoleScenario } from './console-pages.ts';
import type { Scenario } from './scenario.ts';
import { depthScenario } from './scenarios/depth.ts';
import { boostsScenario, connectionScenario, pollScenario } from './scenarios/hot-requests.ts';
import { duePollsScenario } from './scenarios/due-polls.ts';
import { listsScenario } from './scenarios/lists.ts';
import { deliveriesScenario } from './scenarios/webhook-deliveries.ts';
import { overloadScenario } from './scenarios/overload.ts';
import { peersScenario } from './scenarios/peers.ts';
import { processesScenario } from './scenarios/processes.ts';
import { refreshScenario } from './scenarios/refresh.ts';
import { largeSearchScenario, searchScenario } from './scenarios/search.ts';
import { startScenario } from './scenarios/start.ts';
import { syncScenario } from './scenarios/sync.ts';
import { turnsScenario } from './scenarios/turns.ts';
import { writesScenario } from './scenarios/writes.ts';
import { soakScenario } from './scenarios/soak.ts';

export const scenarios: readonly Scenario[] = [
  boostsScenario,
  connectionScenario,
  pollScenario,
  processesScenario,
  searchScenario,
  largeSearchScenario,
  syncScenario,
  depthScenario,
  writesScenario,
  refreshScenario,
  deliveriesScenario,
  peersScenario,
  listsScenario,
  duePollsScenario,
  turnsScenario,
  overloadScenario,
  soakScenario,
  startScenario,
  consoleScenario,
];
