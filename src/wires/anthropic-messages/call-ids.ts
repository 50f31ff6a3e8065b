const FITS = /^[A-Za-z0-9_-]+$/

/** Whether this upstream accepts the id of a call: letters, digits, `_` and `-`. */
export const isToolUseId = (id: unknown): boolean => typeof id === 'string' && FITS.test(id)

/** Replaces a character that this upstream does not accept in ids by its code between underscores. */
const spell = (character: string): string => `_${codeOf(character.codePointAt(0) ?? 0)}_`

/** Codes below that of a space have four digits: counters between underscores do not look like them. */
const codeOf = (code: number): string => code.toString(16).padStart(code < 0x20 ? 4 : 2, '0')

/** A code between underscores; the one at its end may begin the next. */
const CODES = /_(?=([0-9a-f]{2,6})_)/g

/** Whether an id contains what `spell` writes, as the id of another client, or of an earlier request, may. */
const looksSpelled = (id: string): boolean =>
  [...id.matchAll(CODES)].some(([, digits = '']) => {
    const code = Number.parseInt(digits, 16)
    return code <= 0x10ffff && codeOf(code) === digits && !/[A-Za-z0-9-]/.test(String.fromCodePoint(code))
  })

/**
 * Returns a call id in the form that this upstream accepts. Equal ids stay equal, so calls and outputs still match, and
 * different ids stay different: `_` is replaced, too, also in an id that fits but looks like one with replacements.
 */
export const toToolUseCallId = (id: string): string =>
  isToolUseId(id) && !looksSpelled(id) ? id : id.replace(/[^A-Za-z0-9-]/gu, spell)
