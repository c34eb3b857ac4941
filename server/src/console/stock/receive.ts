import { html } from 'hono/html';
import { newId } from '../../base/secrets.ts';
import { listPlaces } from '../../inventory/places.ts';
import { type ReceiptLine, receiveLines, selectKnownReceipts } from '../../receipts/receipt.ts';
import { type ConsoleResponse, redirectTo, showPage } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { type FieldsOf, type FormField, readFields } from '../parts/form/form-field.ts';
import {
  handleForm,
  type Form,
  type SaveResult,
  showFormAgain,
  showInputs,
} from '../parts/form/form.ts';
import { linkButton } from '../parts/button.ts';
import { emptyState, type FormError } from '../parts/notes.ts';
import { parseUuid, withQuery } from '../query.ts';
import type { RequestContext } from '../request-context.ts';
import { resolveBoostOffer } from './boost-offer.ts';
import { describeBoostRefusal, gradeField } from './buy.ts';
import { type FoundEntry, findScannedEntry } from './find-scanned.ts';
import { findLastPlace } from './last-place.ts';
import { placeChoices, placeValue } from './place-choice.ts';
import { placeField } from './place-field.ts';
import {
  addUnitToLines,
  type FilledLine,
  readFilledLines,
  lineInputs,
  LINES_MAX,
  type LineValues,
  parseLines,
  removeLine,
} from './receive-lines.ts';
import { readLineNames, renderLines } from './receive-table.ts';
import { renderReceivedToday } from './received-today.ts';
import { refusalText } from './refusal-text.ts';
import { scanField } from './scan-field.ts';
import { unitChange, unitFields } from './unit-fields.ts';
import { receiveLineMessages } from './messages/receive.ts';
import { receiveMessages } from './messages/unit.ts';

interface ReceiveValues extends LineValues {
  /** Always empty, because a scanned code becomes a line. */
  readonly scan: string;
  readonly lines: readonly FilledLine[];
}

/**
 * Shows the form to receive units, with the values that were used last. After those of the URL, the
 * place is the one where the member received something today.
 */
export async function receivePage(
  deps: ConsoleDeps,
  context: RequestContext,
): Promise<ConsoleResponse> {
  const { query, shop, language } = context;
  const messages = receiveMessages[language];
  const form = formOf(deps, context);
  const places = await listPlaces(deps.db, shop.id);
  if (placeChoices(places, query['place'] ?? '').length === 0) {
    const action = linkButton({ href: context.shopPath('/places/new'), label: messages.addPlace });
    const content = emptyState(messages.title, messages.noPlaces, action);
    return showPage({ ...form.page, content });
  }
  const { grade = '', ownership = '' } = query;
  const last = query['place'] === undefined ? await findLastPlace(deps, context) : null;
  const place = query['place'] ?? (last === null ? '' : placeValue(last));
  return await showInputs(context, form, new Map(Object.entries({ grade, place, ownership })));
}

/**
 * Adds a scanned item as a line, removes a line, or receives all lines. Only receiving writes to
 * the database.
 */
export async function receive(
  deps: ConsoleDeps,
  context: RequestContext,
): Promise<ConsoleResponse> {
  const inputs = context.form;
  const removed = parseUuid(inputs.get('remove'));
  if (removed !== null) {
    const left = removeLine(lineFields(deps, context), inputs, removed);
    return await showFormAgain(context, formOf(deps, context), left);
  }
  const isScan = (inputs.get('scan') ?? '').trim() !== '';
  if (isScan || inputs.has('add') || inputs.has('pick')) return await addScanned(deps, context);
  return await handleForm(
    context,
    formOf(deps, context),
    async ({ values }) => await receiveAll(deps, context, values),
  );
}

