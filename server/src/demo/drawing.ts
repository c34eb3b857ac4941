import type { Card } from '../catalog/card.ts';
import { type SeededRandom, seededRandom } from './seeded-random.ts';

/** The size of a drawn photo in pixels. It shows a card on a table, seen from above. */
const PHOTO = { width: 900, height: 1_200 };
/** The size of the card in the photo, in the proportions of a real card (63 × 88 mm). */
const CARD = { width: 630, height: 880 };
const CORNER = 34;
const BORDER = 30;
/** The area of the image within the card. */
const WINDOW = { x: 58, y: 112, width: CARD.width - 116, height: 420 };

/** The colors of a scene: the upper and lower sky, the far and near land, and the light. */
type Scene = readonly [above: string, below: string, far: string, near: string, light: string];

const scenes: readonly [Scene, ...Scene[]] = [
  ['#15224f', '#6d5fa8', '#2b2f66', '#171a3d', '#fff3c4'],
  ['#0f3b57', '#72c6d8', '#23677f', '#123d50', '#fdfbe8'],
  ['#5a1e3c', '#f09a6a', '#8c3b4e', '#431628', '#ffe2a8'],
  ['#123f2f', '#9ccf8e', '#2f6f51', '#17402f', '#fffbe0'],
  ['#2a2340', '#b79ac9', '#574a78', '#2b2443', '#ffe9f4'],
  ['#3b2a1a', '#e2bf7c', '#7a5a35', '#3f2d1b', '#fff6d8'],
];

/** The frame colors of a card by its rarity. */
const frames: Readonly<Record<string, readonly [string, string]>> = {
  C: ['#d8d8d2', '#aeb0aa'],
  U: ['#c9d8e2', '#8fa9bb'],
  R: ['#e3d3a0', '#b89a4a'],
  SR: ['#d9c2ea', '#8a5fb0'],
  HR: ['#f7e7a8', '#d0705a'],
};

export interface Subject {
  readonly card: Card;
  /** True if the card is in the plastic case of a grading service. */
  readonly isSlab: boolean;
}

/** Draws a photo of a card's front as SVG, without text, because fonts may be missing. */
export function drawFront({ card, isSlab }: Subject): string {
  const random = seededRandom(
    `drawing ${card.set?.code.replace(/E$/, '') ?? ''} ${card.cardNumber}`,
  );
  const isShiny = card.finish === 'holo' || card.rarity?.code === 'HR';
  const [light, dark] = frames[card.rarity?.code ?? 'C'] ?? ['#d8d8d2', '#aeb0aa'];
  const face = [
    `<rect width="${CARD.width}" height="${CARD.height}" rx="${CORNER}" fill="#f6f3ea"/>`,
    inner('url(#frame)'),
    bar(58, 50, CARD.width - 116, 44),
    drawScene(random),
    ...Array.from({ length: 4 }, (_, line) => bar(70, 570 + line * 46, 480 - line * 55, 20)),
    bar(70, 792, 130, 24),
    ...drawRarity(Object.keys(frames).indexOf(card.rarity?.code ?? 'C') + 1),
    isShiny ? `<g opacity="0.55">${inner('url(#shine)')}</g>` : '',
  ].join('');
  const colors = gradient('frame', [light, dark]);
  return photograph(face, colors, isSlab, seededRandom(`table ${card.id}`));
}

/** Draws a photo of a card's back as SVG. All cards have the same back. */
export function drawBack({ card, isSlab }: Subject): string {
  const rings = Array.from({ length: 7 }, (_, ring) => {
    const radius = 250 - ring * 34;
    return `<circle cx="315" cy="440" r="${radius}" fill="none" stroke="#f2d98a" stroke-opacity="${0.25 + ring * 0.1}" stroke-width="5"/>`;
  });
  const stars = Array.from({ length: 40 }, (_, index) => {
    const random = seededRandom(`back ${index}`);
    return star(
      60 + random.integerBelow(510),
      60 + random.integerBelow(760),
      4 + random.integerBelow(9),
      '#f8e9b8',
    );
  });
  const face = [
    `<rect width="${CARD.width}" height="${CARD.height}" rx="${CORNER}" fill="#f6f3ea"/>`,
    inner('url(#night)'),
    ...stars,
    ...rings,
    star(315, 440, 96, '#f6df95'),
  ].join('');
  const colors = gradient('night', ['#1b2157', '#4a2f78']);
  return photograph(face, colors, isSlab, seededRandom(`table back ${card.id}`));
}

function drawScene(random: SeededRandom): string {
  const [above, below, far, near, light] = random.pick(scenes);
  const { x, y, width, height } = WINDOW;
  const horizon = y + height * 0.62;
  const moon = { x: x + 90 + random.integerBelow(330), y: y + 70 + random.integerBelow(90) };
  const hills = (base: number, color: string, steps: number): string => {
    const points = Array.from({ length: steps + 1 }, (_, step) => {
      const up = step % 2 === 0 ? random.integerBelow(40) : 50 + random.integerBelow(90);
      return `${x + (width * step) / steps},${base - up}`;
    });
    return `<polygon points="${x},${y + height} ${points.join(' ')} ${x + width},${y + height}" fill="${color}"/>`;
  };
  return [
    `<clipPath id="window"><rect x="${x}" y="${y}" width="${width}" height="${height}" rx="10"/></clipPath>`,
    `<linearGradient id="sky" x2="0" y2="1"><stop stop-color="${above}"/><stop offset="1" stop-color="${below}"/></linearGradient>`,
    '<g clip-path="url(#window)">',
    rectangle(x, y, width, height, 0, 'url(#sky)'),
    ...Array.from({ length: 24 }, (_, index) => {
      const place = seededRandom(`star ${moon.x} ${moon.y} ${index}`);
      return star(
        x + place.integerBelow(width),
        y + place.integerBelow(220),
        2 + (index % 4),
        light,
      );
    }),
    `<circle cx="${moon.x}" cy="${moon.y}" r="${34 + random.integerBelow(30)}" fill="${light}"/>`,
    hills(horizon + 40, far, 8),
    hills(horizon + 130, near, 6),
    drawCreature(random, x + width / 2, horizon + 40, light),
    '</g>',
  ].join('');
}

