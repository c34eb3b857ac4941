// @ts-check
// Reads a barcode with the camera into an input, and submits the input's form. After a form is
// posted, the same page is shown, and the camera opens again for the next code until the person
// closes it.

const FORMATS = ['ean_13', 'ean_8', 'upc_a', 'upc_e', 'code_39', 'code_128', 'qr_code'];
const DETECT_EVERY_MS = 150;
/** A code that stays in view counts once. It counts again after it was out of view for this long. */
const SAME_CODE_AFTER_MS = 1500;
/** Keys in the tab's session storage: which camera is open, and the last code with its time. */
const OPEN = 'camera-open';
const LAST = 'camera-last';

class Camera {
  /** @readonly */
  #dialog = document.createElement('dialog');
  /** @readonly */
  #video = document.createElement('video');
  /** @type {MediaStream | null} */
  #stream = null;

  /**
   * @param {HTMLButtonElement} button
   * @param {HTMLInputElement} input
   * @param {BarcodeDetector} detector
   */
  constructor(button, input, detector) {
    this.button = button;
    this.input = input;
    this.detector = detector;
    const title = document.createElement('p');
    title.textContent = button.dataset['title'] ?? '';
    title.setAttribute('role', 'status');
    this.title = title;
    const close = document.createElement('button');
    close.type = 'button';
    close.className = 'second';
    close.textContent = button.dataset['close'] ?? '';
    close.addEventListener('click', () => this.#dialog.close());
    this.#video.muted = true;
    this.#video.playsInline = true;
    this.#dialog.className = 'camera';
    this.#dialog.setAttribute('aria-label', button.dataset['title'] ?? '');
    this.#dialog.append(title, this.#video, close);
    this.#dialog.addEventListener('close', () => this.#end());
    button.after(this.#dialog);
  }

  async open() {
    sessionStorage.setItem(OPEN, this.input.name);
    this.#dialog.showModal();
    try {
      const video = { facingMode: 'environment' };
      const stream = await navigator.mediaDevices.getUserMedia({ video });
      if (!this.#dialog.open) {
        stopStream(stream);
        return;
      }
      this.#stream = stream;
      this.#video.srcObject = stream;
      await this.#video.play();
      await this.#detect();
    } catch {
      this.title.textContent = this.button.dataset['failed'] ?? '';
      sessionStorage.removeItem(OPEN);
    }
  }

  async #detect() {
    while (this.#dialog.open) {
      const [found] = await this.detector.detect(this.#video);
      if (found !== undefined && this.#isNew(found.rawValue)) {
        this.#submit(found.rawValue);
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, DETECT_EVERY_MS));
    }
  }

  /** @param {string} code */
  #isNew(code) {
    const now = Date.now();
    const [at, last] = sessionStorage.getItem(LAST)?.split(' ', 2) ?? [];
    sessionStorage.setItem(LAST, `${now} ${encodeURIComponent(code)}`);
    return last !== encodeURIComponent(code) || now - Number(at) > SAME_CODE_AFTER_MS;
  }

  /** @param {string} code */
  #submit(code) {
    const { form } = this.input;
    this.input.value = code;
    if (form?.method !== 'post') sessionStorage.removeItem(OPEN);
    // The first submit button is the one that Enter in the input presses.
    const submit = form?.querySelector('button[type="submit"]');
    form?.requestSubmit(submit instanceof HTMLButtonElement ? submit : null);
  }

  #end() {
    sessionStorage.removeItem(OPEN);
    if (this.#stream !== null) stopStream(this.#stream);
    this.#stream = null;
    this.input.focus();
  }
}

/** @param {MediaStream} stream */
function stopStream(stream) {
  for (const track of stream.getTracks()) track.stop();
}

/** @param {HTMLButtonElement} button */
async function offerCamera(button) {
  const { BarcodeDetector } = window;
  if (BarcodeDetector === undefined || !isSecureContext) return;
  const input = button.form?.elements.namedItem(button.dataset['camera'] ?? '');
  if (!(input instanceof HTMLInputElement)) return;
  try {
    const camera = new Camera(button, input, new BarcodeDetector({ formats: FORMATS }));
    button.addEventListener('click', () => void camera.open());
    button.hidden = false;
    if (sessionStorage.getItem(OPEN) === input.name && !needsAnswer(input)) await camera.open();
  } catch {
    // This browser defines `BarcodeDetector` but cannot detect codes, so the button stays hidden.
  }
}

/**
 * Returns true if the page refuses the last code, or offers several matches to choose from.
 *
 * @param {HTMLInputElement} input
 */
function needsAnswer(input) {
  return (
    input.hasAttribute('aria-invalid') || input.form?.querySelector('.picker-choices') !== null
  );
}

for (const button of document.querySelectorAll('button[data-camera]')) {
  if (button instanceof HTMLButtonElement) void offerCamera(button);
}
