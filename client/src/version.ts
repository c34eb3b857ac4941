/** The version of this package; a test holds it to that of package.json. */
export const VERSION = '0.1.0';
