// @ts-check
// Handles forms with `data-passkey`: `get` signs in with a passkey, `create` registers one. On
// submit, the script asks the browser for a passkey, writes its JSON to the field `credential`, and
// submits the form. `data-options` contains the WebAuthn options as JSON, or an address that
// returns them for the form's fields.
// The form, or its button, is hidden until the script finds that the browser supports passkeys. If
// it does not, `[data-passkey-unsupported]` is shown. `[data-passkey-fault]` is shown if the
// browser returned no passkey.

/** True if the browser reads and writes the JSON of Web Authentication Level 3. */
const isSupported =
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

/** Returns the options as JSON, from the form or from their address.
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
  if (!answer.ok) {
    throw new Error(`the server refused the passkey options with status ${answer.status}`);
  }
  return await answer.text();
}

/** Asks the browser for a passkey, and returns it as JSON.
 *
 * @param {HTMLFormElement} form
 * @returns {Promise<string>}
 */
async function ask(form) {
  const text = await readOptions(form);
  const credential = form.dataset['passkey'] === 'create' ? await create(text) : await get(text);
  if (!(credential instanceof PublicKeyCredential)) {
    throw new TypeError('the browser returned no passkey');
  }
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
      // The person cancelled, waited too long, or has no passkey, or the page has expired. The
      // person can try again.
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
  if (isSupported) wire(form);
  else show(form, '[data-passkey-unsupported]', true);
}
