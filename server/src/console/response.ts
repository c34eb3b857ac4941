import type { Markup } from '../html/page.ts';
import type { ScriptName } from './assets.ts';
import type { FlashCode } from './flash.ts';

/** The sections of a shop's pages, in navigation order. */
export const SECTIONS = ['home', 'boosts', 'stock', 'places', 'apps', 'members', 'audit'] as const;
export type Section = (typeof SECTIONS)[number];

/** A page as a handler describes it; the layout adds the rest. */
export interface ConsolePage {
  readonly title: string;
  readonly content: Markup;
  /** The section marked in the navigation; null for pages of the account. */
  readonly section: Section | null;
  /** Default 200; 422 for a form shown again with errors. */
  readonly status?: number;
  readonly scripts?: readonly ScriptName[];
  /** The page one level up. */
  readonly back?: { readonly href: string; readonly label: string };
  /** Links and buttons next to the title. */
  readonly headerActions?: Markup | undefined;
  /** True for pages that use the whole width. */
  readonly isWide?: boolean;
  /** Complete `Set-Cookie` values. */
  readonly cookies?: readonly string[];
}

export type ConsoleResponse =
  | { readonly kind: 'page'; readonly page: ConsolePage }
  | {
      readonly kind: 'go';
      readonly path: string;
      readonly flash: FlashCode | null;
      /** Complete `Set-Cookie` values. */
      readonly cookies?: readonly string[];
    }
  | { readonly kind: 'fragment'; readonly markup: Markup }
  | {
      readonly kind: 'file';
      readonly name: string;
      readonly type: string;
      readonly text: AsyncIterable<string>;
    }
  | { readonly kind: 'not_found' };

/**
 * The same page for an unknown id and for another shop's, so that ids of other shops are not
 * revealed.
 */
export const NOT_FOUND: ConsoleResponse = { kind: 'not_found' };

export function showPage(page: ConsolePage): ConsoleResponse {
  return { kind: 'page', page };
}

/** Redirects (303) after an action; the next page shows the message of `flash`. */
export function redirectTo(
  path: string,
  flash: FlashCode | null = null,
  cookies: readonly string[] = [],
): ConsoleResponse {
  return { kind: 'go', path, flash, cookies };
}

/** Markup for part of a page, requested by a script. */
export function sendFragment(markup: Markup): ConsoleResponse {
  return { kind: 'fragment', markup };
}

/** A file to download; `name` holds only letters, digits, dots and hyphens. */
export function sendFile(name: string, type: string, text: AsyncIterable<string>): ConsoleResponse {
  return { kind: 'file', name, type, text };
}
