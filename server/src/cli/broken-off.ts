/** Where the reading of a file broke off, and why. */
export interface Breach {
  /** The line at which it ended; of a file whose elements share lines, some of this line may have been read. */
  readonly number: number;
  readonly reason: string;
}

/** What a person is told of an import whose input could not be read to its end; `input` names it. */
export function explainBreach(input: string, { number, reason }: Breach): string {
  return (
    `${input} could not be read to its end: reading stopped at line ${number}. ` +
    `${reason} What came before is kept: mend the file and import it again.`
  );
}
