import { ApiError } from './errors.ts';

interface KnownPath {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

/** The order of methods in `Allow`. Other methods follow in the order of registration. */
const METHOD_ORDER = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Distinguishes unknown paths (404) from unsupported methods (405, RFC 9110 §15.5.6). */
export class RouteTable {
  readonly #paths = new Map<string, KnownPath>();

  /** Adds a route in Fastify's notation (`/cards/:id`, `/docs/*`). */
  add(methods: readonly string[], url: string): void {
    const known = this.#paths.get(url) ?? { pattern: toPattern(url), methods: new Set() };
    for (const method of methods) known.methods.add(method);
    this.#paths.set(url, known);
  }

  refuse(url: string): ApiError {
    const allowed = this.#methodsOf(pathOf(url));
    if (allowed.length === 0) return new ApiError(404, 'not_found');
    return new ApiError(405, 'method_not_allowed', { headers: { allow: allowed.join(', ') } });
  }

  #methodsOf(path: string): string[] {
    const methods = new Set<string>();
    for (const known of this.#paths.values()) {
      if (!known.pattern.test(path)) continue;
      for (const method of known.methods) methods.add(method);
    }
    const ordered = METHOD_ORDER.filter((method) => methods.has(method));
    return [...ordered, ...[...methods].filter((method) => !METHOD_ORDER.includes(method))];
  }
}

function toPattern(url: string): RegExp {
  const parts = url.split('/').map((part) => {
    if (part.startsWith(':')) return '[^/]+';
    if (part === '*') return '.*';
    return part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  });
  return new RegExp(`^${parts.join('/')}$`);
}

/** Returns the path without query and without the origin of an absolute form (RFC 9112 §3.2.2). */
export function pathOf(url: string): string {
  const path = url.startsWith('/') ? url : url.replace(/^[a-z]+:\/\/[^/?#]*/i, '');
  const end = path.search(/[?#]/);
  return end === -1 ? path : path.slice(0, end);
}
