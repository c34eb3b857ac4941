const { env } = process;

/** `{base_url}` of the Partner API. */
export const baseUrl = env['CARDPORT_URL'] ?? 'http://127.0.0.1:8080/partner/v1';
/** The app's credentials, which the shop got when it registered the app. */
export const [clientId, clientSecret] = [env['CLIENT_ID'] ?? '', env['CLIENT_SECRET'] ?? ''];
/** The address at which browsers and Cardport reach this app. */
export const appUrl = new URL(env['APP_URL'] ?? 'http://127.0.0.1:8090');
/** The port on 127.0.0.1; behind a proxy it differs from that of `appUrl`. */
export const port = Number(env['PORT'] ?? appUrl.port);
