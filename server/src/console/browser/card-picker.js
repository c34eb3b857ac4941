// @ts-check
// Makes each picker a combobox (ARIA 1.2) that searches while the person types. Without this
// script, a button shows the hits as radio buttons.

/** How long to wait after the last keystroke before searching. Fast typists pause for less. */
const PAUSE_MS = 200;

let lists = 0;

class Picker {
  /**
   * @readonly
   * @type {HTMLInputElement}
   */
  #input;
  /**
   * @readonly
   * @type {HTMLElement}
   */
  #status;
  /** The hidden input with the id of the chosen hit.
   *
   * @readonly
   */
  #value = document.createElement('input');
  /** @readonly */
  #list = document.createElement('ul');
  /** @type {HTMLElement[]} */
  #options = [];
  #active = -1;
  #chosenText = '';
  /**
   * @readonly
   * @type {string}
   */
  #source;
  /**
   * @readonly
   * @type {string}
   */
  #failed;
  /** @type {AbortController | null} */
  #request = null;
  #timer = 0;

  /**
   * @param {HTMLFieldSetElement} field
   * @param {HTMLInputElement} input
   * @param {HTMLElement} status
   */
  constructor(field, input, status) {
    this.#input = input;
    this.#status = status;
    this.#source = field.dataset['source'] ?? '';
    this.#failed = field.dataset['failed'] ?? '';
    const checked = field.querySelector('input[type="radio"]:checked');
    this.#value.type = 'hidden';
    this.#value.name = field.dataset['picker'] ?? '';
    if (checked instanceof HTMLInputElement) {
      this.#value.value = checked.value;
      this.#chosenText = checked.dataset['text'] ?? '';
      input.value = this.#chosenText;
    }
    field.querySelector('.picker-choices')?.remove();
    field.querySelector('button')?.remove();
    this.#build(field.querySelector('legend')?.textContent ?? '');
    this.#listen();
  }

