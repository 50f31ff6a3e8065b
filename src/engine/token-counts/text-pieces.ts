/**
 * Kinds of characters. Tokenizers split a text at the borders between them before they look up its pieces, so that the
 * pieces predict the tokens better than the bytes do: prose with six bytes a token and code with three have about one
 * token a piece.
 */
const MARK = 0
const LETTER = 1
const DIGIT = 2
const SPACE = 3
const BREAK = 4

const kindOf = (code: number): number => {
  if ((code | 32) >= 97 && (code | 32) <= 122) return LETTER
  if (code >= 48 && code <= 57) return DIGIT
  if (code === 32 || code === 9) return SPACE
  return code === 10 || code === 13 ? BREAK : MARK
}

const ASCII = 128
const KINDS: readonly number[] = Array.from({ length: ASCII }, (_, code) => kindOf(code))

/** From here on (CJK radicals; Unicode blocks), most characters are words of their own. */
const FIRST_WIDE = 0x2e80
const WIDE_TOKENS = 0.8

/** Letters of a word up to which it is one token, and letters of each further one. */
const WORD_LETTERS = 9
const MORE_LETTERS = 6
/** Letters outside ASCII are rarer in vocabularies, so that a token has fewer of them. */
const RARE_LETTER = 2
/** Tokenizers group digits by three. */
const GROUPED_DIGITS = 3

/** The tokens of a run of characters of one kind. `before`: the kind of the run before it. */
function tokensOf(kind: number, size: number, before: number): number {
  switch (kind) {
    case LETTER:
      return size <= WORD_LETTERS ? 1 : 1 + (size - WORD_LETTERS) / MORE_LETTERS
    case DIGIT:
      return Math.ceil(size / GROUPED_DIGITS)
    // A single space belongs to the word after it, and a line break to the punctuation before it.
    case SPACE:
      return size === 1 ? 0 : 1
    case BREAK:
      return before === MARK ? 0 : 1
    default:
      return 1
  }
}

/** The characters of a text that are counted; the rest of a longer text is assumed to be alike. */
const SAMPLE = 65_536

/** Returns the approximate number of tokens of a text: one pass over at most 64 Ki characters, no vocabulary. */
export function countPieces(text: string): number {
  const end = Math.min(text.length, SAMPLE)
  let tokens = 0
  let kind = MARK
  let before = MARK
  let size = 0
  for (let at = 0; at < end; at += 1) {
    const code = text.charCodeAt(at)
    if (code >= FIRST_WIDE) {
      tokens += WIDE_TOKENS
      continue
    }
    const found = KINDS[code] ?? LETTER
    if (found !== kind) {
      if (size > 0) tokens += tokensOf(kind, size, before)
      before = kind
      kind = found
      size = 0
    }
    size += code < ASCII ? 1 : RARE_LETTER
  }
  if (size > 0) tokens += tokensOf(kind, size, before)
  return end < text.length ? (tokens * text.length) / end : tokens
}
