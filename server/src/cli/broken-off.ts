/** Where the reading of a file broke off, and why. */
export interface Breach {
  /** The line from which on nothing was read. */
  readonly number: number;
  readonly reason: string;
}

/** What a person is told of an import whose input could not be read to its end; `input` names it. */
export function explainBreach(input: string, { number, reason }: Breach): string {
  return (
    `${input} could not be read to its end: from line ${number} on nothing was read. ` +
    `${reason} The lines before it are kept: mend the file and import it again.`
  );
}
