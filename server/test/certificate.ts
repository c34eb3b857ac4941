import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority for one test. */
export interface TestAuthority {
  /** The authority's own certificate in PEM. */
  readonly ca: string;
  /**
   * Signs a certificate for these names (wildcards allowed). With a `validUntil` in the past, the
   * certificate has expired.
   */
  issue(names: readonly string[], validUntil?: Date): TestCertificate;
}

const DAY_MS = 86_400_000;
/** ecdsa-with-SHA256 (RFC 5758 §3.2). */
const ALGORITHM = sequence(oid([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]));

/**
 * Creates an authority with a new key. The code writes X.509 itself (RFC 5280), so that tests need
 * no other program.
 */
export function makeAuthority(): TestAuthority {
  const authority = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = nameOf('Cardport test authority');
  const basicConstraints = extension([0x55, 0x1d, 0x13], sequence(tlv(0x01, Buffer.from([0xff]))));
  const ca = certify(authority.privateKey, {
    issuer,
    subject: issuer,
    publicKey: authority.publicKey,
    validUntil: new Date(Date.now() + DAY_MS),
    extensions: [basicConstraints],
  });
  return {
    ca,
    issue: (names, validUntil = new Date(Date.now() + DAY_MS)) => {
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const alternatives = sequence(...names.map((name) => tlv(0x82, Buffer.from(name))));
      const cert = certify(authority.privateKey, {
        issuer,
        subject: nameOf('receiver'),
        publicKey,
        validUntil,
        extensions: [extension([0x55, 0x1d, 0x11], alternatives)],
      });
      return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
    },
  };
}

interface CertificateFacts {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly publicKey: KeyObject;
  readonly validUntil: Date;
  readonly extensions: readonly Buffer[];
}

function certify(key: KeyObject, facts: CertificateFacts): string {
  const validFrom = new Date(facts.validUntil.getTime() - 2 * DAY_MS);
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(8)]);
  const body = sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, serial),
    ALGORITHM,
    facts.issuer,
    sequence(utcTime(validFrom), utcTime(facts.validUntil)),
    facts.subject,
    facts.publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(...facts.extensions)),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', body, key)]);
  const whole = sequence(body, ALGORITHM, tlv(0x03, signature)).toString('base64');
  const lines = whole.match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function nameOf(commonName: string): Buffer {
  const attribute = sequence(oid([0x55, 0x04, 0x03]), tlv(0x0c, Buffer.from(commonName)));
  return sequence(tlv(0x31, attribute));
}

function extension(id: readonly number[], value: Buffer): Buffer {
  return sequence(oid(id), tlv(0x04, value));
}

function utcTime(at: Date): Buffer {
  const digits = at.toISOString().replaceAll(/[-:T]/g, '').slice(2, 14);
  return tlv(0x17, Buffer.from(`${digits}Z`));
}

function oid(bytes: readonly number[]): Buffer {
  return tlv(0x06, Buffer.from(bytes));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tlv(0x30, Buffer.concat(parts));
}

function tlv(tag: number, value: Buffer): Buffer {
  const { length } = value;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), value]);
  const head = length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), value]);
}
