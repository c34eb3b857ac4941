import type { AdapterPayload } from 'oidc-provider';
import type { Transaction } from '../database/database.ts';
import type { NewAnswer } from '../grants/answer.ts';
import type { NewArtifact } from '../grants/artifact.ts';
import type { RefreshTokenClaims } from '../grants/refresh-token.ts';
import { type TokenWrites, writeTokens } from '../grants/token-writes.ts';

/**
 * The unit of work of one token request: it gives the library the rows read under the grant's lock,
 * and collects the library's writes for one statement at the end (decision 0124).
 */
export class TokenTransaction {
  readonly tx: Transaction;
  /** The approving member; null if the grant has ended or the member may not act. */
  member: { readonly accountId: string; readonly name: string } | null = null;
  /**
   * True if a refresh token was reused so soon that it counts as an accident: nothing is revoked
   * (decision 0007).
   */
  isForgiven = false;
  /** Claims for a refresh token issued here; null until the approval is known. */
  nextRefresh: RefreshTokenClaims | null = null;
  readonly #read = new Map<string, AdapterPayload>();
  readonly #made: NewArtifact[] = [];
  #spent: TokenWrites['spent'] | null = null;

  constructor(tx: Transaction) {
    this.tx = tx;
  }

  /** Saves a row that the library would read again. */
  remember(model: string, id: string, payload: AdapterPayload): void {
    this.#read.set(`${model} ${id}`, payload);
  }

  recall(model: string, id: string): AdapterPayload | undefined {
    return this.#read.get(`${model} ${id}`);
  }

  make(artifact: NewArtifact): void {
    this.#made.push(artifact);
  }

  /** Records the code or refresh token that the request consumes. */
  spend(spent: TokenWrites['spent']): void {
    if (this.#spent !== null) throw new Error('a token request consumes one token');
    this.#spent = spent;
  }

  /** Writes everything in one statement, sent together with the commit. */
  write(answer: NewAnswer | null, now: Date): void {
    if (this.#spent === null) throw new Error('a token request consumed no token');
    writeTokens(this.tx, { spent: this.#spent, made: this.#made, answer }, now);
  }
}