/** Adds a line for the scanned or chosen item, or shows the matches to choose from. */
async function addScanned(deps: ConsoleDeps, context: RequestContext): Promise<ConsoleResponse> {
  const inputs = context.form;
  const messages = receiveLineMessages[context.language];
  const refuse = async (...errors: readonly FormError[]): Promise<ConsoleResponse> =>
    await showFormAgain(context, formOf(deps, context), inputs, errors);
  const picked = await findPicked(deps, context, inputs.get('pick'));
  const text = (inputs.get('scan') ?? '').trim();
  const fields = lineFields(deps, context);
  if (picked === null && text === '' && parseLines(fields, inputs).length > 0) {
    return await showFormAgain(context, formOf(deps, context), inputs);
  }
  const scanned =
    picked === null
      ? await findScannedEntry(deps.catalogLookup, context, text)
      : { kind: 'one' as const, entry: picked };
  if (scanned.kind === 'several') {
    return await showFormAgain(context, formOf(deps, context, scanned.entries), inputs);
  }
  if (scanned.kind !== 'one') {
    return await refuse({ field: 'scan', text: messages.scanErrors[scanned.kind] });
  }
  const errors: FormError[] = [];
  const values = readFields(fields, inputs, (field, why) => void errors.push({ field, text: why }));
  if (values === null) {
    // Offer the item again, so that the member can add it after correcting the values.
    return await showFormAgain(context, formOf(deps, context, [scanned.entry]), inputs, errors);
  }
  const { kind, id } = scanned.entry;
  const isCard = kind === 'card';
  const added = addUnitToLines(fields, inputs, {
    id: newId(),
    item: isCard ? { kind, cardId: id, gradeId: values.grade } : { kind, productId: id },
    values: isCard ? values : { ...values, grade: null },
    offeredId: null,
  });
  if (added === null) {
    return await refuse({ field: 'scan', text: messages.tooManyLines(LINES_MAX) });
  }
  const next = new Map(added).set('scan', '');
  return await showFormAgain(context, formOf(deps, context, [], scanned.entry.name.text), next);
}

async function findPicked(
  { catalogLookup }: ConsoleDeps,
  { language }: RequestContext,
  text: string | undefined,
): Promise<FoundEntry | null> {
  const [kind, id] = (text ?? '').split('/');
  if (kind !== 'card' && kind !== 'product') return null;
  const entry = await catalogLookup.find(kind, id, language);
  return entry === null ? null : { ...entry, kind };
}

async function receiveAll(
  deps: ConsoleDeps,
  context: RequestContext,
  { lines, place, grade, ownership }: ReceiveValues,
): Promise<SaveResult<ReceiveValues>> {
  const { shop, now, language } = context;
  const messages = receiveLineMessages[language];
  const names = await readLineNames(deps, language, lines);
  const refuse = (
    refusals: readonly { readonly line: FilledLine | undefined; readonly text: string }[],
  ): SaveResult<ReceiveValues> => {
    const errors = refusals.map(({ line, text }) => ({
      field: lineInputs.quantity(line?.id ?? ''),
      text: messages.ofLine(names.get(line?.id ?? '') ?? '', text),
    }));
    return { kind: 'refused', errors };
  };
  const units = lines.reduce((sum, { certificates }) => sum + certificates.length, 0);
  const done = redirectTo(
    withQuery(context.shopPath('/stock/receive'), {
      place: placeValue(place),
      grade,
      ownership: ownership === 'consigned' ? ownership : null,
    }),
    `units_received.${units}.0`,
  );
  // Look first for lines that are already recorded: if the form is sent twice, the first request
  // may have filled a boost.
  const known = await findKnown(deps, shop.id, lines);
  if (known.length === lines.length) return done;
  if (known.length > 0) return refuse(known.map((line) => ({ line, text: messages.known })));
  const chosen = await chooseBoosts(deps, context, lines);
  if (chosen.refusals.length > 0) return refuse(chosen.refusals);
  const receiver = { id: shop.id, currency: shop.currency, by: context.actor };
  const result = await receiveLines(
    async (work) => await deps.write(shop.id, work),
    receiver,
    chosen.receipts,
    now,
  );
  switch (result.kind) {
    case 'received':
      return done;
    case 'known': {
      const meanwhile = await findKnown(deps, shop.id, lines);
      return meanwhile.length === lines.length
        ? done
        : refuse(meanwhile.map((line) => ({ line, text: messages.known })));
    }
    case 'unit_refused':
      return refuse([{ line: lines[result.line], text: refusalText(result.refusal, language) }]);
    case 'boost_refused': {
      const boostId = chosen.receipts[result.line]?.boostId ?? '';
      const { text } = await describeBoostRefusal(deps, context, boostId);
      return refuse([{ line: lines[result.line], text }]);
    }
  }
}

