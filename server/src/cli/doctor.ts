import { readConfig } from '../config/config.ts';
import type { CommandResult, StandaloneCommand } from './command.ts';
import {
  checkDecoder,
  checkDisk,
  checkFolder,
  checkMail,
  checkPhotoStore,
  checkPublicUrl,
} from './doctor-checks.ts';
import { checkDatabase } from './doctor-database.ts';
import { type Finding, problem } from './finding.ts';

export const doctor: StandaloneCommand = {
  isStandalone: true,
  name: 'doctor',
  summary:
    'Check settings, database, clock, disk, mail, photo store and PUBLIC_URL, and print advice for each problem. Nothing is changed.',
  options: {},
  async run(_args, { environment }) {
    const read = readConfig(environment);
    if (read.kind === 'invalid') {
      return report(
        read.problems.map((sentence) =>
          problem(
            'settings',
            sentence,
            'correct it (docs/configuration.md), then run doctor again',
          ),
        ),
      );
    }
    const { config } = read;
    const findings = await Promise.all([
      checkDatabase(config),
      checkDisk(config),
      checkFolder(config),
      checkMail(config),
      checkPhotoStore(config),
      checkDecoder(),
      checkPublicUrl(config),
    ]);
    const settings = {
      check: 'settings',
      status: 'ok',
      message: 'all settings are valid',
    } as const;
    return report([settings, ...findings.flat()]);
  },
};

function report(findings: readonly Finding[]): CommandResult {
  const problems = findings.filter(({ status }) => status === 'problem').length;
  const text = findings
    .map(({ check, status, message, advice }) => {
      const line = `${status.padEnd('warning'.length)}  ${check}: ${message}`;
      return advice === undefined ? line : `${line}\n         → ${advice}`;
    })
    .join('\n');
  const json = { isHealthy: problems === 0, findings };
  if (problems === 0) return { kind: 'done', json, text };
  const reason = `problems found: ${problems}`;
  return { kind: 'failed', code: 'problems_found', reason, report: { json, text } };
}
