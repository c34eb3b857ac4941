import { type Browser, type BrowserContext, chromium } from 'playwright-core';

/** Debian's Chromium, where the tests' environment found one. */
export const CHROMIUM_PATH = process.env['TEST_CHROMIUM'];

const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-quic'];
/** How long the browser waits for the next test of its process: each start costs 1.5 s of CPU time. */
const LINGER_MS = 1_000;
/** No step of these tests takes longer on a machine that is busy with others. */
const PATIENCE_MS = 30_000;

/** What a test's window is like. */
export interface ChromiumOptions {
  readonly locale: 'en-GB' | 'en-US' | 'ja-JP';
  readonly width: number;
  readonly colorScheme?: 'light' | 'dark';
  readonly hasScripts?: boolean;
}

/** Cookies, cache and windows of one test. */
export interface OpenChromium extends AsyncDisposable {
  readonly context: BrowserContext;
}

let running: Promise<Browser> | null = null;
let users = 0;
let lingering: NodeJS.Timeout | undefined;

/** The browser of this process, for one more user. */
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
  // One that has died is not given to the next test.
  browser.once('disconnected', () => {
    if (running === own) running = null;
  });
  return browser;
}

/** Ends the browser unless another user comes soon. */
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

/** Opens an empty window of its own in the browser that all tests of a process share. Nothing leaves the machine. */
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

/** Opens such a window, hands it to `work`, and closes it. */
export async function withChromium<T>(
  options: ChromiumOptions,
  work: (context: BrowserContext) => Promise<T>,
): Promise<T> {
  await using browser = await openChromium(options);
  return await work(browser.context);
}
