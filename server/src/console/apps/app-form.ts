import { html } from 'hono/html';
import type { App, NewApp } from '../../apps/app.ts';
import { isScope, type Scope } from '../../apps/scope.ts';
import { hashSecret } from '../../base/secrets.ts';
import { findEmailFault, findTextFault } from '../../base/plain-text.ts';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import { submitButton } from '../parts/button.ts';
import { areaField, boxesField, boxField, fieldId, textField } from '../parts/field.ts';
import { type FormFault, faultOf, faultSummary } from '../parts/notes.ts';
import type { Visit } from '../visit.ts';
import { faultsOfLines, linesOf, REDIRECT_URIS_MAX } from './redirect-uri-words.ts';
import { scopeMeaning, scopeName, SCOPES_IN_ORDER } from './scope-words.ts';

/** Bound of the schema (0002_apps.sql), in code points. */
const NAME_MAX = 200;

/** What stands in the form, as it was typed. */
export interface AppFormValues {
  readonly name: string;
  readonly contactEmail: string;
  readonly redirectUris: string;
  readonly scopes: ReadonlySet<Scope>;
  readonly sharesCost: boolean;
}

interface Words {
  readonly refused: string;
  readonly name: string;
  readonly nameHint: string;
  readonly nameFault: string;
  readonly email: string;
  readonly emailHint: string;
  readonly emailFault: string;
  readonly uris: string;
  readonly urisHint: string;
  readonly urisFault: string;
  readonly scopes: string;
  readonly scopesHint: string;
  readonly scopesFault: string;
  readonly profileFault: string;
  readonly cost: string;
  readonly costLabel: string;
  readonly costHint: string;
  readonly checkFailed: string;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    refused: 'This could not be saved:',
    name: 'Name',
    nameHint: 'Members see it when the app asks for their approval.',
    nameFault: `Enter a name of 1 to ${NAME_MAX} characters, without spaces around it.`,
    email: 'Contact e-mail (optional)',
    emailHint: 'Whom to ask when the app does not work: its developer.',
    emailFault: 'Enter an e-mail address such as developer@app.example, or leave it empty.',
    uris: 'Redirect URIs',
    urisHint: `The developer tells you these: where the browser returns to after a member has approved. One on each line, at most ${REDIRECT_URIS_MAX}, compared exactly as written. Webhooks may only go to the same hosts.`,
    urisFault: 'Some addresses are not valid:',
    scopes: 'What the app may ask for',
    scopesHint:
      'Tick what the app needs and nothing else. A member still has to approve it before the app sees anything.',
    scopesFault: 'Tick at least “Stock” or “Buy boosts”: without either, the app can do nothing.',
    profileFault: '“The member’s name” works only together with “Recognise the member”.',
    cost: 'Cost',
    costLabel: 'Share with this app what each piece has cost the shop',
    costHint:
      'The app sees purchase prices only if this is ticked, it has “Stock”, and the member who approves may see costs. Leave it off unless the app is for bookkeeping or the like.',
    checkFailed:
      'The addresses could not be checked just now. They are checked when you send the form.',
  },
  ja: {
    refused: '入力内容をご確認ください。',
    name: '名前',
    nameHint: 'アプリが承認を求めるときに、メンバーに表示されます。',
    nameFault: `名前は 1〜${NAME_MAX} 文字で、前後に空白を入れずに入力してください。`,
    email: '連絡先メールアドレス（任意）',
    emailHint: 'アプリが動かないときの問い合わせ先（開発者）です。',
    emailFault: 'developer@app.example のようなメールアドレスを入力するか、空欄にしてください。',
    uris: 'リダイレクト URI',
    urisHint: `メンバーの承認後にブラウザが戻るアドレスで、開発者から伝えられます。1 行に 1 つ、最大 ${REDIRECT_URIS_MAX} 個、入力どおりに照合されます。Webhook の送信先も同じホストに限られます。`,
    urisFault: 'アドレスに問題があります。',
    scopes: 'アプリが求めることのできる権限',
    scopesHint:
      'アプリに必要なものだけを選んでください。実際に見えるようになるのは、メンバーが承認した後です。',
    scopesFault: '「在庫」か「買取強化」を選んでください。どちらもないとアプリは何もできません。',
    profileFault: '「メンバーの名前」は「メンバーの識別」と合わせて選んでください。',
    cost: '原価',
    costLabel: '在庫品の原価（仕入れ価格）をこのアプリと共有する',
    costHint:
      '原価が見えるのは、ここを選び、アプリに「在庫」があり、承認するメンバーに原価の閲覧権限がある場合だけです。会計などに使うアプリでなければ選ばないでください。',
    checkFailed: 'いまアドレスを確認できませんでした。送信時に確認します。',
  },
};

/** What a new app's form begins with: it stays connected, all else is for the member to say. */
export const NEW_APP_VALUES: AppFormValues = {
  name: '',
  contactEmail: '',
  redirectUris: '',
  scopes: new Set<Scope>(['offline_access']),
  sharesCost: false,
};

/** What the form of an app that is there begins with. */
export function valuesOf(app: App): AppFormValues {
  return {
    name: app.name,
    contactEmail: app.contactEmail ?? '',
    redirectUris: app.redirectUris.join('\n'),
    scopes: new Set(app.scopes),
    sharesCost: app.sharesCost,
  };
}

