import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify(argon2);

/**
 * OWASP's minimum for argon2id with 2 passes. Less memory would make attacks cheaper, and more
 * would exhaust a small machine.
 */
const MEMORY_KIB = 19_456;
const PASSES = 2;
/** One lane is enough, because each password check already runs in a separate thread. */
const PARALLELISM = 1;
/** The salt has 128 bits, as RFC 9106 §4 recommends. */
const SALT_BYTES = 16;
/** The tag has 256 bits, as RFC 9106 §4 recommends. */
const TAG_BYTES = 32;
/** No real password is longer, and hashing a body of 16 KiB would only cost CPU time. */
const PASSWORD_BYTES_MAX = 1_024;
/** The minimum of NIST SP 800-63B §5.1.1.2. */
const PASSWORD_CHARACTERS_MIN = 8;
/** Limits for a stored hash, so that a damaged row cannot allocate gigabytes. */
const MEMORY_KIB_MAX = 262_144;
const PASSES_MAX = 16;

const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

export function findPasswordLengthProblem(password: string): 'too_short' | 'too_long' | undefined {
  if ([...password].length < PASSWORD_CHARACTERS_MIN) return 'too_short';
  if (Buffer.byteLength(normalise(password)) > PASSWORD_BYTES_MAX) return 'too_long';
  return undefined;
}

/** Returns a PHC string (RFC 9106). Takes about 30 ms and 19 MiB. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const tag = await argon2id(password, {
    salt,
    memory: MEMORY_KIB,
    passes: PASSES,
    parallelism: PARALLELISM,
    tagBytes: TAG_BYTES,
  });
  const parameters = `m=${MEMORY_KIB},t=${PASSES},p=${PARALLELISM}`;
  return `$argon2id$v=19$${parameters}$${unpadded(salt)}$${unpadded(tag)}`;
}

/**
 * Checks a password against a stored hash. With `hash` null (an unknown email address) it does the
 * same work and returns false, so that the response time does not reveal which addresses exist.
 */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  if (Buffer.byteLength(normalise(password)) > PASSWORD_BYTES_MAX) return false;
  const stored = parse(hash ?? DUMMY_HASH);
  if (stored === undefined) throw new Error('a stored password hash is damaged');
  const tag = await argon2id(password, { ...stored, tagBytes: stored.tag.length });
  return timingSafeEqual(tag, stored.tag) && hash !== null;
}

/** A hash with the current parameters that no password matches: its tag is all zeros. */
export const DUMMY_HASH = `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${PARALLELISM}$${unpadded(
  Buffer.alloc(SALT_BYTES),
)}$${unpadded(Buffer.alloc(TAG_BYTES))}`;

interface Parameters {
  readonly salt: Buffer;
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

async function argon2id(
  password: string,
  parameters: Parameters & { readonly tagBytes: number },
): Promise<Buffer> {
  return await derive('argon2id', {
    message: Buffer.from(normalise(password)),
    nonce: parameters.salt,
    memory: parameters.memory,
    passes: parameters.passes,
    parallelism: parameters.parallelism,
    tagLength: parameters.tagBytes,
  });
}

/** Returns the same text regardless of how a keyboard composes the characters (RFC 8265 §4.2). */
function normalise(password: string): string {
  return password.normalize('NFC');
}

function parse(hash: string): (Parameters & { readonly tag: Buffer }) | undefined {
  const match = PHC.exec(hash);
  if (match === null) return undefined;
  const [, memory, passes, parallelism, salt = '', tag = ''] = match;
  const found = {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
  const isSane =
    found.memory <= MEMORY_KIB_MAX &&
    found.passes >= 1 &&
    found.passes <= PASSES_MAX &&
    found.parallelism >= 1 &&
    found.memory >= 8 * found.parallelism &&
    found.salt.length >= 8 &&
    found.tag.length >= 16;
  return isSane ? found : undefined;
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
