// Limits in code points, the same for every API and form that writes stock.

/** Limits codes, which are typed by hand and printed on labels. */
export const CODE_CHARACTERS_MAX = 64;
/** Limits names, which are shown on one line. */
export const NAME_CHARACTERS_MAX = 200;