/** Stands for an app as a form shows it: another change of it (a secret, enabled or not) is no reason to ask again. */
export function markOf({ name, contactEmail, redirectUris, scopes, sharesCost }: App): string {
  const shown = [name, contactEmail, redirectUris, scopes.toSorted(), sharesCost];
  return hashSecret(JSON.stringify(shown)).slice(0, 22);
}

/** What was posted. */
export function readAppForm({ form }: Visit): AppFormValues {
  const ticked = [...form.keys()].flatMap((field) =>
    field.startsWith('scopes.') ? [field.slice('scopes.'.length)] : [],
  );
  return {
    name: form.get('name') ?? '',
    contactEmail: form.get('contact_email') ?? '',
    redirectUris: form.get('redirect_uris') ?? '',
    scopes: new Set(ticked.filter(isScope)),
    sharesCost: form.has('shares_cost'),
  };
}

/** The app that was typed, or why it is none: by the rules of the domain, in the member's language. */
export function judgeAppForm(
  values: AppFormValues,
  language: Language,
): { readonly app: NewApp; readonly faults: readonly FormFault[] } {
  const text = WORDS[language];
  const { scopes, sharesCost } = values;
  const name = values.name.trim();
  const email = values.contactEmail.trim();
  const redirectUris = linesOf(values.redirectUris);
  const faults: FormFault[] = [];
  if (findTextFault('name', name, NAME_MAX) !== null) {
    faults.push({ field: 'name', text: text.nameFault });
  }
  if (email !== '' && findEmailFault('e-mail', email) !== null) {
    faults.push({ field: 'contact_email', text: text.emailFault });
  }
  const uriFaults = faultsOfLines(redirectUris, language);
  if (uriFaults.length > 0) {
    faults.push({ field: 'redirect_uris', text: `${text.urisFault} ${uriFaults.join(' ')}` });
  }
  if (!scopes.has('inventory:read') && !scopes.has('purchase-boosts:read')) {
    faults.push({ field: 'scopes', text: text.scopesFault });
  } else if (scopes.has('profile') && !scopes.has('openid')) {
    faults.push({ field: 'scopes', text: text.profileFault });
  }
  const contactEmail = email === '' ? null : email;
  return { app: { name, contactEmail, redirectUris, scopes: [...scopes], sharesCost }, faults };
}

/** The form of an app, new or changed. `warning` stands above its button. */
export function renderAppForm(
  visit: Visit,
  options: {
    readonly action: string;
    readonly values: AppFormValues;
    readonly faults: readonly FormFault[];
    readonly submit: string;
    /** Of an app that is there: its webhook may be lost. */
    readonly clientId: string | null;
    /** The mark of the app that is shown; missing for a new one. */
    readonly seen?: string;
    readonly warning?: Markup;
  },
): Markup {
  const { action, values, faults, submit, clientId, seen, warning } = options;
  const { language, formToken } = visit;
  const text = WORDS[language];
  return html`${faultSummary(text.refused, faults)}
    <form method="post" action="${action}" class="sheet">
      ${formToken}
      ${seen === undefined ? '' : html`<input type="hidden" name="seen" value="${seen}" />`}
      ${textField({
        name: 'name',
        label: text.name,
        hint: text.nameHint,
        value: values.name,
        fault: faultOf(faults, 'name'),
        isRequired: true,
        maxLength: NAME_MAX,
        autocomplete: 'off',
      })}
      ${textField({
        name: 'contact_email',
        label: text.email,
        hint: text.emailHint,
        value: values.contactEmail,
        fault: faultOf(faults, 'contact_email'),
        type: 'email',
        autocomplete: 'off',
      })}
      ${areaField({
        name: 'redirect_uris',
        label: text.uris,
        hint: text.urisHint,
        value: values.redirectUris,
        fault: faultOf(faults, 'redirect_uris'),
        isRequired: true,
        rows: 4,
      })}
      <div
        class="checked"
        role="status"
        data-check="${visit.path('/apps/redirect-uris')}"
        data-field="${fieldId('redirect_uris')}"
        data-client="${clientId ?? ''}"
        data-failed="${text.checkFailed}"
      ></div>
      ${renderScopes(text, language, values.scopes, faultOf(faults, 'scopes'))}
      <fieldset class="field">
        <legend>${text.cost}</legend>
        ${boxField({
          name: 'shares_cost',
          label: text.costLabel,
          hint: text.costHint,
          isTicked: values.sharesCost,
        })}
      </fieldset>
      ${warning ?? ''}
      <div class="actions">${submitButton(submit)}</div>
    </form>`;
}

function renderScopes(
  text: Words,
  language: Language,
  ticked: ReadonlySet<Scope>,
  fault: string | null,
): Markup {
  return boxesField({
    name: 'scopes',
    legend: text.scopes,
    hint: text.scopesHint,
    fault,
    choices: SCOPES_IN_ORDER.map((scope) => ({
      value: scope,
      label: scopeName(scope, language),
      hint: scopeMeaning(scope, language),
    })),
    ticked,
  });
}
