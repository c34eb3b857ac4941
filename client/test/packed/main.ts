// This program runs in an empty project with the packed SDK. It reads a shop's stock from a running
// emulator, verifies a notice, and prints the results as one line of JSON.
import {
  CardportError,
  isForSale,
  memoryTokenStore,
  openPartnerApp,
  type Unit,
  verifyNotice,
  VERSION,
} from '@cardport/client';
import { fileTokenStore, nodeNoticeHandler } from '@cardport/client/node';
import { signNotice } from '@cardport/client/testing';

// The project has no @types/node, so the program declares what it needs.
declare const process: {
  readonly argv: readonly string[];
  readonly versions: { readonly node: string; readonly bun?: string; readonly deno?: string };
};
declare const console: { log(text: string): void };

interface TokenAnswer {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
}

const [, , baseUrl = '', answer = ''] = process.argv;
const {
  access_token: accessToken,
  refresh_token: refreshToken,
  scope,
} = JSON.parse(answer) as TokenAnswer;
const tokens = memoryTokenStore();
await tokens.save('default', {
  accessToken,
  // The token expired long ago, so that the first call refreshes it.
  accessExpiresAt: '2026-01-01T00:00:00.000Z',
  refreshToken,
  scope,
});
const shop = openPartnerApp({
  baseUrl,
  clientId: 'app_emulated',
  clientSecret: 'cps_emulated',
  redirectUri: 'http://127.0.0.1:8090/callback',
  tokens,
}).shop();

const units = new Map<string, Unit>();
let cursor: string | null = null;
const result = await shop.sync({
  load: () => cursor,
  upsert: (changes) => {
    for (const { kind, id, data } of changes) {
      if (kind === 'unit') units.set(id, data);
    }
  },
  save: (next) => {
    cursor = next;
  },
});
let read = 0;
for await (const _change of shop.changes({ limit: 7 })) read++;
const missing = await shop
  .card('00000000-0000-4000-8000-000000000000')
  .catch((error: unknown) => error);

const secret = 'whsec_c2VjcmV0IG9mIGEgdGVzdCBvZiAzMiBieXRlcyE=';
const notice = await verifyNotice({ ...(await signNotice({ secret })), secret });

/** Bun and Deno also report a version of Node. */
function runtime(): string {
  const { node, bun, deno } = process.versions;
  if (bun !== undefined) return `Bun ${bun}`;
  return deno === undefined ? `Node ${node}` : `Deno ${deno}`;
}

console.log(
  JSON.stringify({
    runtime: runtime(),
    version: VERSION,
    isCaughtUp: result.isCaughtUp,
    changes: result.changes,
    read,
    units: units.size,
    forSale: [...units.values()].filter(isForSale).length,
    isRefreshed: (await tokens.load('default'))?.accessToken !== accessToken,
    missing: missing instanceof CardportError ? missing.name : String(missing),
    notice: notice.type,
    nodeExports: [typeof fileTokenStore, typeof nodeNoticeHandler],
  }),
);
