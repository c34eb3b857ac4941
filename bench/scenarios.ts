import type { Scenario } from './scenario.ts';
import { boostsScenario, connectionScenario, pollScenario } from './scenarios/hot-answers.ts';
import { noticesScenario } from './scenarios/notices.ts';
import { searchScenario } from './scenarios/search.ts';
import { overloadScenario } from './scenarios/overload.ts';
import { processesScenario } from './scenarios/processes.ts';

/** Everything that is measured, in the order of the table. */
export const scenarios: readonly Scenario[] = [
  boostsScenario,
  connectionScenario,
  pollScenario,
  processesScenario,
  searchScenario,
  noticesScenario,
  overloadScenario,
];
