// Limits in code points, the same for every API and form that writes stock.

/** Codes are typed by hand and printed on labels. */
export const CODE_CHARACTERS_MAX = 64;
/** Names are shown on one line. */
export const NAME_CHARACTERS_MAX = 200;
