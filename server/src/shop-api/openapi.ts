import { type Fields, objectSchema } from '../base/field.ts';
import { requiredFieldNames } from '../base/object-fields.ts';
import { BOOST_FIELDS, PURCHASE_FIELDS } from '../boosts/boost-fields.ts';
import { BOOST_STATUSES } from '../boosts/boost-status.ts';
import { SHOP_GRADE_FIELDS } from '../catalog/shop-grade.ts';
import { LOCATION_FIELDS, SITE_FIELDS } from '../inventory/place-field.ts';
import { STATUS_FIELDS, UNIT_FIELDS } from '../inventory/unit-fields.ts';
import { PHOTO_SIDES } from '../inventory/unit-photo.ts';
import { IMAGE_SIZES } from '../images/image-store.ts';
import { connectionPaths } from './connection-openapi.ts';
import {
  objectResponse,
  COMMON_HEADERS,
  HEADERS,
  ID,
  type Json,
  jsonContent,
  LIST_PARAMETERS,
  pageResponse,
  headerRefs,
  errorResponse,
  errorResponses,
} from './openapi-parts.ts';
import { connectionSchemas } from './connection-schemas.ts';
import { BATCH_EXAMPLE, PURCHASE_EXAMPLE, PUT_EXAMPLES, STATUS_EXAMPLE } from './examples.ts';
import { responseComponents } from './response-schemas.ts';
import { UNIT_LINE_FIELDS } from './write-units.ts';

const STATUS_PARAMETER = {
  name: 'status',
  in: 'query',
  description: 'Return only boosts with this status at the time of the request.',
  schema: { enum: [...BOOST_STATUSES] },
};

const PHOTO_HEADERS = ['ETag', 'Last-Modified'];

/** decision 0080 */
const PHOTO_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'application/octet-stream'];

const PURCHASE_ID = { ...ID, name: 'purchaseId', description: 'The id of the purchase.' };
const MOVE_REFUSALS = [400, 401, 404, 409, 413, 415, 429, 503];

/** The keys are the first segments of paths. */
const TAGS: Readonly<Record<string, string>> = {
  sites: 'Stores, warehouses and other places that hold stock.',
  locations: 'Shelves, showcases and other places within a site.',
  grades: 'The shop’s own condition ranks.',
  units: 'Individual pieces of stock, and their photos.',
  boosts: 'Cards and products that the shop buys above its usual price, and the purchases.',
  connections: 'Apps that are connected to the shop, their webhooks and their lag.',
};

/** Returns the OpenAPI document, built from the same field tables that parse request bodies. */
export function shopApiDocument(publicUrl: string): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Cardport Shop API',
      version: '1',
      description:
        "The write API for a shop's own systems. In an update an omitted field keeps its value and null clears it; " +
        'defaults apply only on creation. A write that changes nothing does not appear in the change feed.',
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    externalDocs: { description: 'Guides', url: `${publicUrl}/docs` },
    servers: [{ url: `${publicUrl}/shop/v1` }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    security: [{ shopKey: [] }],
    paths: tagged({
      ...collectionPaths('sites', 'Site', SITE_FIELDS),
      ...collectionPaths('locations', 'Location', LOCATION_FIELDS),
      ...collectionPaths('grades', 'Grade', SHOP_GRADE_FIELDS),
      ...collectionPaths('units', 'Unit', UNIT_FIELDS),
      '/units/batch': { post: batchOperation() },
      '/units/{id}/status': { post: statusOperation() },
      '/units/{id}/photos/{side}': photoOperations(),
      ...collectionPaths('boosts', 'Boost', BOOST_FIELDS, [STATUS_PARAMETER]),
      ...boostPaths(),
      ...connectionPaths(),
    }),
    components: {
      securitySchemes: {
        shopKey: { type: 'http', scheme: 'bearer', description: 'A key of the shop: `csk_…`.' },
      },
      headers: HEADERS,
      schemas: {
        ...responseComponents,
        ...connectionSchemas,
        UnitLine: objectSchema(UNIT_LINE_FIELDS, ['id']),
      },
    },
  };
}

