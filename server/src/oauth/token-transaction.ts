import type { AdapterPayload } from 'oidc-provider';
import type { Transaction } from '../database/database.ts';
import type { StoredResponse } from '../approvals/stored-response.ts';
import type { NewArtifact } from '../approvals/artifact.ts';
import type { RefreshTokenClaims } from '../approvals/refresh-token.ts';
import { type TokenWrites, writeTokens } from '../approvals/token-writes.ts';

/**
 * The transaction of one token request. It gives the library the rows that were read under the
 * Grant's lock, and collects the library's writes for one statement at the end (decision 0124).
 */
export class TokenTransaction {
  readonly tx: Transaction;
  /** The shop of the code or refresh token. */
  readonly shopId: string;
  /** Null if the approval has ended or the member is deactivated. */
  member: { readonly accountId: string; readonly name: string } | null = null;
  /** True if a refresh token was reused so soon that it counts as an accident (decision 0007). */
  isReuseAllowed = false;
  /** The claims of the next refresh token, or null until the approval is known. */
  nextRefresh: RefreshTokenClaims | null = null;
  readonly #preloaded = new Map<string, AdapterPayload>();
  readonly #issued: NewArtifact[] = [];
  #consumed: TokenWrites['consumed'] | null = null;

  constructor(tx: Transaction, shopId: string) {
    this.tx = tx;
    this.shopId = shopId;
  }

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
    if (this.#consumed !== null) throw new Error('a token request can consume only one token');
    this.#consumed = consumed;
  }

  /** On plain PostgreSQL, the statement is sent together with the commit. */
  async write(response: StoredResponse | null, now: Date): Promise<void> {
    if (this.#consumed === null) throw new Error('a token request consumed no token');
    const { tx, shopId } = this;
    await writeTokens(
      tx,
      { shopId, consumed: this.#consumed, issued: this.#issued, response },
      now,
    );
  }
}
