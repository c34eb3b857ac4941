import { type Browser, type BrowserContext, chromium } from 'playwright-core';

/** Debian's Chromium, if the test environment found it. */
export const CHROMIUM_PATH = process.env['TEST_CHROMIUM'];

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  // Chromium's own test camera, which it opens without asking.
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
];
/**
 * How long an unused browser stays open for the next test of this process, because each start costs
 * 1.5 s of CPU time.
 */
const IDLE_CLOSE_MS = 1_000;
/** The timeout of a browser step, longer than any step takes on a busy machine. */
const STEP_TIMEOUT_MS = 30_000;

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
let closeTimer: NodeJS.Timeout | undefined;

/** Reserves the shared browser for one more test, and starts the browser if needed. */
async function acquireBrowser(): Promise<Browser> {
  clearTimeout(closeTimer);
  users++;
  running ??= start();
  try {
    return await running;
  } catch (error) {
    releaseBrowser();
    throw error;
  }
}

async function start(): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM_PATH ?? '',
    args: ARGUMENTS,
    timeout: 2 * STEP_TIMEOUT_MS,
  });
  const own = running;
  // After a crash, the next test must start a new browser.
  browser.once('disconnected', () => {
    if (running === own) running = null;
  });
  return browser;
}

/** Ends a test's use of the browser. Closes the browser unless another test uses it soon. */
function releaseBrowser(): void {
  users--;
  if (users > 0) return;
  closeTimer = setTimeout(() => {
    const ending = running;
    running = null;
    void ending?.then(
      async (browser) => await browser.close(),
      () => undefined,
    );
  }, IDLE_CLOSE_MS);
}

/**
 * Opens an empty window in the browser that all tests of a process share. Requests to other
 * machines are blocked.
 */
export async function openChromium({
  locale,
  width,
  colorScheme = 'light',
  hasScripts = true,
}: ChromiumOptions): Promise<OpenChromium> {
  const browser = await acquireBrowser();
  try {
    const context = await browser.newContext({
      locale,
      colorScheme,
      // A page that is measured during a transition has colors that it never has otherwise.
      reducedMotion: 'reduce',
      javaScriptEnabled: hasScripts,
      viewport: { width, height: 900 },
    });
    context.setDefaultTimeout(STEP_TIMEOUT_MS);
    return {
      context,
      [Symbol.asyncDispose]: async () => {
        await context.close().finally(releaseBrowser);
      },
    };
  } catch (error) {
    releaseBrowser();
    throw error;
  }
}

/** Opens a window as `openChromium` does, passes it to `work`, and closes it. */
export async function withChromium<T>(
  options: ChromiumOptions,
  work: (context: BrowserContext) => Promise<T>,
): Promise<T> {
  await using browser = await openChromium(options);
  return await work(browser.context);
}
