// All APIs and forms that write stock share these limits. Lengths are in code points.

/** The maximum length of codes, which are typed by hand and printed on labels. */
export const CODE_CHARACTERS_MAX = 64;
/** The maximum length of names, which are shown on one line. */
export const NAME_CHARACTERS_MAX = 200;
