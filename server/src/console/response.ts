import type { Markup } from '../html/page.ts';
import type { ScriptName } from './assets.ts';
import type { FlashCode } from './flash.ts';

/** The sections of a shop's pages, in navigation order. */
export const SECTIONS = [
  'home',
  'boosts',
  'stock',
  'places',
  'apps',
  'members',
  'audit',
  'settings',
] as const;
export type Section = (typeof SECTIONS)[number];

/** The parts of a page that a handler provides. The layout adds the rest. */
export interface ConsolePage {
  readonly title: string;
  readonly content: Markup;
  /** The section marked in the navigation, or null for the pages of an account. */
  readonly section: Section | null;
  /** The HTTP status: 200 by default, and 422 for a form shown again with errors. */
  readonly status?: number;
  readonly scripts?: readonly ScriptName[];
  /** The link to the parent page. */
  readonly back?: { readonly href: string; readonly label: string };
  /** The links and buttons next to the title. */
  readonly headerActions?: Markup | undefined;
  /** True for pages that use the full width of the window. */
  readonly isWide?: boolean;
  /** The values of the `Set-Cookie` headers. */
  readonly cookies?: readonly string[];
  /** The browser loads the page again after this many seconds, with or without scripts. */
  readonly refreshSeconds?: number;
}

export type ConsoleResponse =
  | { readonly kind: 'page'; readonly page: ConsolePage }
  | {
      readonly kind: 'go';
      readonly path: string;
      readonly flash: FlashCode | null;
      /** The values of the `Set-Cookie` headers. */
      readonly cookies?: readonly string[];
    }
  | { readonly kind: 'fragment'; readonly markup: Markup }
  | {
      readonly kind: 'file';
      readonly name: string;
      readonly type: string;
      readonly text: string | AsyncIterable<string>;
    }
  | { readonly kind: 'not_found' };

/** Also for an id of another shop, so that the response does not reveal ids of other shops. */
export const NOT_FOUND: ConsoleResponse = { kind: 'not_found' };

export function showPage(page: ConsolePage): ConsoleResponse {
  return { kind: 'page', page };
}

/** Redirects (303) after an action. The next page shows the message of `flash`. */
export function redirectTo(
  path: string,
  flash: FlashCode | null = null,
  cookies: readonly string[] = [],
): ConsoleResponse {
  return { kind: 'go', path, flash, cookies };
}

export function sendFragment(markup: Markup): ConsoleResponse {
  return { kind: 'fragment', markup };
}

/**
 * Responds with a file to download. `name` must contain only letters, digits, dots and hyphens. The
 * parts of a long `text` take a few milliseconds each, and hold nothing in between.
 */
export function sendFile(
  name: string,
  type: string,
  text: string | AsyncIterable<string>,
): ConsoleResponse {
  return { kind: 'file', name, type, text };
}