/** The tag is the first segment of the path. The reference groups operations by tag. */
function tagged(paths: Readonly<Record<string, Json>>): Json {
  return Object.fromEntries(
    Object.entries(paths).map(([path, operations]) => {
      const tags = [path.split('/')[1]];
      const withTags = ([method, operation]: [string, unknown]): [string, unknown] => [
        method,
        { tags, ...(operation as Json) },
      ];
      return [path, Object.fromEntries(Object.entries(operations).map(withTags))];
    }),
  );
}

/** Required properties may be omitted when an existing object is changed. */
function collectionPaths(
  name: string,
  noun: string,
  fields: Fields,
  filters: readonly Json[] = [],
): Readonly<Record<string, Json>> {
  // A new object defaults to the shop's currency.
  const required = requiredFieldNames(fields).filter((member) => member !== 'currency');
  const put = {
    operationId: `put${noun}`,
    summary: `Create or change a ${noun.toLowerCase()}`,
    description: `Required on creation: ${required.join(', ')}.`,
    parameters: [ID],
    requestBody: {
      required: true,
      content: jsonContent(objectSchema(fields, []), PUT_EXAMPLES[noun]),
    },
    responses: {
      200: objectResponse('The object was changed, or was already in this state.', noun),
      201: objectResponse('Created.', noun),
      ...errorResponses([400, 401, 404, 409, 413, 415, 422, 429, 503]),
    },
  };
  const get = {
    operationId: `get${noun}`,
    summary: `Show a ${noun.toLowerCase()}`,
    parameters: [ID],
    responses: {
      200: objectResponse('The object.', noun),
      ...errorResponses([401, 404, 429, 503]),
    },
  };
  const list = {
    operationId: `list${noun}s`,
    summary: `List ${name}, ordered by id`,
    parameters: [...LIST_PARAMETERS, ...filters],
    responses: { 200: pageResponse(name, noun), ...errorResponses([400, 401, 429, 503]) },
  };
  return { [`/${name}`]: { get: list }, [`/${name}/{id}`]: { get, put } };
}

function batchOperation(): Json {
  return {
    operationId: 'putUnits',
    summary: 'Create or change up to 10,000 units',
    description:
      'One unit per line with its id, at most 16 KiB per line and 16 MiB in total. Lines are processed in order, as if each had ' +
      'been sent alone. Valid lines are written and invalid lines are reported. If the body is refused or ends early, ' +
      'nothing is written.',
    requestBody: {
      required: true,
      content: {
        'application/x-ndjson': {
          schema: {
            type: 'string',
            description: 'One UnitLine per line.',
            contentMediaType: 'application/x-ndjson',
            contentSchema: { type: 'array', items: { $ref: '#/components/schemas/UnitLine' } },
          },
          example: BATCH_EXAMPLE,
        },
      },
    },
    responses: {
      200: objectResponse(
        'How many lines were accepted, and why others were rejected.',
        'BatchResult',
      ),
      ...errorResponses([400, 401, 408, 413, 415, 429, 503]),
    },
  };
}

function statusOperation(): Json {
  return {
    operationId: 'setUnitStatus',
    summary: 'Change the status of a unit',
    parameters: [ID],
    requestBody: {
      required: true,
      content: jsonContent(objectSchema(STATUS_FIELDS, ['status']), STATUS_EXAMPLE),
    },
    responses: {
      200: objectResponse('The unit.', 'Unit'),
      ...errorResponses([400, 401, 404, 409, 413, 415, 429, 503]),
    },
  };
}

function boostPaths(): Readonly<Record<string, Json>> {
  const purchases = '/boosts/{id}/purchases';
  return {
    '/boosts/{id}/pause': { post: moveOperation('pauseBoost', 'Pause a boost') },
    '/boosts/{id}/resume': { post: moveOperation('resumeBoost', 'Resume a paused boost') },
    '/boosts/{id}/end': { post: moveOperation('endBoost', 'End a boost permanently') },
    [purchases]: { get: listPurchasesOperation(), post: purchaseOperation() },
    [`${purchases}/{purchaseId}`]: { get: getPurchaseOperation(), delete: cancelOperation() },
  };
}

function moveOperation(operationId: string, summary: string): Json {
  return {
    operationId,
    summary,
    parameters: [ID],
    responses: { 200: objectResponse('The boost.', 'Boost'), ...errorResponses(MOVE_REFUSALS) },
  };
}

