import { isObject } from '../../base/field.ts';

/** An object from an external source, not validated. */
export type ExternalObject = Readonly<Record<string, unknown>>;

const EMPTY: ExternalObject = {};

/** Returns a string or number as trimmed text, or null if it is blank or of another type. */
export function textOf(object: ExternalObject, name: string): string | null {
  const value = object[name];
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return null;
  const text = value.trim();
  return text === '' ? null : text;
}

export function objectOf(object: ExternalObject, name: string): ExternalObject {
  const value = object[name];
  return isObject(value) ? value : EMPTY;
}

export function objectsOf(object: ExternalObject, name: string): readonly ExternalObject[] {
  const value = object[name];
  return Array.isArray(value) ? value.filter((each) => isObject(each)) : [];
}

export function textsOf(object: ExternalObject, name: string): readonly string[] {
  const value = object[name];
  if (!Array.isArray(value)) return [];
  const texts = value.filter((each): each is string => typeof each === 'string');
  return [...new Set(texts.filter((text) => text.trim() !== ''))];
}
