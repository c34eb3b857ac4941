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

/** Starts a browser of its own folder, hands it to `work`, and ends it. Nothing leaves the machine. */
export async function withChromium<T>(
  { executablePath, locale, width, colorScheme = 'light' }: ChromiumOptions,
  work: (context: BrowserContext) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'cardport-chromium-'));
  let context: BrowserContext | null = null;
  try {
    context = await chromium.launchPersistentContext(folder, {
      executablePath,
      args: ARGUMENTS,
      locale,
      colorScheme,
      viewport: { width, height: 900 },
      timeout: 60_000,
    });
    return await work(context);
  } finally {
    await context?.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
