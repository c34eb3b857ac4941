// Lengths are in code points. They are the same for every API and form that writes stock.

/** The maximum length of codes, which are typed by hand and printed on labels. */
export const CODE_CHARACTERS_MAX = 64;
/** The maximum length of names, which are shown on one line. */
export const NAME_CHARACTERS_MAX = 200;
