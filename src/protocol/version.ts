/** Of this package; `test/version.test.ts` holds it against package.json, which the core cannot read everywhere. */
export const VERSION = '0.1.0'
