// Comments, quoted texts and names, and dollar quotes match as a unit, so that a semicolon inside
// them does not end a statement.
const PART = /--[^\n]*|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|;|[^;'"$-]+|./g;

export function splitStatements(script: string): readonly string[] {
  const statements: string[] = [];
  let text = '';
  let isEmpty = true;
  for (const [part] of script.matchAll(PART)) {
    if (part === ';') {
      if (!isEmpty) statements.push(text.trim());
      text = '';
      isEmpty = true;
      continue;
    }
    text += part;
    isEmpty &&= part.startsWith('--') || part.trim() === '';
  }
  if (!isEmpty) statements.push(text.trim());
  return statements;
}
