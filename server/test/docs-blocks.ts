import { type CodeInfo, parseCodeInfo } from '../src/docs/markdown.ts';

export interface CodeBlock extends CodeInfo {
  /** The line number of the opening fence. The first line is 1. */
  readonly line: number;
  /** The text between the fences, without the indentation of the opening fence. */
  readonly text: string;
}

/**
 * Matches an opening fence: indentation, marks, info (CommonMark §4.5). Any indentation is allowed,
 * because fences in lists are indented.
 */
const FENCE = /^( *)(`{3,}|~{3,})([^`]*)$/;

/** Returns the fenced code blocks of a Markdown page, in order. */
export function findBlocks(markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  const lines = markdown.split('\n');
  let index = 0;
  while (index < lines.length) {
    const opening = FENCE.exec(lines[index] ?? '');
    const line = ++index;
    if (opening === null) continue;
    const [, indent = '', marks = '', info = ''] = opening;
    const closing = new RegExp(`^ *${marks[0] ?? ''}{${marks.length},} *$`);
    const content: string[] = [];
    while (index < lines.length && !closing.test(lines[index] ?? '')) {
      content.push((lines[index++] ?? '').replace(new RegExp(`^ {0,${indent.length}}`), ''));
    }
    index++;
    blocks.push({ ...parseCodeInfo(info), line, text: `${content.join('\n')}\n` });
  }
  return blocks;
}
