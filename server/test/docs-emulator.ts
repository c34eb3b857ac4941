import { type EmulatorProcess, startEmulator } from './emulator.ts';

/** The emulator that the pages use, started as a reader starts it. */
export interface PageEmulator extends AsyncDisposable {
  readonly port: number;
  /** Resets the emulator. Returns the variables that a reader exports, with a new access token. */
  reset(): Promise<Readonly<Record<string, string>>>;
}

/** Starts `cardport emulate` with these additional redirect URIs, and waits until it is ready. */
export async function startPageEmulator(redirectUris: readonly string[]): Promise<PageEmulator> {
  const emulator = await startEmulator(redirectUris.flatMap((uri) => ['--redirect-uri', uri]));
  let isFresh = true;
  return {
    port: Number(new URL(emulator.url).port),
    reset: async () => {
      if (!isFresh) await emulator.admin('reset');
      isFresh = false;
      return await exportsOf(emulator, redirectUris[0] ?? '');
    },
    [Symbol.asyncDispose]: async () => await emulator[Symbol.asyncDispose](),
  };
}

async function exportsOf(
  emulator: EmulatorProcess,
  redirectUri: string,
): Promise<Readonly<Record<string, string>>> {
  const tokens = await emulator.admin('tokens');
  const accessToken = tokens['access_token'] ?? tokens['accessToken'];
  if (typeof accessToken !== 'string') throw new Error(`no token: ${JSON.stringify(tokens)}`);
  return { ...emulator.exports, REDIRECT_URI: redirectUri, ACCESS_TOKEN: accessToken };
}
