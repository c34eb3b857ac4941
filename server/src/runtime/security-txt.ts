import type { FastifyInstance } from 'fastify';
import type { Clock } from '../base/clock.ts';

/** Vulnerabilities are reported to the project, even if they were found in one shop's service. */
const REPORT_URL = 'https://github.com/cardport/cardport/security/advisories/new';
const POLICY_URL = 'https://github.com/cardport/cardport/security/policy';
/** RFC 9116 §2.5.5 recommends less than a year. The date is computed for each response. */
const VALID_DAYS = 180;
const DAY_MS = 86_400_000;

/** Serves `/.well-known/security.txt` (RFC 9116). */
export function registerSecurityTxt(app: FastifyInstance, publicUrl: string, clock: Clock): void {
  const path = '/.well-known/security.txt';
  app.get(path, (_request, reply) => {
    const expires = new Date(clock.now().getTime() + VALID_DAYS * DAY_MS);
    const fields = [
      `Contact: ${REPORT_URL}`,
      `Expires: ${expires.toISOString()}`,
      'Preferred-Languages: en',
      `Canonical: ${publicUrl}${path}`,
      `Policy: ${POLICY_URL}`,
    ];
    return reply.type('text/plain; charset=utf-8').send(`${fields.join('\n')}\n`);
  });
}