/** Draws a creature of round shapes: body, head, ears or horns, eyes. */
function drawCreature(random: SeededRandom, x: number, y: number, light: string): string {
  const color = random.pick(['#3a2f5b', '#7a2f3c', '#1f5f63', '#7a5a1f', '#e8e2d2', '#2f3f2a']);
  const [body, head] = [70 + random.integerBelow(40), 44 + random.integerBelow(26)];
  const top = y - body - head * 0.6;
  const lift = 36 + random.integerBelow(50);
  const ear = (side: number): string =>
    `<path d="M${x + side * head * 0.8},${top} Q${x + side * head * 1.3},${top - lift * 1.6} ${x + side * head * 0.2},${top - head * 0.8} Z" fill="${color}"/>`;
  const eye = (side: number): string =>
    `<circle cx="${x + side * head * 0.4}" cy="${top - 4}" r="${6 + random.integerBelow(6)}" fill="${light}"/>`;
  return [
    `<ellipse cx="${x}" cy="${y + 20}" rx="${body}" ry="${body * 1.1}" fill="${color}"/>`,
    `<path d="M${x + body * 0.8},${y + 40} q${60 + random.integerBelow(60)},-20 ${40 + random.integerBelow(40)},-${90 + random.integerBelow(60)}" stroke="${color}" stroke-width="22" stroke-linecap="round" fill="none"/>`,
    `<circle cx="${x}" cy="${top}" r="${head}" fill="${color}"/>`,
    ear(-1),
    ear(1),
    eye(-1),
    eye(1),
  ].join('');
}

function drawRarity(count: number): string[] {
  return Array.from({ length: count }, (_, index) => star(550 - index * 34, 806, 15, '#4a3d2a'));
}

/** Draws the card on a table, slightly rotated, with its shadow and, for a slab, its case. */
function photograph(face: string, colors: string, isSlab: boolean, random: SeededRandom): string {
  const wood = random.pick(['#8b6a4d', '#5d6b74', '#7c7468', '#49525c']);
  const turn = (random.integerBelow(50) - 25) / 10;
  const [left, top] = [(PHOTO.width - CARD.width) / 2, (PHOTO.height - CARD.height) / 2 + 40];
  const slab = [
    `<rect x="${left - 62}" y="${top - 190}" width="${CARD.width + 124}" height="${CARD.height + 250}" rx="40" fill="#f4f8fb" fill-opacity="0.55" stroke="#ffffff" stroke-width="8"/>`,
    `<rect x="${left}" y="${top - 150}" width="${CARD.width}" height="110" rx="14" fill="#e9edf2"/>`,
    bar(left + 26, top - 122, 260, 22),
    bar(left + 26, top - 86, 180, 18),
    `<circle cx="${left + CARD.width - 70}" cy="${top - 95}" r="38" fill="#c94b4b"/>`,
  ].join('');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${PHOTO.width}" height="${PHOTO.height}">`,
    `<defs>${colors}${gradient('shine', ['#8fd3ff', '#ffd6f5', '#fff7b0', '#b8ffd9'])}</defs>`,
    `<rect width="100%" height="100%" fill="${wood}"/>`,
    ...Array.from(
      { length: 9 },
      (_, index) =>
        `<rect y="${index * 140 + random.integerBelow(40)}" width="100%" height="${2 + random.integerBelow(3)}" fill="#000000" opacity="0.12"/>`,
    ),
    `<g transform="rotate(${turn} ${PHOTO.width / 2} ${PHOTO.height / 2})">`,
    `<rect x="${left + 12}" y="${top + 18}" width="${CARD.width}" height="${CARD.height}" rx="${CORNER}" fill="#000000" opacity="0.35"/>`,
    isSlab ? slab : '',
    `<g transform="translate(${left} ${top})">${face}</g>`,
    '</g></svg>',
  ].join('');
}

function gradient(id: string, colors: readonly string[]): string {
  const stops = colors.map(
    (color, index) => `<stop offset="${index / (colors.length - 1)}" stop-color="${color}"/>`,
  );
  return `<linearGradient id="${id}" x2="1" y2="1">${stops.join('')}</linearGradient>`;
}

function rectangle(
  x: number,
  y: number,
  width: number,
  height: number,
  corner: number,
  fill: string,
): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${corner}" fill="${fill}"/>`;
}

function inner(fill: string): string {
  return rectangle(BORDER, BORDER, CARD.width - 2 * BORDER, CARD.height - 2 * BORDER, 16, fill);
}

function bar(x: number, y: number, width: number, height: number): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${height / 2}" fill="#3b342a" opacity="0.45"/>`;
}

function star(x: number, y: number, radius: number, color: string): string {
  const points = Array.from({ length: 10 }, (_, corner) => {
    const angle = (Math.PI / 5) * corner - Math.PI / 2;
    const reach = corner % 2 === 0 ? radius : radius * 0.45;
    return `${(x + reach * Math.cos(angle)).toFixed(1)},${(y + reach * Math.sin(angle)).toFixed(1)}`;
  });
  return `<polygon points="${points.join(' ')}" fill="${color}"/>`;
}
