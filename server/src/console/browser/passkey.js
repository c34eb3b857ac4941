// @ts-check
// Asks the browser for a passkey when a form is sent that wants one: `data-passkey` is `get` (sign in) or `create`
// (register). The form's own fields go to `data-options`, which answers with the browser's options as JSON; what the
// authenticator answers goes into the field `credential`, and the form is sent as it is. Such forms are hidden until this
// script has found that the browser knows passkeys. `[data-passkey-fault]` within the form is shown when nothing came.

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
 * What the authenticator answers, as the text that the server reads.
 *
 * @param {HTMLFormElement} form
 * @returns {Promise<string>}
 */
async function ask(form) {
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    if (typeof value === 'string') fields.append(name, value);
  }
  const answer = await fetch(form.dataset['options'] ?? '', { method: 'POST', body: fields });
  if (!answer.ok) throw new Error(`the options were refused: ${answer.status}`);
  const text = await answer.text();
  const credential = form.dataset['passkey'] === 'create' ? await create(text) : await get(text);
  if (!(credential instanceof PublicKeyCredential)) throw new TypeError('no passkey came');
  return JSON.stringify(credential.toJSON());
}

/** @param {HTMLFormElement} form */
function wire(form) {
  const field = form.elements.namedItem('credential');
  const fault = form.querySelector('[data-passkey-fault]');
  if (!(field instanceof HTMLInputElement)) return;
  /** @param {boolean} isShown */
  const showFault = (isShown) => {
    if (fault instanceof HTMLElement) fault.hidden = !isShown;
  };
  let isAsking = false;
  const send = async () => {
    try {
      field.value = await ask(form);
      form.submit();
    } catch {
      // Cancelled, too late, no such passkey, or the page is out of date: the person may try again.
      showFault(true);
      isAsking = false;
    }
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (isAsking) return;
    isAsking = true;
    showFault(false);
    void send();
  });
  form.hidden = false;
}

if (isKnown) {
  for (const form of document.querySelectorAll('form[data-passkey]')) {
    if (form instanceof HTMLFormElement) wire(form);
  }
}
