// Longest texts that whoever writes stock may give, in code points: the same by every way in.

/** A code is typed by hand and printed on labels. */
export const CODE_CHARACTERS_MAX = 64;
/** A name is shown on one line. */
export const NAME_CHARACTERS_MAX = 200;
