// @ts-check
// Asks the browser for a passkey when a form is sent that wants one: `data-passkey` is `get` (sign in) or `create`
// (register). `data-options` holds the browser's options as JSON, or the address that answers the form's fields with them.
// What the authenticator answers goes into the field `credential`, and the form is sent as it is.
// Such a form, or its button, is hidden until this script has found that the browser knows passkeys; where it does not,
// `[data-passkey-unsupported]` within the form is shown. `[data-passkey-fault]` is shown when no passkey came.

/** True in browsers that read and write the JSON of Web Authentication Level 3 by themselves. */
const isKnown =
  typeof PublicKeyCredential === 'function' &&
  'parseCreationOptionsFromJSON' in PublicKeyCredential &&
  'toJSON' in PublicKeyCredential.prototype;

/**
 * @param {string} text JSON of the options
 * @returns {Promise<Credential | null>}
 */
async function create(text) {
  const options = /** @type {PublicKeyCredentialCreationOptionsJSON} */ (JSON.parse(text));
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  return await navigator.credentials.create({ publicKey });
}

/**
 * @param {string} text JSON of the options
 * @returns {Promise<Credential | null>}
 */
async function get(text) {
  const options = /** @type {PublicKeyCredentialRequestOptionsJSON} */ (JSON.parse(text));
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return await navigator.credentials.get({ publicKey });
}

/**
 * The JSON of the options.
 *
 * @param {HTMLFormElement} form
 * @returns {Promise<string>}
 */
async function readOptions(form) {
  const options = form.dataset['options'] ?? '';
  if (options.startsWith('{')) return options;
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    if (typeof value === 'string') fields.append(name, value);
  }
  const answer = await fetch(options, { method: 'POST', body: fields });
  if (!answer.ok) throw new Error(`the options were refused: ${answer.status}`);
  return await answer.text();
}

/**
 * What the authenticator answers, as the text that the server reads.
 *
 * @param {HTMLFormElement} form
 * @returns {Promise<string>}
 */
async function ask(form) {
  const text = await readOptions(form);
  const credential = form.dataset['passkey'] === 'create' ? await create(text) : await get(text);
  if (!(credential instanceof PublicKeyCredential)) throw new TypeError('no passkey came');
  return JSON.stringify(credential.toJSON());
}

/**
 * @param {HTMLFormElement} form
 * @param {string} selector
 * @param {boolean} isShown
 */
function show(form, selector, isShown) {
  for (const part of form.querySelectorAll(selector)) {
    if (part instanceof HTMLElement) part.hidden = !isShown;
  }
}

/** @param {HTMLFormElement} form */
function wire(form) {
  const field = form.elements.namedItem('credential');
  if (!(field instanceof HTMLInputElement)) return;
  let isAsking = false;
  const send = async () => {
    try {
      field.value = await ask(form);
      form.submit();
    } catch {
      // Cancelled, too late, no such passkey, or the page is out of date: the person may try again.
      show(form, '[data-passkey-fault]', true);
      isAsking = false;
    }
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (isAsking) return;
    isAsking = true;
    show(form, '[data-passkey-fault]', false);
    void send();
  });
  show(form, 'button[type=submit]', true);
  form.hidden = false;
}

for (const form of document.querySelectorAll('form[data-passkey]')) {
  if (!(form instanceof HTMLFormElement)) continue;
  if (isKnown) wire(form);
  else show(form, '[data-passkey-unsupported]', true);
}
