/** How a line of settings may look, without what `#` begins. */
const LINE = {
  /** A section, a setting, nothing. */
  ini: /^(?:\[[^\]]+\]|;.*|[\w.-]+ *=.*|)$/,
  /** A statement, the beginning or the end of a block, nothing. */
  nginx: /^(?:.*[;{}]|)$/,
} as const;

/**
 * What is wrong with the form of another program's settings; null when nothing is. What they mean it does not know: the
 * programs are not on every machine.
 */
export function findSettingsFault(language: keyof typeof LINE, text: string): string | null {
  const lines = text.split('\n').map((line) => line.replace(/(?:^|\s)#.*$/, '').trim());
  const wrong = lines.findIndex((line) => !LINE[language].test(line));
  if (wrong !== -1) return `line ${wrong + 1} is no ${language}: ${lines[wrong]}`;
  if (language !== 'nginx') return null;
  const plain = lines.join('\n');
  const open = plain.split('{').length - plain.split('}').length;
  return open === 0 ? null : `braces without another: ${Math.abs(open)}`;
}
