import { type Browser, type BrowserContext, chromium } from 'playwright-core';

/** Debian's Chromium, if the test environment found it. */
export const CHROMIUM_PATH = process.env['TEST_CHROMIUM'];

const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-quic'];
/**
 * How long the browser waits for the next test in this process, because each start costs 1.5 s of
 * CPU time.
 */
const LINGER_MS = 1_000;
/** Longer than any step of these tests takes on a busy machine. */
const PATIENCE_MS = 30_000;

/** Options of a test's window. */
export interface ChromiumOptions {
  readonly locale: 'en-GB' | 'en-US' | 'ja-JP';
  readonly width: number;
  readonly colorScheme?: 'light' | 'dark';
  readonly hasScripts?: boolean;
}

/** The browser context of one test, with its own cookies, cache and windows. */
export interface OpenChromium extends AsyncDisposable {
  readonly context: BrowserContext;
}

let running: Promise<Browser> | null = null;
let users = 0;
let lingering: NodeJS.Timeout | undefined;

/** Reserves the browser of this process for another user, and starts it if needed. */
async function hold(): Promise<Browser> {
  clearTimeout(lingering);
  users++;
  running ??= start();
  try {
    return await running;
  } catch (error) {
    release();
    throw error;
  }
}

async function start(): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM_PATH ?? '',
    args: ARGUMENTS,
    timeout: 2 * PATIENCE_MS,
  });
  const own = running;
  // A crashed browser must not be given to the next test.
  browser.once('disconnected', () => {
    if (running === own) running = null;
  });
  return browser;
}

/** Closes the browser unless another user comes soon. */
function release(): void {
  users--;
  if (users > 0) return;
  lingering = setTimeout(() => {
    const ending = running;
    running = null;
    void ending?.then(
      async (browser) => await browser.close(),
      () => undefined,
    );
  }, LINGER_MS);
}

/**
 * Opens an empty window in the browser that all tests of a process share. Nothing leaves the
 * machine.
 */
export async function openChromium({
  locale,
  width,
  colorScheme = 'light',
  hasScripts = true,
}: ChromiumOptions): Promise<OpenChromium> {
  const browser = await hold();
  try {
    const context = await browser.newContext({
      locale,
      colorScheme,
      javaScriptEnabled: hasScripts,
      viewport: { width, height: 900 },
    });
    context.setDefaultTimeout(PATIENCE_MS);
    return {
      context,
      [Symbol.asyncDispose]: async () => {
        await context.close().finally(release);
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** Opens such a window, passes it to `work`, and closes it. */
export async function withChromium<T>(
  options: ChromiumOptions,
  work: (context: BrowserContext) => Promise<T>,
): Promise<T> {
  await using browser = await openChromium(options);
  return await work(browser.context);
}