async function findKnown(
  { db }: ConsoleDeps,
  shopId: string,
  lines: readonly FilledLine[],
): Promise<readonly FilledLine[]> {
  const rows = await db.query(selectKnownReceipts, [shopId, lines.map(({ id }) => id)]);
  return lines.filter((line) => rows.some(({ id }) => id === line.id));
}

/** Returns the receipts to write, and the lines whose boost the member must choose again. */
async function chooseBoosts(
  deps: ConsoleDeps,
  context: RequestContext,
  lines: readonly FilledLine[],
): Promise<{
  readonly receipts: readonly ReceiptLine[];
  readonly refusals: readonly { readonly line: FilledLine; readonly text: string }[];
}> {
  const receipts: ReceiptLine[] = [];
  const refusals: { line: FilledLine; text: string }[] = [];
  for (const line of lines) {
    const choice = await resolveBoostOffer(deps, context, line.item, line.offer);
    if (choice.kind === 'refused') {
      refusals.push({ line, text: choice.text });
      continue;
    }
    const { boost } = choice;
    const { place, grade: _, ...values } = line.values;
    const unit = {
      ...unitChange(values),
      ...(boost === null ? {} : { costMinor: values.cost ?? boost.priceMinor }),
      item: line.item,
      ...place,
      acquiredAt: values.acquiredAt ?? context.now,
    };
    const units = line.certificates.map((certNumber) => ({ ...unit, certNumber }));
    receipts.push({ id: line.id, units, boostId: boost?.id ?? null });
  }
  return { receipts, refusals };
}

/** Returns the fields that apply to every line that is added next. */
function lineFields(deps: ConsoleDeps, context: RequestContext): FieldsOf<LineValues> {
  const { shop } = context;
  const {
    certNumber: _cert,
    serialNumber: _serial,
    ...fields
  } = unitFields(context, shop.currency);
  return { place: placeField(deps, context), grade: gradeField(deps, context), ...fields };
}

/** @param entries the matches that the form offers to choose from
 * @param added the name of the item that was added last
 */
function formOf(
  deps: ConsoleDeps,
  context: RequestContext,
  entries: readonly FoundEntry[] = [],
  added: string | null = null,
): Form<ReceiveValues> {
  const { language } = context;
  const messages = receiveMessages[language];
  const { next, more } = receiveLineMessages[language];
  const fields = lineFields(deps, context);
  return {
    page: {
      title: messages.title,
      section: 'stock',
      scripts: ['camera'],
      back: { href: context.shopPath('/stock'), label: messages.stock },
    },
    action: context.shopPath('/stock/receive'),
    fields: {
      scan: scanField(context, { entries, added }),
      ...fields,
      lines: linesField(deps, context, fields),
    },
    layout: ({ scan, lines, place, grade, price, cost, ownership, acquiredAt }) =>
      html`${scan}
        <h2>${next}</h2>
        ${place} ${grade} ${price} ${cost ?? ''}
        <details>
          <summary>${more}</summary>
          ${ownership} ${acquiredAt}
        </details>
        ${lines}`,
    submit: messages.receive,
    after: async () => await renderReceivedToday(deps, context),
  };
}

function linesField(
  deps: ConsoleDeps,
  context: RequestContext,
  fields: FieldsOf<LineValues>,
): FormField<readonly FilledLine[]> {
  const messages = receiveLineMessages[context.language];
  return {
    label: messages.lines,
    names: () => ['lines'],
    // Each line is new, so it cannot have changed concurrently.
    show: () => ({}),
    read: (_name, inputs, refuse) => {
      const lines = parseLines(fields, inputs);
      if (lines.length === 0) return refuse('scan', messages.scanErrors.empty);
      return readFilledLines(context, lines, inputs, refuse);
    },
    say: () => '',
    render: async (_name, shown) => await renderLines(deps, context, fields, shown),
  };
}
