import type { AdapterPayload } from 'oidc-provider';
import type { Transaction } from '../database/database.ts';
import type { StoredResponse } from '../approvals/stored-response.ts';
import type { NewArtifact } from '../approvals/artifact.ts';
import type { RefreshTokenClaims } from '../approvals/refresh-token.ts';
import { type TokenWrites, writeTokens } from '../approvals/token-writes.ts';

/**
 * The unit of work of one token request: gives the library the rows read under the grant's lock,
 * and collects its writes for one statement at the end (decision 0124).
 */
export class TokenTransaction {
  readonly tx: Transaction;
  /** Of the code or refresh token. */
  readonly shopId: string;
  /** Null if the grant has ended or the member may not act. */
  member: { readonly accountId: string; readonly name: string } | null = null;
  /** A refresh token was reused so soon that it counts as an accident (decision 0007). */
  isReuseAllowed = false;
  /** Null until the approval is known. */
  nextRefresh: RefreshTokenClaims | null = null;
  readonly #preloaded = new Map<string, AdapterPayload>();
  readonly #issued: NewArtifact[] = [];
  #consumed: TokenWrites['consumed'] | null = null;

  constructor(tx: Transaction, shopId: string) {
    this.tx = tx;
    this.shopId = shopId;
  }

  /** Stores a row that the library would read again. */
  preload(model: string, id: string, payload: AdapterPayload): void {
    this.#preloaded.set(`${model} ${id}`, payload);
  }

  findPreloaded(model: string, id: string): AdapterPayload | undefined {
    return this.#preloaded.get(`${model} ${id}`);
  }

  add(artifact: NewArtifact): void {
    this.#issued.push(artifact);
  }

  consume(consumed: TokenWrites['consumed']): void {
    if (this.#consumed !== null) throw new Error('a token request consumes one token');
    this.#consumed = consumed;
  }

  /** One statement, sent together with the commit. */
  write(response: StoredResponse | null, now: Date): void {
    if (this.#consumed === null) throw new Error('a token request consumed no token');
    const { tx, shopId } = this;
    writeTokens(tx, { shopId, consumed: this.#consumed, issued: this.#issued, response }, now);
  }
}
