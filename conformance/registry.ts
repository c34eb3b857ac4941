import type { ConformanceTest } from './definition.ts';
import { tests as service } from './clauses/1-service.ts';
import { tests as connection } from './clauses/2.1-connection.ts';
import { tests as card } from './clauses/2.2-card.ts';
import { tests as purchaseBoost } from './clauses/2.3-purchase-boost.ts';
import { tests as site } from './clauses/2.4-site.ts';
import { tests as boostVisibility } from './clauses/3.2-boost-visibility.ts';
import { tests as purchaseBoosts } from './clauses/4.4-purchase-boosts.ts';
import { tests as sites } from './clauses/4.5-sites.ts';
import { tests as changes } from './clauses/4.6-changes.ts';
import { tests as cards } from './clauses/4.8-cards.ts';
import { tests as oneCard } from './clauses/4.9-card.ts';

/** Every test, in the order of the clauses. */
export const allTests: readonly ConformanceTest[] = [
  ...service,
  ...connection,
  ...card,
  ...purchaseBoost,
  ...site,
  ...boostVisibility,
  ...purchaseBoosts,
  ...sites,
  ...changes,
  ...cards,
  ...oneCard,
];
