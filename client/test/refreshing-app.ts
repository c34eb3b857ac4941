// An app in a separate process with a file token store. `crash`: at the first input line it makes a
// call and kills itself when it would save the tokens. `loop`: it makes a call for each input line
// and prints the result.
import { createInterface } from 'node:readline';
import { fileTokenStore } from '../src/file-token-store.ts';
import { openPartnerApp } from '../src/partner-app.ts';
import type { TokenStore } from '../src/tokens.ts';

const [mode, baseUrl = '', authUrl = '', folder = ''] = process.argv.slice(2);
const files = fileTokenStore(folder);
const dying: TokenStore = {
  ...files,
  save: async (key, tokens) => {
    if (tokens.pendingRefresh === undefined) process.kill(process.pid, 'SIGKILL');
    await files.save(key, tokens);
  },
};
const shop = openPartnerApp({
  baseUrl,
  authUrl,
  clientId: 'app_emulated',
  clientSecret: 'cps_emulated',
  redirectUri: 'http://127.0.0.1:8090/callback',
  tokens: mode === 'crash' ? dying : files,
  // The default number of retries, with hardly any delay.
  retry: { firstDelayMs: 1, delayMsMax: 5 },
}).shop();

if (mode === 'loop') process.stdout.write('ready\n');
for await (const _ of createInterface({ input: process.stdin })) {
  const said = await shop.connection().then(
    () => 'good',
    (error: unknown) => String(error),
  );
  process.stdout.write(`${said}\n`);
}
