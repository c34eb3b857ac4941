import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';

/** The email of the demo shop's clerk. Both members of the shop have the same password. */
export const DEMO_CLERK_EMAIL = 'ren@demo.example';

/** The credentials of the demo shop. Only the owner of `DATA_DIR/demo.json` can read them. */
export interface DemoCredentials {
  readonly shop: string;
  readonly email: string;
  readonly password: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly shopKey: string;
  /** The parts that are already written. Writing them again would undo later changes. */
  readonly done: readonly DemoStep[];
}

/** The parts of the demo shop, in the order in which they are written. */
export const DEMO_STEPS = ['stock', 'boosts', 'photos'] as const;

export type DemoStep = (typeof DEMO_STEPS)[number];

export function readCredentials(file: string): DemoCredentials | null {
  let stored: unknown;
  try {
    stored = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
  if (typeof stored !== 'object' || stored === null) return null;
  const text = (name: string): string | null => {
    const value: unknown = Reflect.get(stored, name);
    return typeof value === 'string' ? value : null;
  };
  const [shop, email, password] = [text('shop'), text('email'), text('password')];
  const [clientId, clientSecret] = [text('clientId'), text('clientSecret')];
  const shopKey = text('shopKey');
  if (shop === null || email === null || password === null) return null;
  if (clientId === null || clientSecret === null || shopKey === null) return null;
  const named: unknown = Reflect.get(stored, 'done');
  const done = DEMO_STEPS.filter((step) => Array.isArray(named) && named.includes(step));
  return { shop, email, password, clientId, clientSecret, shopKey, done };
}

/** Writes the credentials atomically and durably, readable only by the owner. */
export function writeCredentials(file: string, credentials: DemoCredentials): void {
  const unfinished = openSync(`${file}.new`, 'w', 0o600);
  writeSync(unfinished, `${JSON.stringify(credentials, null, 2)}\n`);
  fsyncSync(unfinished);
  closeSync(unfinished);
  renameSync(`${file}.new`, file);
}

export function recordDemoStep(
  file: string,
  credentials: DemoCredentials,
  step: DemoStep,
): DemoCredentials {
  const noted = { ...credentials, done: [...credentials.done, step] };
  writeCredentials(file, noted);
  return noted;
}
