/** The valid lines of a settings file, without comments that begin with `#`. */
const LINE = {
  /** A section, a setting, or empty. */
  ini: /^(?:\[[^\]]+\]|;.*|[\w.-]+ *=.*|)$/,
  /** A statement, the start or end of a block, or empty. */
  nginx: /^(?:.*[;{}]|)$/,
} as const;

/**
 * Describes a syntax error in another program's settings, or returns null. Their meaning is not
 * checked, because the programs are not installed everywhere.
 */
export function findSettingsProblem(language: keyof typeof LINE, text: string): string | null {
  const lines = text.split('\n').map((line) => line.replace(/(?:^|\s)#.*$/, '').trim());
  const wrong = lines.findIndex((line) => !LINE[language].test(line));
  if (wrong !== -1) return `line ${wrong + 1} is not valid ${language}: ${lines[wrong]}`;
  if (language !== 'nginx') return null;
  const plain = lines.join('\n');
  const open = plain.split('{').length - plain.split('}').length;
  return open === 0 ? null : `braces without another: ${Math.abs(open)}`;
}
