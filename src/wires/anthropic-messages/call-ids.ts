const FITS = /^[A-Za-z0-9_-]+$/

/** A character that this upstream takes in no id, as its code between underscores. */
const spell = (character: string): string => `_${(character.codePointAt(0) ?? 0).toString(16)}_`

/**
 * A call id as this upstream takes it back: letters, digits, `_` and `-`. Calls and outputs meet again, since equal ids
 * stay equal, and different ones do not become equal by what is escaped in them.
 */
export const toCallId = (id: string): string => (FITS.test(id) ? id : id.replace(/[^A-Za-z0-9-]/gu, spell))
