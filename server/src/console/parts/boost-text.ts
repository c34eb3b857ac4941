import { html } from 'hono/html';
import type { BoostStatus } from '../../boosts/boost-status.ts';
import type { CatalogTarget } from '../../boosts/boost-target.ts';
import type { Language } from '../../html/language.ts';
import type { Markup } from '../../html/page.ts';
import { sharedMessages } from '../shared-messages.ts';
import { badge, type Tone } from './badge.ts';
import { itemDetailsOf, gradeText, renderItemName, itemNameOf } from './item-text.ts';
import { boostStateMessages } from './messages/catalog.ts';

const TONES: Readonly<Record<BoostStatus, Tone>> = {
  open: 'good',
  filled: 'warn',
  scheduled: 'calm',
  paused: 'warn',
  expired: 'calm',
  ended: 'calm',
};

export function stateBadge(status: BoostStatus, language: Language): Markup {
  return badge(boostStateMessages[language][status], TONES[status]);
}

/** Returns the grade that a boost asks for, or null for a product, which has no grade. */
export function gradeOfTarget(target: CatalogTarget, language: Language): string | null {
  if (target.kind === 'product') return null;
  const { grade } = target;
  return grade === null ? sharedMessages.anyGrade[language] : gradeText(grade);
}

export function describeTarget(target: CatalogTarget, language: Language, href?: string): Markup {
  const name = renderItemName(itemNameOf(target, language), language);
  const details = itemDetailsOf(target, language);
  return html`<span class="item-name"
      >${href === undefined ? name : html`<a href="${href}">${name}</a>`}</span
    >
    ${details === '' ? '' : html`<span class="item-details">${details}</span>`}`;
}
