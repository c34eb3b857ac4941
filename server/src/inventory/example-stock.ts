import { EXAMPLE_CARD, EXAMPLE_GRADE } from '../catalog/example-entries.ts';

// Example stock in the format of both APIs, for their OpenAPI documents.

const SITE_ID = '6a1e4c3b-5d2f-4a7e-b8c9-0d1e2f3a4b06';
const dates = { createdAt: '2026-04-01T01:00:00.000Z', updatedAt: '2026-05-20T06:30:00.000Z' };

export const EXAMPLE_LOCATION = {
  id: 'b05e2f41-7c8d-4b9e-9fa0-2b3c4d5e6f07',
  siteId: SITE_ID,
  code: 'A-1',
  name: 'ショーケース A',
  kind: 'showcase',
  isActive: true,
  ...dates,
};

export const EXAMPLE_SITE = {
  id: SITE_ID,
  code: 'main',
  name: '本店',
  kind: 'store',
  countryCode: 'JP',
  timezone: 'Asia/Tokyo',
  isActive: true,
  ...dates,
  locations: [EXAMPLE_LOCATION],
};

export const EXAMPLE_UNIT = {
  id: 'c16f3052-8d9e-4caf-8ab1-3c4d5e6f7a08',
  status: 'in_stock',
  siteId: SITE_ID,
  locationId: EXAMPLE_LOCATION.id,
  item: { kind: 'card', card: EXAMPLE_CARD, grade: EXAMPLE_GRADE },
  certNumber: '10234567',
  serialNumber: null,
  ownership: 'owned',
  priceMinor: 128_000,
  currency: 'JPY',
  photos: [
    {
      side: 'front',
      contentType: 'image/jpeg',
      width: 1_143,
      height: 1_600,
      etag: '"l3b0c44298fc1c149"',
      updatedAt: '2026-05-20T06:30:00.000Z',
    },
  ],
  acquiredAt: '2026-05-18T02:00:00.000Z',
  statusChangedAt: '2026-05-18T02:00:00.000Z',
  ...dates,
  costMinor: null,
};
