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
  /** The supported response modes; requests for any other mode are refused. */
  readonly responseModes: readonly string[];
}

type GrantHandler<Params extends object> = (
  ctx: TokenEndpointGrantContext<Params>,
) => Promise<void> | void;
type ParameterNames = string | readonly string[] | ReadonlySet<string>;

/**
 * Creates a provider with wrapped grant handlers and fewer response modes. The library has no
 * settings for this, but its constructor registers handlers and modes through public methods.
 *
 * @throws Error if this version of the library registers them differently
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

/** The library compares client secrets as plain text (panva/node-oidc-provider#631). */
export function setSecretComparison(
  provider: Provider,
  isValid: (client: object, secret: string) => boolean,
): void {
  provider.Client.prototype.compareClientSecret = function compare(secret: string): boolean {
    return isValid(this, secret);
  };
}

export type TokenModel = 'AccessToken' | 'AuthorizationCode' | 'RefreshToken';

/**
 * The library calls tokens and codes ids. It has a setting for their length, but not for their
 * form.
 *
 * @throws Error if this version of the library creates them differently
 */
export function setTokenGenerators(
  provider: Provider,
  generators: Readonly<Record<TokenModel, (client: object) => string>>,
): void {
  setTokenGenerator(provider.AccessToken.prototype, generators.AccessToken);
  setTokenGenerator(provider.AuthorizationCode.prototype, generators.AuthorizationCode);
  setTokenGenerator(provider.RefreshToken.prototype, generators.RefreshToken);
}

function setTokenGenerator(model: object, generateId: (client: object) => string): void {
  const generate: unknown = Reflect.get(model, 'generateTokenId');
  if (typeof generate !== 'function') {
    throw new TypeError('the library no longer has generateTokenId');
  }
  Reflect.set(model, 'generateTokenId', function generateTokenId(this: object): string {
    // The library's function also records the format of the token.
    Reflect.apply(generate, this, []);
    const client: unknown = Reflect.get(this, 'client');
    if (typeof client !== 'object' || client === null) {
      throw new TypeError('the library created a token without its client');
    }
    return generateId(client);
  });
}
