export interface FormControl {
  readonly name: string;
  /** The `type` attribute such as `hidden`, or `select` or `textarea` for those elements. */
  readonly type: string;
  readonly value: string;
  /** True for a checked checkbox or radio button. */
  readonly isChecked: boolean;
  /** The option values of a `select`; empty for other controls. */
  readonly choices: readonly string[];
}

export interface PostedForm {
  readonly action: string;
  readonly isMultipart: boolean;
  readonly controls: readonly FormControl[];
}

export function formsOf(page: string): readonly PostedForm[] {
  const forms = [...page.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)];
  return forms.flatMap(([, attributes = '', content = '']) => {
    if (attributeOf(attributes, 'method') !== 'post') return [];
    const action = attributeOf(attributes, 'action') ?? '';
    const isMultipart = attributeOf(attributes, 'enctype') === 'multipart/form-data';
    return [{ action, isMultipart, controls: controlsOf(content) }];
  });
}

function controlsOf(content: string): readonly FormControl[] {
  const found = content.matchAll(
    /<(input|button)\b((?:"[^"]*"|[^>"])*)>|<textarea\b((?:"[^"]*"|[^>"])*)>([\s\S]*?)<\/textarea>|<select\b((?:"[^"]*"|[^>"])*)>([\s\S]*?)<\/select>/g,
  );
  return [...found].flatMap(([, tag, input = '', area, text = '', select, options = '']) => {
    const attributes = area ?? select ?? input;
    const name = attributeOf(attributes, 'name');
    if (name === null) return [];
    const common = { name, isChecked: / checked\b/.test(attributes), choices: [] };
    if (area !== undefined) return [{ ...common, type: 'textarea', value: unescapeMarkup(text) }];
    if (select !== undefined) {
      const tags = [...options.matchAll(/<option\b([^>]*)>/g)].map(([, inside = '']) => inside);
      const chosen = tags.find((inside) => inside.includes(' selected')) ?? tags[0] ?? '';
      const choices = tags.map((inside) => attributeOf(inside, 'value') ?? '');
      const value = attributeOf(chosen, 'value') ?? '';
      return [{ ...common, type: 'select', value, choices }];
    }
    const type = tag === 'button' ? 'button' : (attributeOf(attributes, 'type') ?? 'text');
    return [{ ...common, type, value: attributeOf(attributes, 'value') ?? '' }];
  });
}

function attributeOf(text: string, name: string): string | null {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(text)?.[1];
  return value === undefined ? null : unescapeMarkup(value);
}

function unescapeMarkup(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/**
 * Describes the first part of a page that could run injected code (an inline script, style or event
 * handler, or an address on another host). Returns null if there is none.
 */
export function findMarkupFault(page: string): string | null {
  for (const [tag] of page.matchAll(/<[a-z][^\s>]*(?:"[^"]*"|'[^']*'|[^>"'])*>/gi)) {
    const bare = tag.replaceAll(/"[^"]*"|'[^']*'/g, '""');
    if (/\son[a-z]+\s*=/i.test(bare)) return `a handler in ${tag}`;
    if (/\sstyle\s*=/i.test(bare) || /^<style/i.test(tag)) return `a style in ${tag}`;
    if (/^<(?:iframe|object|embed|base|meta http-equiv)/i.test(tag)) return tag;
    if (/^<script/i.test(tag) && !/\ssrc="\/console\/assets\//.test(tag)) {
      return `an inline script: ${tag}`;
    }
    const address = /\s(?:href|src|action|formaction)="([^"]*)"/i.exec(tag)?.[1] ?? '';
    if (/^\s*(?:javascript|vbscript|data:text)/i.test(address)) return `a script in ${tag}`;
    if (/^<(?:link|script|form)/i.test(tag) && /^(?:[a-z]+:)?\/\//i.test(address)) {
      return `an address on another host: ${tag}`;
    }
  }
  return null;
}
