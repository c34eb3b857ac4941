import { isObject } from '../../base/field.ts';

/** An object that others made, of which nothing is known. */
export type Foreign = Readonly<Record<string, unknown>>;

const NOTHING: Foreign = {};

/** A member that is a text with something in it, without the spaces around it; a number as text; else null. */
export function textOf(object: Foreign, name: string): string | null {
  const value = object[name];
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return null;
  const text = value.trim();
  return text === '' ? null : text;
}

/** A member that is an object; an empty one when it is not. */
export function objectOf(object: Foreign, name: string): Foreign {
  const value = object[name];
  return isObject(value) ? value : NOTHING;
}

/** The objects in a member that is an array; none when it is not. */
export function objectsOf(object: Foreign, name: string): readonly Foreign[] {
  const value = object[name];
  return Array.isArray(value) ? value.filter((each) => isObject(each)) : [];
}

/** The texts in a member that is an array, each once; none when it is not. */
export function textsOf(object: Foreign, name: string): readonly string[] {
  const value = object[name];
  if (!Array.isArray(value)) return [];
  const texts = value.filter((each): each is string => typeof each === 'string');
  return [...new Set(texts.filter((text) => text.trim() !== ''))];
}
