/**
 * The version of this package. `test/version.test.ts` compares it with package.json, which the core cannot read in
 * every runtime.
 */
export const VERSION = '0.4.0'
