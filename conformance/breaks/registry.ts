import { attemptBreaks } from './attempt-breaks.ts';
import { authorizationBreaks } from './authorization-breaks.ts';
import { boostBreaks } from './boost-breaks.ts';
import type { Break } from './break.ts';
import { cardBreaks } from './card-breaks.ts';
import { connectionBreaks } from './connection-breaks.ts';
import { decisionBreaks } from './decision-breaks.ts';
import { breaksOfEveryResponse } from './every-response-breaks.ts';
import { inventoryBreaks } from './inventory-breaks.ts';
import { oneEndpointBreaks } from './one-endpoint-breaks.ts';
import { redirectBreaks } from './redirect-breaks.ts';
import { stockBreaks } from './stock-breaks.ts';
import { tokenBreaks } from './token-breaks.ts';
import { valueBreaks } from './value-breaks.ts';
import { webhookBreaks } from './webhook-breaks.ts';

export const allBreaks: readonly Break[] = [
  ...breaksOfEveryResponse,
  ...connectionBreaks,
  ...boostBreaks,
  ...inventoryBreaks,
  ...cardBreaks,
  ...webhookBreaks,
  ...authorizationBreaks,
  ...decisionBreaks,
  ...valueBreaks,
  ...attemptBreaks,
  ...tokenBreaks,
  ...oneEndpointBreaks,
  ...redirectBreaks,
  ...stockBreaks,
];
