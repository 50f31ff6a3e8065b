/** A string value inside a text that contains JSON, such as a frame of server-sent events. */
export interface JsonStringPlace {
  readonly value: string
  /** The last key before it; empty if there is none. */
  readonly key: string
  /** The range of its characters in the text, without the quotes. */
  readonly start: number
  readonly end: number
}

/** A range of a text; `end` is exclusive. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

const ESCAPE = '\\'

/** Returns the string values of a text in order. Keys of objects are left out. Text outside of strings is ignored. */
export function jsonStringsIn(text: string): readonly JsonStringPlace[] {
  const places: JsonStringPlace[] = []
  let key = ''
  for (let open = text.indexOf('"'); open >= 0; ) {
    const close = closingQuote(text, open + 1)
    if (close < 0) break
    if (isKey(text, close + 1)) key = text.slice(open + 1, close)
    else {
      const value = parseString(text.slice(open, close + 1))
      if (value !== null) places.push({ value, key, start: open + 1, end: close })
    }
    open = text.indexOf('"', close + 1)
  }
  return places
}

function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0
    while (at - escapes > from && text[at - escapes - 1] === ESCAPE) escapes += 1
    if (escapes % 2 === 0) return at
  }
  return -1
}

function isKey(text: string, from: number): boolean {
  let at = from
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at += 1
  return text[at] === ':'
}

function parseString(quoted: string): string | null {
  if (!quoted.includes(ESCAPE)) return quoted.slice(1, -1)
  try {
    return JSON.parse(quoted) as string
  } catch {
    return null
  }
}

/**
 * Returns the range of a part of a string value, given its range in the value. An escape sequence is never divided: the
 * range covers all of it.
 */
export function rangeInside(text: string, place: JsonStringPlace, { start, end }: TextRange): TextRange {
  if (place.end - place.start === place.value.length) return { start: place.start + start, end: place.start + end }
  let at = place.start
  let from = place.end
  for (let unit = 0; unit < end && at < place.end; unit += 1) {
    if (unit === start) from = at
    at += escapeLength(text, at)
  }
  return { start: Math.min(from, at), end: at }
}

const escapeLength = (text: string, at: number): number =>
  text[at] !== ESCAPE ? 1 : text[at + 1] === 'u' ? 'u0000'.length + 1 : 2
