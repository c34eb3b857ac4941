import Provider, {
  type Configuration,
  type KoaContextWithOIDC,
  type TokenEndpointGrantContext,
} from 'oidc-provider';

export interface WrappedProviderOptions {
  readonly issuer: string;
  readonly configuration: Configuration;
  readonly grantTypes: readonly string[];
  readonly handleGrant: (
    ctx: KoaContextWithOIDC,
    grantType: string,
    handle: () => Promise<void>,
  ) => Promise<void>;
  /** Every other response mode is unknown, and so refused. */
  readonly responseModes: readonly string[];
}

type GrantHandler<Params extends object> = (
  ctx: TokenEndpointGrantContext<Params>,
) => Promise<void> | void;
type ParameterNames = string | readonly string[] | ReadonlySet<string>;

/**
 * The library with its grant handlers wrapped, and with fewer response modes. It exposes neither,
 * but its constructor registers both through the public methods.
 *
 * @throws Error when this version of the library registers them differently.
 */
export function createWrappedProvider(options: WrappedProviderOptions): Provider {
  const { issuer, configuration, grantTypes, handleGrant, responseModes } = options;
  const registered = new Set<string>();
  class WrappedProvider extends Provider {
    override registerGrantType<Params extends object>(
      name: string,
      handler: GrantHandler<Params>,
      parameters?: ParameterNames,
      duplicates?: ParameterNames,
    ): void {
      registered.add(name);
      const wrapped: GrantHandler<Params> = async (ctx) =>
        await handleGrant(ctx, name, async () => await handler(ctx));
      super.registerGrantType<Params>(name, wrapped, parameters, duplicates);
    }

    override registerResponseMode(
      name: string,
      handler: Parameters<Provider['registerResponseMode']>[1],
    ): void {
      if (!responseModes.includes(name)) return;
      registered.add(name);
      super.registerResponseMode(name, handler);
    }
  }
  const provider = new WrappedProvider(issuer, configuration);
  const expected = [...grantTypes, ...responseModes];
  if ([...registered].toSorted().join() !== expected.toSorted().join()) {
    throw new Error(`the library registered ${[...registered].join(', ')} in its constructor`);
  }
  return provider;
}

/**
 * Replaces the plain comparison of client secrets, for example by hashes
 * (panva/node-oidc-provider#631).
 */
export function compareSecrets(
  provider: Provider,
  isValid: (client: object, secret: string) => boolean,
): void {
  provider.Client.prototype.compareClientSecret = function compare(secret: string): boolean {
    return isValid(this, secret);
  };
}

export type TokenModel = 'AccessToken' | 'AuthorizationCode' | 'RefreshToken';

/**
 * The library has a setting only for the length of these ids.
 *
 * @throws Error when this version of the library creates them differently.
 */
export function setTokenIds(
  provider: Provider,
  generators: Readonly<Record<TokenModel, (client: object) => string>>,
): void {
  setModelIds(provider.AccessToken.prototype, generators.AccessToken);
  setModelIds(provider.AuthorizationCode.prototype, generators.AuthorizationCode);
  setModelIds(provider.RefreshToken.prototype, generators.RefreshToken);
}

function setModelIds(model: object, generateId: (client: object) => string): void {
  const generate: unknown = Reflect.get(model, 'generateTokenId');
  if (typeof generate !== 'function') {
    throw new TypeError('the library no longer generates its ids here');
  }
  Reflect.set(model, 'generateTokenId', function generateTokenId(this: object): string {
    // The library's function also records the token's format.
    Reflect.apply(generate, this, []);
    const client: unknown = Reflect.get(this, 'client');
    if (typeof client !== 'object' || client === null) {
      throw new TypeError('the library makes a token without its client');
    }
    return generateId(client);
  });
}