  /** @param {string} label */
  #build(label) {
    lists += 1;
    const list = this.#list;
    list.id = `picker-list-${lists}`;
    list.className = 'picker-list';
    list.hidden = true;
    list.setAttribute('role', 'listbox');
    list.setAttribute('aria-label', label);
    this.#input.setAttribute('role', 'combobox');
    this.#input.setAttribute('aria-autocomplete', 'list');
    this.#input.setAttribute('aria-expanded', 'false');
    this.#input.setAttribute('aria-controls', list.id);
    this.#input.after(this.#value, list);
  }

  #listen() {
    const input = this.#input;
    input.addEventListener('input', (event) => {
      this.#forget();
      // Do not search for text that an input method is still composing.
      if (event instanceof InputEvent && event.isComposing) return;
      this.#searchSoon();
    });
    input.addEventListener('compositionend', () => this.#searchSoon());
    input.addEventListener('keydown', (event) => this.#press(event));
    input.addEventListener('blur', () => this.#leave());
    // Keep the focus in the field when the person clicks in the list.
    this.#list.addEventListener('mousedown', (event) => event.preventDefault());
    this.#list.addEventListener('click', (event) => {
      const option = event.target instanceof Element ? event.target.closest('li') : null;
      if (option !== null) this.#choose(option);
    });
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (event.isComposing || event.altKey || event.ctrlKey || event.metaKey) return;
    const { key } = event;
    if (key === 'ArrowDown' || key === 'ArrowUp') this.#move(key === 'ArrowDown' ? 1 : -1);
    else if (key === 'Enter' && this.#isUnsettled()) this.#enter();
    else if (key === 'Escape' && this.#isUnsettled()) this.#escape();
    else return;
    event.preventDefault();
  }

  /**
   * True if the list is open, or if the typed text is not a choice yet. Enter and Escape then act
   * on the picker instead of the form.
   */
  #isUnsettled() {
    return !this.#list.hidden || (this.#value.value === '' && this.#input.value.trim() !== '');
  }

  /** @param {number} step */
  #move(step) {
    const count = this.#options.length;
    if (this.#list.hidden) {
      if (count > 0 && this.#value.value === '') this.#open();
      else void this.#search(false);
      return;
    }
    if (count === 0) return;
    const from = this.#active < 0 && step < 0 ? 0 : this.#active;
    this.#activate((from + step + count) % count);
  }

  #enter() {
    const option = this.#options[this.#active];
    if (!this.#list.hidden && option !== undefined) this.#choose(option);
    // A barcode scanner types a code and presses Enter, so choose the hit if it is the only one.
    else void this.#search(true);
  }

  #escape() {
    if (!this.#list.hidden) {
      this.#close();
      return;
    }
    this.#input.value = this.#chosenText;
    this.#status.textContent = '';
  }

  #leave() {
    this.#close();
    // An empty field means no choice, so Escape must not restore the last one.
    if (this.#value.value === '' && this.#input.value.trim() === '') this.#chosenText = '';
  }

  #open() {
    this.#list.hidden = false;
    this.#input.setAttribute('aria-expanded', 'true');
  }

  #close() {
    clearTimeout(this.#timer);
    this.#request?.abort();
    this.#request = null;
    this.#list.hidden = true;
    this.#input.setAttribute('aria-expanded', 'false');
    this.#activate(-1);
  }

  /** @param {number} index */
  #activate(index) {
    this.#options[this.#active]?.setAttribute('aria-selected', 'false');
    this.#active = index;
    const option = this.#options[index];
    if (option === undefined) {
      this.#input.removeAttribute('aria-activedescendant');
      return;
    }
    option.setAttribute('aria-selected', 'true');
    this.#input.setAttribute('aria-activedescendant', option.id);
    option.scrollIntoView({ block: 'nearest' });
  }

  /** @param {HTMLElement} option */
  #choose(option) {
    this.#chosenText = option.dataset['text'] ?? '';
    this.#input.value = this.#chosenText;
    this.#status.textContent = '';
    this.#close();
    this.#setValue(option.dataset['id'] ?? '');
  }

  /** Clears the choice, because the person has changed the text. */
  #forget() {
    this.#chosenText = '';
    this.#setValue('');
  }

  /** @param {string} id */
  #setValue(id) {
    if (this.#value.value === id) return;
    this.#value.value = id;
    this.#value.dispatchEvent(new Event('change', { bubbles: true }));
  }

  #searchSoon() {
    clearTimeout(this.#timer);
    this.#request?.abort();
    this.#timer = setTimeout(() => void this.#search(false), PAUSE_MS);
  }

  /** @param {boolean} isOnlyHitChosen */
  async #search(isOnlyHitChosen) {
    clearTimeout(this.#timer);
    this.#request?.abort();
    const text = this.#input.value.trim();
    if (text === '') {
      this.#close();
      this.#status.textContent = '';
      return;
    }
    const own = new AbortController();
    this.#request = own;
    try {
      const address = `${this.#source}?q=${encodeURIComponent(text)}`;
      // Fail on a redirect: it leads to another page, such as the sign-in page.
      const answer = await fetch(address, { signal: own.signal, redirect: 'error' });
      if (!answer.ok) throw new Error(String(answer.status));
      const markup = await answer.text();
      if (own.signal.aborted) return;
      this.#show(new DOMParser().parseFromString(markup, 'text/html'));
      const [only] = this.#options;
      if (isOnlyHitChosen && this.#options.length === 1 && only !== undefined) this.#choose(only);
    } catch {
      if (own.signal.aborted) return;
      this.#close();
      this.#status.textContent = this.#failed;
    }
  }

  /** @param {Document} answer */
  #show(answer) {
    this.#activate(-1);
    this.#options = [];
    for (const option of answer.querySelectorAll('[role="option"]')) {
      if (!(option instanceof HTMLElement)) continue;
      option.id = `${this.#list.id}-${this.#options.length}`;
      this.#options.push(option);
    }
    this.#list.replaceChildren(...this.#options);
    this.#status.textContent = answer.querySelector('[data-status]')?.textContent ?? '';
    if (this.#options.length > 0) this.#open();
    else this.#close();
  }
}

for (const field of document.querySelectorAll('fieldset[data-picker]')) {
  const input = field.querySelector('input[type="text"]');
  const status = field.querySelector('.picker-status');
  if (
    field instanceof HTMLFieldSetElement &&
    input instanceof HTMLInputElement &&
    status instanceof HTMLElement
  ) {
    new Picker(field, input, status);
  }
}
