import type { AdapterPayload } from 'oidc-provider';
import type { Transaction } from '../database/database.ts';
import type { NewAnswer } from '../grants/answer.ts';
import type { NewArtifact } from '../grants/artifact.ts';
import type { RefreshTokenClaims } from '../grants/refresh-token.ts';
import { type TokenWrites, writeTokens } from '../grants/token-writes.ts';

/**
 * The transaction of one token request, as a unit of work: the library finds in it what was read under the lock of the
 * grant, and what it writes is kept until its end, so that it is one statement (decision 0124).
 */
export class TokenTransaction {
  readonly tx: Transaction;
  /** The member who approved; null when the grant is over or the member may not act. */
  member: { readonly accountId: string; readonly name: string } | null = null;
  /** True when a refresh token came a second time so soon that it is an accident: nothing is revoked (decision 0007). */
  isForgiven = false;
  /** What a refresh token that is made here says of itself; null until the approval is known. */
  nextRefresh: RefreshTokenClaims | null = null;
  readonly #read = new Map<string, AdapterPayload>();
  readonly #made: NewArtifact[] = [];
  #spent: TokenWrites['spent'] | null = null;

  constructor(tx: Transaction) {
    this.tx = tx;
  }

  /** Keeps what the library would read again. */
  remember(model: string, id: string, payload: AdapterPayload): void {
    this.#read.set(`${model} ${id}`, payload);
  }

  recall(model: string, id: string): AdapterPayload | undefined {
    return this.#read.get(`${model} ${id}`);
  }

  /** Notes what the request gives. */
  make(artifact: NewArtifact): void {
    this.#made.push(artifact);
  }

  /** Notes the code or refresh token that the request spends. */
  spend(spent: TokenWrites['spent']): void {
    if (this.#spent !== null) throw new Error('a token request spends one token');
    this.#spent = spent;
  }

  /** Sends what was noted along with the commit. */
  write(answer: NewAnswer | null, now: Date): void {
    if (this.#spent === null) throw new Error('a token request has spent nothing');
    writeTokens(this.tx, { spent: this.#spent, made: this.#made, answer }, now);
  }
}
