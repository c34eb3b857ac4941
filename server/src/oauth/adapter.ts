import Provider, { type Adapter, type AdapterPayload } from 'oidc-provider';
import { findApp, findAppWithSecrets } from '../apps/app.ts';
import { hashSecret, shopOfSecret } from '../base/secrets.ts';
import {
  type ArtifactKey,
  type ArtifactModel,
  deleteArtifact,
  findArtifact,
  findShopOfArtifact,
  lockInteraction,
  saveArtifact,
} from '../approvals/artifact.ts';
import { clientMetadata, isClientId, shopOfClient } from './client-metadata.ts';
import type { GrantStore } from './grant-store.ts';
import { LibraryRequest } from './library-request.ts';

export function createAdapterFactory(store: GrantStore): (model: string) => Adapter {
  return (model) => {
    switch (model) {
      case 'Grant':
      case 'AuthorizationCode':
      case 'AccessToken':
      case 'RefreshToken':
      case 'Interaction':
        return new ArtifactAdapter(store, model);
      case 'Client':
        return new ClientAdapter(store);
      default:
        // We manage sessions in `sign-in/`, so the library's own sessions are not stored.
        return new EmptyAdapter();
    }
  };
}

class EmptyAdapter implements Adapter {
  async upsert(_id: string, _payload: AdapterPayload): Promise<void> {}
  async find(_id: string): Promise<AdapterPayload | undefined> {
    return undefined;
  }
  async findByUserCode(_userCode: string): Promise<undefined> {}
  async findByUid(_uid: string): Promise<undefined> {}
  async consume(_id: string): Promise<void> {}
  async destroy(_id: string): Promise<void> {}
  async revokeByGrantId(_grantId: string): Promise<void> {}
}

class ClientAdapter extends EmptyAdapter {
  readonly #store: GrantStore;

  constructor(store: GrantStore) {
    super();
    this.#store = store;
  }

  /** Also finds disabled apps, because an app that gets `invalid_client` discards its tokens. */
  override async find(id: string): Promise<AdapterPayload | undefined> {
    if (!isClientId(id)) return undefined;
    const app = await findAppWithSecrets(this.#store.queryable, id);
    return app === undefined || app.removedAt !== null ? undefined : clientMetadata(app);
  }
}

/**
 * Stores the library's artifacts under the SHA-256 of their ids, because the ids are secrets. All
 * code locks the Grant's row first, so that requests and revocations cannot deadlock.
 */
class ArtifactAdapter extends EmptyAdapter {
  readonly #store: GrantStore;
  readonly #model: ArtifactModel;

  constructor(store: GrantStore, model: ArtifactModel) {
    super();
    this.#store = store;
    this.#model = model;
  }

  override async upsert(
    id: string,
    { jti: _secret, ...payload }: AdapterPayload,
    lifetimeSeconds?: number,
  ): Promise<void> {
    const { ctx } = Provider;
    const signInFirst = ctx === undefined ? null : LibraryRequest.of(ctx).caller.signInFirst;
    if (this.#model === 'Interaction' && signInFirst !== null) return;
    const hash = hashSecret(id);
    const grantId = this.#model === 'Grant' ? id : payload.grantId;
    const artifact = {
      model: this.#model,
      hash,
      payload,
      grantHash: grantId === undefined ? null : hashSecret(grantId),
      expiresAt: this.#expiryOf(id, lifetimeSeconds),
    };
    const { tokenTransaction, queryable } = this.#store;
    if (tokenTransaction !== null) tokenTransaction.add(artifact);
    else await saveArtifact(queryable, await this.#shopOfPayload(payload), artifact);
  }

  async #shopOfPayload({ clientId, params }: AdapterPayload): Promise<string> {
    const name = clientId ?? params?.['client_id'];
    const client = Provider.ctx?.oidc.client;
    if (client !== undefined && client.clientId === name) return shopOfClient(client);
    const app = typeof name === 'string' ? await findApp(this.#store.queryable, name) : undefined;
    if (app === undefined) throw new Error(`the app of a new ${this.#model} does not exist`);
    return app.shopId;
  }

  async #keyOf(id: string): Promise<ArtifactKey | undefined> {
    const hash = hashSecret(id);
    const shopId = await this.#shopOf(id, hash);
    return shopId === undefined ? undefined : { shopId, model: this.#model, hash };
  }

  async #shopOf(id: string, hash: string): Promise<string | undefined> {
    const { tokenTransaction, queryable } = this.#store;
    if (tokenTransaction !== null) return tokenTransaction.shopId;
    const client = Provider.ctx?.oidc.client;
    // An authenticated client can use only artifacts of its own shop.
    const known = shopOfSecret(id) ?? (client === undefined ? undefined : shopOfClient(client));
    return known ?? (await findShopOfArtifact(queryable, this.#model, hash));
  }

  #expiryOf(id: string, lifetimeSeconds: number | undefined): Date | null {
    const { refreshTokens, clock } = this.#store;
    const claims = this.#model === 'RefreshToken' ? refreshTokens.read(id) : undefined;
    if (claims !== undefined) return claims.expiresAt;
    if (lifetimeSeconds === undefined) return null;
    return new Date(clock.now().getTime() + lifetimeSeconds * 1_000);
  }

  override async find(id: string): Promise<AdapterPayload | undefined> {
    const known = this.#store.tokenTransaction?.findPreloaded(this.#model, id);
    if (known !== undefined) return known;
    const { queryable, clock, transaction } = this.#store;
    const key = await this.#keyOf(id);
    if (key === undefined) return undefined;
    // Lock an interaction before it is read, so that concurrent decisions run one by one.
    if (this.#model === 'Interaction' && transaction !== undefined) {
      await lockInteraction(transaction, key);
    }
    let row = await findArtifact(queryable, key, clock.now());
    if (row === undefined && this.#model === 'RefreshToken' && (await this.#recoverLostToken(id))) {
      row = await findArtifact(queryable, key, clock.now());
    }
    return row === undefined ? undefined : toPayload(id, row.payload, row.consumedAt);
  }

  /** Also for revocation requests, whose token may have been issued after the restored backup. */
  async #recoverLostToken(id: string): Promise<boolean> {
    const clientId = Provider.ctx?.oidc.client?.clientId;
    if (clientId === undefined || this.#store.tokenTransaction !== null) return false;
    return await this.#store.db.transaction(
      async (tx) => await this.#store.recoverLostToken(tx, id, clientId),
    );
  }

  /** Only token requests consume tokens, and record it together with the new tokens. */
  override async consume(id: string): Promise<void> {
    const { tokenTransaction } = this.#store;
    if (tokenTransaction === null) throw new Error('a token is consumed outside a token request');
    tokenTransaction.consume({ model: this.#model, hash: hashSecret(id) });
  }

  /**
   * Deletes an interaction, or a Grant with all its artifacts in one commit. The library also calls
   * this for each of these artifacts; those calls are ignored.
   */
  override async destroy(id: string): Promise<void> {
    if (this.#model !== 'Grant' && this.#model !== 'Interaction') return;
    const key = await this.#keyOf(id);
    if (key === undefined) return;
    const { shopId, hash } = key;
    if (this.#model === 'Grant') await this.#store.endGrant({ shopId, grantHash: hash });
    else await deleteArtifact(this.#store.queryable, key);
  }
}

export function toPayload(
  id: string,
  payload: Readonly<Record<string, unknown>>,
  consumedAt: Date | null,
): AdapterPayload {
  const consumed =
    consumedAt === null ? {} : { consumed: Math.floor(consumedAt.getTime() / 1_000) };
  return { ...payload, jti: id, ...consumed };
}
