/** Patterns of valid lines of a settings file. Comments that begin with `#` are removed first. */
const LINE = {
  /** Matches a section, a setting or an empty line. */
  ini: /^(?:\[[^\]]+\]|;.*|[\w.-]+ *=.*|)$/,
  /** Matches a statement, the start or end of a block, or an empty line. */
  nginx: /^(?:.*[;{}]|)$/,
} as const;

/**
 * Describes a syntax error in another program's settings, or returns null. The values are not
 * checked, because the programs are not installed everywhere.
 */
export function findSettingsProblem(language: keyof typeof LINE, text: string): string | null {
  const lines = text.split('\n').map((line) => line.replace(/(?:^|\s)#.*$/, '').trim());
  const wrong = lines.findIndex((line) => !LINE[language].test(line));
  if (wrong !== -1) return `line ${wrong + 1} is not valid ${language}: ${lines[wrong]}`;
  if (language !== 'nginx') return null;
  const plain = lines.join('\n');
  const open = plain.split('{').length - plain.split('}').length;
  return open === 0 ? null : `braces without a match: ${Math.abs(open)}`;
}
