import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';

/** Debian's Chromium, where the tests' environment found one. */
export const CHROMIUM_PATH = process.env['TEST_CHROMIUM'];

const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** What a browser of a test is like. */
export interface ChromiumOptions {
  readonly executablePath: string;
  readonly locale: 'en-GB' | 'ja-JP';
  readonly width: number;
  readonly colorScheme?: 'light' | 'dark';
}

/** A browser of a folder of its own. */
export interface OpenChromium extends AsyncDisposable {
  readonly context: BrowserContext;
}

/** Starts a browser of its own folder. Nothing leaves the machine. */
export async function openChromium({
  executablePath,
  locale,
  width,
  colorScheme = 'light',
}: ChromiumOptions): Promise<OpenChromium> {
  const folder = await mkdtemp(join(tmpdir(), 'cardport-chromium-'));
  const sweep = async (): Promise<void> =>
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    const context = await chromium.launchPersistentContext(folder, {
      executablePath,
      args: ARGUMENTS,
      locale,
      colorScheme,
      viewport: { width, height: 900 },
      timeout: 60_000,
    });
    return {
      context,
      [Symbol.asyncDispose]: async () => {
        await context.close();
        await sweep();
      },
    };
  } catch (error) {
    await sweep();
    throw error;
  }
}

/** Starts such a browser, hands it to `work`, and ends it. */
export async function withChromium<T>(
  options: ChromiumOptions,
  work: (context: BrowserContext) => Promise<T>,
): Promise<T> {
  await using browser = await openChromium(options);
  return await work(browser.context);
}
