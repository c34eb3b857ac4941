import { optionsOf } from './arguments.ts';
import type { StandaloneCommand, Usage } from './command.ts';

const SHELLS: Readonly<Record<string, (steps: readonly Step[]) => string>> = {
  bash: renderBash,
  zsh: renderZsh,
  fish: renderFish,
};

export const completion: StandaloneCommand = {
  isStandalone: true,
  name: 'completion',
  summary: 'Print a script for shell completion of commands and options.',
  more: 'For bash: source <(cardport completion bash). For other shells: docs/operating.md, Commands.',
  options: {},
  operand: { name: 'SHELL', meaning: `${Object.keys(SHELLS).join(', ')}.` },
  hasJson: false,
  run: async (args, { usages }) => {
    const render = SHELLS[args.operand];
    if (render === undefined) {
      const reason = `the shell must be one of ${Object.keys(SHELLS).join(', ')}`;
      return { kind: 'misused', reason };
    }
    return { kind: 'done', json: {}, text: render(stepsOf(usages)).trimEnd() };
  },
};

/** The completions that a shell offers after the given words of a command line. */
interface Step {
  /** The words of the command so far, such as `shop add`; empty at the beginning. */
  readonly words: string;
  /**
   * True if `words` is only the beginning of a command: `next` lists the words that can follow.
   * Otherwise `next` lists the command's options, and other arguments may come before them.
   */
  readonly isPartial: boolean;
  readonly next: readonly { readonly word: string; readonly meaning: string }[];
  /** The options that take a value as the next word. */
  readonly valueOptions: readonly string[];
  readonly takesFile: boolean;
}

function stepsOf(usages: readonly Usage[]): readonly Step[] {
  const groups = new Map<string, { word: string; meaning: string }[]>([['', []]]);
  for (const { name, summary } of usages) {
    const [first = '', second] = name.split(' ');
    if (second === undefined) {
      groups.get('')?.push({ word: first, meaning: summary });
      continue;
    }
    if (!groups.has(first)) groups.get('')?.push({ word: first, meaning: `${first} …` });
    groups.set(first, [...(groups.get(first) ?? []), { word: second, meaning: summary }]);
  }
  const partial = [...groups].map(([words, next]) => {
    return { words, isPartial: true, next, valueOptions: [], takesFile: false };
  });
  return [...partial, ...usages.map(stepOfCommand)];
}

function stepOfCommand(usage: Usage): Step {
  const options = Object.entries(optionsOf(usage));
  return {
    words: usage.name,
    isPartial: false,
    next: options.map(([name, { meaning }]) => ({ word: `--${name}`, meaning })),
    valueOptions: options.flatMap(([name, { value }]) =>
      value === undefined ? [] : [`--${name}`],
    ),
    takesFile: usage.operand?.name === 'FILE',
  };
}

/** Offers files where a value or a file is expected, because the possible values are not known. */
function renderBash(steps: readonly Step[]): string {
  const cases = steps.map(({ words, isPartial, next, valueOptions, takesFile }) => {
    const pattern = isPartial ? `'${words}'` : `'${words}' | '${words} '*`;
    const lines = [
      ...(valueOptions.length === 0
        ? []
        : [`[[ $previous == @(${valueOptions.join('|')}) ]] && return`]),
      ...(takesFile ? ['[[ $current != -* ]] && return'] : []),
      `words='${next.map(({ word }) => word).join(' ')}'`,
    ];
    return `    ${pattern})\n${lines.map((line) => `      ${line}\n`).join('')}      ;;\n`;
  });
  return `# bash completion of cardport
_cardport() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} words=
  case "\${COMP_WORDS[*]:1:COMP_CWORD-1}" in
${cases.join('')}  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o bashdefault -o default -F _cardport cardport
`;
}

function renderZsh(steps: readonly Step[]): string {
  const cases = steps.map(({ words, isPartial, next, valueOptions, takesFile }) => {
    const pattern = isPartial ? `'${words}'` : `'${words}'|'${words} '*`;
    const lines = [
      ...(valueOptions.length === 0
        ? []
        : [`[[ $previous == (${valueOptions.join('|')}) ]] && { _files; return }`]),
      ...(takesFile ? ['[[ $current != -* ]] && { _files; return }'] : []),
      `choices=(${next.map(({ word, meaning }) => quoted(`${word}:${meaning}`)).join(' ')})`,
    ];
    return `    ${pattern})\n${lines.map((line) => `      ${line}\n`).join('')}      ;;\n`;
  });
  return `#compdef cardport
_cardport() {
  local current=$words[CURRENT] previous=$words[CURRENT-1]
  local -a choices
  case "\${(j: :)words[2,CURRENT-1]}" in
${cases.join('')}  esac
  _describe cardport choices
}
compdef _cardport cardport
`;
}

function renderFish(steps: readonly Step[]): string {
  const lines = steps.flatMap(({ words, isPartial, next, valueOptions, takesFile }) => {
    const condition = `__cardport_${isPartial ? 'is' : 'begins'} "${words}"`;
    return [
      ...(takesFile ? [`complete -c cardport -n ${quoted(condition)} -F`] : []),
      ...next.map(({ word, meaning }) => {
        const isOption = word.startsWith('--');
        const needsValue = valueOptions.includes(word) ? ' -r' : '';
        const choice = isOption ? `-l ${word.slice(2)}${needsValue}` : `-a ${word}`;
        return `complete -c cardport -n ${quoted(condition)} ${choice} -d ${quoted(meaning)}`;
      }),
    ];
  });
  return `# fish completion of cardport
function __cardport_is
    set -l typed (string join -- ' ' (commandline -opc)[2..])
    test "$typed" = "$argv[1]"
end
function __cardport_begins
    __cardport_is $argv; and return
    set -l typed (string join -- ' ' (commandline -opc)[2..])
    string match -q -- "$argv[1] *" "$typed"
end
complete -c cardport -f
${lines.join('\n')}
`;
}

/** Puts the text in single quotes, which have the same meaning in all supported shells. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", '’')}'`;
}
