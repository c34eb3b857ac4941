import type { Markup } from '../pages/page.ts';
import type { ScriptName } from './assets.ts';
import type { FlashCode } from './flash.ts';

/** The sections of a shop's pages, in the order of the navigation. */
export const SECTIONS = ['home', 'boosts', 'stock', 'places', 'apps', 'members', 'audit'] as const;
export type Section = (typeof SECTIONS)[number];

/** A page as a handler describes it; the layout comes around. */
export interface ShownPage {
  readonly title: string;
  readonly content: Markup;
  /** What the navigation marks; null for pages of the account. */
  readonly section: Section | null;
  /** 200 unless told otherwise; 422 for a form that comes back. */
  readonly status?: number;
  readonly scripts?: readonly ScriptName[];
  /** Where one level up is. */
  readonly back?: { readonly href: string; readonly label: string };
  /** Beside the title: links and buttons. */
  readonly tools?: Markup | undefined;
  /** True for pages that need the whole width. */
  readonly isWide?: boolean;
  /** Whole `Set-Cookie` values. */
  readonly cookies?: readonly string[];
}

/** What a handler answers with. */
export type ConsoleAnswer =
  | { readonly kind: 'page'; readonly page: ShownPage }
  | {
      readonly kind: 'go';
      readonly path: string;
      readonly flash: FlashCode | null;
      /** Whole `Set-Cookie` values. */
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

/** There is no such thing in this shop, or it is another's: one page for both. */
export const NOT_FOUND: ConsoleAnswer = { kind: 'not_found' };

export function showPage(page: ShownPage): ConsoleAnswer {
  return { kind: 'page', page };
}

/** Sends the browser on (303) after something was done, which `flash` says on the page that follows. */
export function goTo(
  path: string,
  flash: FlashCode | null = null,
  cookies: readonly string[] = [],
): ConsoleAnswer {
  return { kind: 'go', path, flash, cookies };
}

/** Answers a script with markup for a part of its page. */
export function fragment(markup: Markup): ConsoleAnswer {
  return { kind: 'fragment', markup };
}

/** Answers with a file to keep; `name` is of letters, digits, dots and hyphens. */
export function file(name: string, type: string, text: AsyncIterable<string>): ConsoleAnswer {
  return { kind: 'file', name, type, text };
}
