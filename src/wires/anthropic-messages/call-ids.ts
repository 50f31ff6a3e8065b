const FITS = /^[A-Za-z0-9_-]+$/

/** Whether this upstream accepts the id of a call: letters, digits, `_` and `-`. */
export const isToolUseId = (id: unknown): boolean => typeof id === 'string' && FITS.test(id)

/** Replaces a character that this upstream does not accept in ids by its code between underscores. */
const spell = (character: string): string => `_${(character.codePointAt(0) ?? 0).toString(16)}_`

/**
 * Returns a call id in the form that this upstream accepts. Equal ids stay equal, so calls and outputs still match. `_` is
 * replaced, too, so that different ids do not become equal.
 */
export const toToolUseCallId = (id: string): string => (isToolUseId(id) ? id : id.replace(/[^A-Za-z0-9-]/gu, spell))
