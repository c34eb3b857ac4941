const { env } = process;

/** `{base_url}` of the Partner API. */
export const baseUrl = env['CARDPORT_URL'] ?? 'http://127.0.0.1:8080/partner/v1';
/** What the shop got when it added this app. */
export const [clientId, clientSecret] = [env['CLIENT_ID'] ?? '', env['CLIENT_SECRET'] ?? ''];
/** Where browsers and Cardport reach this app. */
export const appUrl = new URL(env['APP_URL'] ?? 'http://127.0.0.1:8090');
/** The port of 127.0.0.1 on which it listens: behind a proxy another one than that of `appUrl`. */
export const port = Number(env['PORT'] ?? appUrl.port);
