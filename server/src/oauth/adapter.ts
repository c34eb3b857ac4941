import Provider, { type Adapter, type AdapterPayload } from 'oidc-provider';
import { findApp, findAppSecretHashes } from '../apps/app.ts';
import { hashSecret } from '../base/secrets.ts';
import {
  type ArtifactModel,
  consumeArtifact,
  deleteArtifact,
  findArtifact,
  findGrantHash,
  lockInteraction,
  saveArtifact,
} from '../grants/artifact.ts';
import { clientMetadata, isClientId } from './client-metadata.ts';
import type { GrantStore } from './grant-store.ts';

/** What the library keeps of each of its models. */
export function adapterOf(store: GrantStore): (model: string) => Adapter {
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
        // Sessions are ours (signin/), so that the library's leave no row and no cookie.
        return new EmptyAdapter();
    }
  };
}

/** Keeps nothing and finds nothing. */
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

  /** A disabled app is found: it is told so later, because a client that is told `invalid_client` drops its tokens. */
  override async find(id: string): Promise<AdapterPayload | undefined> {
    if (!isClientId(id)) return undefined;
    const db = this.#store.queryable;
    const app = await findApp(db, id);
    if (app === undefined || app.removedAt !== null) return undefined;
    return clientMetadata(app, await findAppSecretHashes(db, app.shopId, id));
  }
}

/** Ids are secrets: rows hold their SHA-256. Lock order everywhere: the Grant's row first, then anything else. */
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
    const hash = hashSecret(id);
    const grantId = this.#model === 'Grant' ? id : payload.grantId;
    await saveArtifact(this.#store.queryable, {
      model: this.#model,
      hash,
      payload,
      grantHash: grantId === undefined ? null : hashSecret(grantId),
      expiresAt:
        lifetimeSeconds === undefined
          ? null
          : new Date(this.#store.clock.now().getTime() + lifetimeSeconds * 1_000),
    });
  }

  override async find(id: string): Promise<AdapterPayload | undefined> {
    const known = this.#store.tokenRequest?.found.get(`${this.#model} ${id}`);
    if (known !== undefined) return known;
    const { queryable, clock, transaction } = this.#store;
    // Whoever answers or ends an interaction does so alone: what it became meanwhile is read after the lock.
    if (this.#model === 'Interaction' && transaction !== undefined) {
      await lockInteraction(transaction, hashSecret(id));
    }
    const row = await findArtifact(queryable, this.#model, hashSecret(id), clock.now());
    return row === undefined ? undefined : toPayload(id, row.payload, row.consumedAt);
  }

  override async consume(id: string): Promise<void> {
    const { queryable, clock } = this.#store;
    const isFirst = await consumeArtifact(queryable, this.#model, hashSecret(id), clock.now());
    if (!isFirst) throw new Error('consumed twice under the lock of its grant');
  }

  /** RFC 7009 destroys the token first and its grant after it: a crash between must not leave half. */
  override async destroy(id: string): Promise<void> {
    const hash = hashSecret(id);
    if (this.#model === 'Interaction') {
      await deleteArtifact(this.#store.queryable, this.#model, hash);
      return;
    }
    const grantHash =
      this.#model === 'Grant'
        ? hash
        : await findGrantHash(this.#store.queryable, this.#model, hash);
    if (grantHash !== undefined) await this.#endGrant(grantHash);
  }

  override async revokeByGrantId(grantId: string): Promise<void> {
    await this.#endGrant(hashSecret(grantId));
  }

  async #endGrant(grantHash: string): Promise<void> {
    // A transaction that is run again is another request: what its first run ended was rolled back.
    const request = this.#store.tokenRequest ?? Provider.ctx;
    if (request === undefined) {
      await this.#store.endGrant(grantHash);
      return;
    }
    const ended = endedGrants.get(request) ?? new Map<string, Promise<void>>();
    endedGrants.set(request, ended);
    const ending = ended.get(grantHash) ?? this.#store.endGrant(grantHash);
    ended.set(grantHash, ending);
    await ending;
  }
}

/** The grants that a request has ended: the library asks once for each model. */
const endedGrants = new WeakMap<object, Map<string, Promise<void>>>();

/** A stored artifact as the library wants it back. */
export function toPayload(
  id: string,
  payload: Readonly<Record<string, unknown>>,
  consumedAt: Date | null,
): AdapterPayload {
  const consumed =
    consumedAt === null ? {} : { consumed: Math.floor(consumedAt.getTime() / 1_000) };
  return { ...payload, jti: id, ...consumed };
}