function purchaseOperation(): Json {
  const body = objectSchema(PURCHASE_FIELDS, requiredFieldNames(PURCHASE_FIELDS));
  return {
    operationId: 'addBoostPurchase',
    summary: 'Record a purchase on a boost',
    description:
      'Lowers `remainingQuantity` by the quantity bought. If fewer are left, the response is 409 and nothing changes.',
    parameters: [ID],
    requestBody: { required: true, content: jsonContent(body, PURCHASE_EXAMPLE) },
    responses: {
      200: objectResponse('The purchase was already recorded. Returns the boost.', 'Boost'),
      201: objectResponse('The purchase was recorded. Returns the updated boost.', 'Boost'),
      ...errorResponses(MOVE_REFUSALS),
    },
  };
}

function listPurchasesOperation(): Json {
  return {
    operationId: 'listBoostPurchases',
    summary: 'List the purchases on a boost, ordered by id',
    description: 'Includes cancelled purchases.',
    parameters: [ID, ...LIST_PARAMETERS],
    responses: {
      200: pageResponse('purchases', 'BoostPurchase'),
      ...errorResponses([400, 401, 404, 429, 503]),
    },
  };
}

function getPurchaseOperation(): Json {
  return {
    operationId: 'getBoostPurchase',
    summary: 'Show a purchase',
    parameters: [ID, PURCHASE_ID],
    responses: {
      200: objectResponse('The purchase.', 'BoostPurchase'),
      ...errorResponses([401, 404, 429, 503]),
    },
  };
}

function cancelOperation(): Json {
  return {
    operationId: 'cancelBoostPurchase',
    summary: 'Cancel a purchase and restore the remaining quantity',
    parameters: [ID, PURCHASE_ID],
    responses: { 200: objectResponse('The boost.', 'Boost'), ...errorResponses(MOVE_REFUSALS) },
  };
}

function photoOperations(): Json {
  const side = { name: 'side', in: 'path', required: true, schema: { enum: [...PHOTO_SIDES] } };
  const put = {
    operationId: 'putPhoto',
    summary: 'Upload a photo of a unit',
    description:
      'The body is the image: JPEG, PNG or WebP with at most 20,000,000 bytes and 50 megapixels. It is re-encoded ' +
      'upright and without metadata, in two sizes (long edge 1,600 and 360 pixels). Uploading the same image again changes nothing. ' +
      'With `application/octet-stream` or without Content-Type, the format is detected from the first bytes.',
    parameters: [ID, side],
    requestBody: {
      required: true,
      content: Object.fromEntries(PHOTO_TYPES.map((type) => [type, {}])),
    },
    responses: {
      200: objectResponse('The photo was replaced, or is the same as before.', 'Unit'),
      201: objectResponse('The photo was added.', 'Unit'),
      ...errorResponses([400, 401, 404, 408, 413, 415, 422, 429, 503]),
      422: errorResponse(
        422,
        'The image is empty, damaged, animated, has too many pixels, or does not match its Content-Type.',
      ),
    },
  };
  const remove = {
    operationId: 'deletePhoto',
    summary: 'Remove a photo',
    parameters: [ID, side],
    responses: {
      204: {
        description: 'The photo was removed, or there was none.',
        headers: headerRefs(COMMON_HEADERS),
      },
      ...errorResponses([400, 401, 404, 413, 415, 429, 503]),
    },
  };
  return { get: getPhotoOperation([ID, side]), put, delete: remove };
}

function getPhotoOperation(path: readonly Json[]): Json {
  const size = {
    name: 'size',
    in: 'query',
    description:
      'The size of the image: its long edge has at most 1,600 pixels (`large`) or 360 pixels (`small`).',
    schema: { enum: [...IMAGE_SIZES], default: 'large' },
  };
  const condition = (name: string): Json => ({ name, in: 'header', schema: { type: 'string' } });
  const headers = headerRefs([...COMMON_HEADERS, ...PHOTO_HEADERS]);
  return {
    operationId: 'getPhoto',
    summary: 'Show a photo',
    description: 'Same as in the Partner API. HEAD returns the same headers.',
    parameters: [...path, size, condition('If-None-Match'), condition('If-Modified-Since')],
    responses: {
      200: {
        description: 'The image.',
        headers,
        content: { 'image/jpeg': {}, 'image/webp': {} },
      },
      304: { description: 'Your copy of the image is current.', headers },
      ...errorResponses([400, 401, 404, 429, 503]),
    },
  };
}
