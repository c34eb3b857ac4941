// `node scripts/console-screenshots.ts [folder]` takes screenshots of every page of the console, as
// an owner sees it: in both languages, on phone and desktop, light and dark. They are written to
// `folder`. Without `folder`, they are written to docs/console, and the images of the docs to
// docs/images.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPackagedBinaries } from '../server/src/database/packaged/binaries.ts';
import { loadSharp } from '../server/src/images/load-sharp.ts';
import { openTestEnvironment } from './test-environment.ts';

/** The maximum height of a screenshot. The rest of a taller page is cut off. */
const HEIGHT_MAX = 1_800;
/** The PNG quality in percent. A palette reduces the images to a quarter of their size. */
const QUALITY = 80;

const folder = process.argv[2] ?? new URL('../docs/console/', import.meta.url).pathname;
const imageFolder = process.argv[2] ?? new URL('../docs/images/', import.meta.url).pathname;

/** Images for `docs/console.md` and README: the top of a page, at a height that fits the text. */
const DOCS_IMAGES: ReadonlyMap<string, { readonly name: string; readonly height: number }> =
  new Map([
    ['home-en-1280-light', { name: 'console-home', height: 1_000 }],
    ['stock-ja-390-light', { name: 'console-stock-phone', height: 844 }],
    ['apps-new-en-1280-light', { name: 'console-app', height: 900 }],
    ['connections-id-en-1280-light', { name: 'console-connection', height: 1_010 }],
    ['home-ja-1280-light', { name: 'console-home-ja', height: 1_000 }],
    ['apps-new-ja-1280-light', { name: 'console-app-ja', height: 900 }],
    ['connections-id-ja-1280-light', { name: 'console-connection-ja', height: 1_010 }],
  ]);

const VIEWS = [
  { locale: 'en-GB', width: 1_280, colorScheme: 'light' },
  { locale: 'ja-JP', width: 390, colorScheme: 'light' },
  { locale: 'ja-JP', width: 1_280, colorScheme: 'light' },
  { locale: 'en-GB', width: 390, colorScheme: 'dark' },
] as const;

const environment = await openTestEnvironment(findPackagedBinaries(), false);
try {
  Object.assign(process.env, environment.variables);
  await takeAll();
} finally {
  await environment.close();
}

async function takeAll(): Promise<void> {
  // These modules read the environment when they are imported.
  const { CHROMIUM_PATH, withChromium } = await import('../server/test/chromium.ts');
  const { startConsoleScene } = await import('../server/test/console-scene.ts');
  const { signInContext, crawlConsole } = await import('../server/test/console-crawl.ts');
  const { openSignedIn } = await import('../server/test/signed-in-browser.ts');
  const { openTestDatabase } = await import('../server/test/test-database.ts');
  if (CHROMIUM_PATH === undefined) {
    throw new Error('Chromium is required: install the package chromium (Debian)');
  }
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.png'))) {
    rmSync(join(folder, name));
  }
  await using base = await openTestDatabase();
  await using scene = await startConsoleScene(base);
  const { publicUrl: origin, consoleRoutes: routes } = scene.service;
  const from = [`/console/shops/${scene.shop.slug}`, '/console/account'];
  const browser = await openSignedIn(scene.service, base.db, scene.ownerId);
  const { pages } = await crawlConsole(browser, { origin, routes, from });
  for (const view of VIEWS) {
    const { locale, width, colorScheme } = view;
    await withChromium(view, async (context) => {
      await signInContext(context, origin, base.db, scene.ownerId);
      const page = await context.newPage();
      for (const { pattern, path } of pages) {
        await page.goto(`${origin}${path}`);
        const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
        const size = { width, height: Math.min(HEIGHT_MAX, Math.max(600, height)) };
        await page.setViewportSize(size);
        const name = `${nameOf(pattern)}-${locale.slice(0, 2)}-${width}-${colorScheme}`;
        await saveImage(join(folder, `${name}.png`), await page.screenshot());
        const shown = DOCS_IMAGES.get(name);
        if (shown !== undefined) {
          const target = join(imageFolder, `${shown.name}.png`);
          const clip = { x: 0, y: 0, width, height: shown.height };
          await saveImage(target, await page.screenshot({ clip }));
        }
        await page.setViewportSize({ width, height: 900 });
      }
    });
    process.stdout.write(`${locale} ${width} ${colorScheme}\n`);
  }
}

async function saveImage(path: string, image: Buffer): Promise<void> {
  const sharp = await loadSharp();
  writeFileSync(path, await sharp(image).png({ palette: true, quality: QUALITY }).toBuffer());
}

/** Names the image of a route: `/console/shops/:slug/boosts/:id/end` becomes `boosts-id-end`. */
function nameOf(pattern: string): string {
  const rest = pattern.replace(/^\/console(\/shops\/:slug)?/, '').replaceAll(/[/:]+/g, '-');
  const name = rest.replace(/^-/, '');
  if (name !== '') return name;
  return pattern.includes(':slug') ? 'home' : 'shops';
}
