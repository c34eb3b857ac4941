import { createRequire } from 'node:module';
import { escapeHtml } from './escape-html.ts';

interface Highlighter {
  registerLanguage(name: string, language: unknown): void;
  highlight(
    text: string,
    options: { readonly language: string; readonly ignoreIllegals: boolean },
  ): { readonly value: string };
}

/** The highlighter's names of the languages. Other languages are shown as plain text. */
const LANGUAGES: ReadonlyMap<string, string> = new Map([
  ['sh', 'bash'],
  ['http', 'http'],
  ['ini', 'ini'],
  ['js', 'javascript'],
  ['json', 'json'],
  ['ndjson', 'json'],
  ['nginx', 'nginx'],
  ['python', 'python'],
  ['sql', 'sql'],
  ['ts', 'typescript'],
]);

const highlighter = loadHighlighter();

/** Returns HTML: the escaped text, with spans that the style sheet colors. */
export function highlight(text: string, blockLanguage: string): string {
  const language = LANGUAGES.get(blockLanguage);
  if (language === undefined) return escapeHtml(text);
  return highlighter.highlight(text, { language, ignoreIllegals: true }).value;
}

/** Not imported, because its declarations would add browser types to every file of this project. */
function loadHighlighter(): Highlighter {
  const load = createRequire(import.meta.url);
  const core: unknown = load('highlight.js/lib/core');
  if (!isHighlighter(core)) throw new Error('highlight.js has an unexpected interface');
  for (const language of new Set(LANGUAGES.values())) {
    core.registerLanguage(language, load(`highlight.js/lib/languages/${language}`));
  }
  return core;
}

function isHighlighter(value: unknown): value is Highlighter {
  return (
    typeof value === 'object' &&
    value !== null &&
    'registerLanguage' in value &&
    'highlight' in value
  );
}
